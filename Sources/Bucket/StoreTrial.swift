public import Base
internal import Transport

/// Whether a store refuses what it must: without that, two workers would both believe that a folder is theirs.
public struct StoreTrial: Sendable {
  /// A put that requires that no object exists is refused if there is one.
  public var refusesSecond = false
  /// A put that requires an object's earlier tag is refused after it has changed.
  public var refusesStale = false
  /// The median time of its requests.
  public var latency = Duration.zero
  /// How far its clock is ahead of ours; nil: it gives none.
  public var ahead: Duration?

  public var isSound: Bool { refusesSecond && refusesStale }
}

extension BucketFolder {
  /// Writes an object of its own beside the head, four times, and removes it.
  public func tryStore(_ time: Timekeeper) throws(BucketError) -> StoreTrial {
    let key = key("check-\(Hexadecimal.text(time.random()))")
    var trial = StoreTrial()
    var spans: [Duration] = []
    func ask(_ text: String, _ condition: PutCondition) throws(BucketError) -> String? {
      let began = time.elapsed()
      let outcome = try put(key, Array(text.utf8), if: condition)
      spans.append(time.elapsed() - began)
      guard case .stored(let tag, let date) = outcome else { return nil }
      trial.ahead = date.map { $0 - time.now() } ?? trial.ahead
      return tag
    }
    defer {
      // A small object that stays does no harm.
      try? delete(key)
    }
    // If an answer was lost, the second try finds what the first has made.
    var first = try ask("1", .absent)
    if first == nil, let seen = try fetch(key), seen.bytes == Array("1".utf8) { first = seen.tag }
    guard let first else { return trial }
    trial.refusesSecond = try ask("2", .absent) == nil
    _ = try ask("3", .tag(first))
    trial.refusesStale = try ask("4", .tag(first)) == nil
    trial.latency = spans.sorted()[spans.count / 2]
    return trial
  }
}
