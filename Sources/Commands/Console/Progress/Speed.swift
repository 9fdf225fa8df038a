internal import Base

/// The speed of an activity, from its last samples.
struct Speed: Sendable {
  private var samples: [(at: Instant, done: Int)]
  private let most: Int
  /// Samples closer together are ignored.
  private let least: Duration

  init(most: Int, least: Duration = .zero, from first: (at: Instant, done: Int)? = nil) {
    (self.most, self.least) = (most, least)
    samples = first.map { [$0] } ?? []
  }

  mutating func add(_ done: Int, at now: Instant) {
    if samples.count > 1, now - samples[samples.count - 2].at < least { samples.removeLast() }
    samples.append((now, done))
    if samples.count > most { samples.removeFirst() }
  }

  /// Nil before there are enough samples.
  var perSecond: Double? {
    guard samples.count > 2, let first = samples.first, let last = samples.last else { return nil }
    let seconds = (last.at - first.at).inSeconds
    return seconds > 0 ? Double(last.done - first.done) / seconds : nil
  }

  func time(for rest: Int) -> Duration? {
    guard let perSecond, perSecond > 0 else { return nil }
    let seconds = Double(max(0, rest)) / perSecond
    return seconds < 1e9 ? .milliseconds(Int64(seconds * 1000)) : nil
  }
}
