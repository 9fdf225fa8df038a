/// Waiting items, first come first served within an origin, with limits on how many are in progress: in all and for
/// each origin. libcurl's own queue would count waiting as connecting.
struct WaitingLine<Item> {
  private let totalMax: Int
  private let perKeyMax: Int
  private var waiting: [(key: String, item: Item)] = []
  private var running: [String: Int] = [:]
  private(set) var total = 0

  init(totalMax: Int, perKeyMax: Int) {
    self.totalMax = totalMax
    self.perKeyMax = perKeyMax
  }

  mutating func append(_ item: Item, key: String) { waiting.append((key, item)) }

  /// The next one whose origin has room; it counts as in progress until `leave`.
  mutating func next() -> (key: String, item: Item)? {
    guard total < totalMax,
      let index = waiting.firstIndex(where: { running[$0.key, default: 0] < perKeyMax })
    else { return nil }
    let chosen = waiting.remove(at: index)
    running[chosen.key, default: 0] += 1
    total += 1
    return chosen
  }

  mutating func leave(_ key: String) {
    guard let count = running[key] else { return }
    running[key] = count > 1 ? count - 1 : nil
    total -= 1
  }

  mutating func remove(where matches: (Item) -> Bool) -> Item? {
    guard let index = waiting.firstIndex(where: { matches($0.item) }) else { return nil }
    return waiting.remove(at: index).item
  }

  mutating func removeAll() -> [Item] {
    defer { waiting = [] }
    return waiting.map(\.item)
  }
}
