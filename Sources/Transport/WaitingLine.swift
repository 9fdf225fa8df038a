/// Waiting requests, first come first served within an origin, with limits on how many are in progress: in all and for
/// each origin. libcurl's own queue would count waiting as connecting.
struct WaitingLine {
  private let totalMax: Int
  private let perKeyMax: Int
  private var waiting: [Journey] = []
  private var running: [String: Int] = [:]
  private var total = 0

  init(totalMax: Int, perKeyMax: Int) {
    self.totalMax = totalMax
    self.perKeyMax = perKeyMax
  }

  mutating func append(_ journey: Journey) { waiting.append(journey) }

  /// The next one whose origin has room; it counts as in progress until `leave`.
  mutating func next() -> Journey? {
    guard total < totalMax,
      let index = waiting.firstIndex(where: { running[$0.lineKey, default: 0] < perKeyMax })
    else { return nil }
    let chosen = waiting.remove(at: index)
    running[chosen.lineKey, default: 0] += 1
    total += 1
    return chosen
  }

  mutating func leave(_ journey: Journey) {
    guard let count = running[journey.lineKey] else { return }
    running[journey.lineKey] = count > 1 ? count - 1 : nil
    total -= 1
  }

  mutating func remove(where matches: (Journey) -> Bool) -> Journey? {
    waiting.firstIndex(where: matches).map { waiting.remove(at: $0) }
  }

  mutating func removeAll() -> [Journey] {
    defer { waiting = [] }
    return waiting
  }
}
