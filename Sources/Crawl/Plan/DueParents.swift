internal import Base
internal import Store

/// The records of a parent stream for which a child stream is due, or all of them where a range of time is
/// filled, one after the other, each once in a run. They are read in portions, and the last portion is the
/// one that is empty.
struct DueParents {
  let store: RecordStore
  let stream: Stream
  let job: String
  let run: RunID
  var isOfAll = false
  /// How many are read at once.
  var portion = 5000
  private(set) var ready: ArraySlice<DueValue> = []
  /// What was given out; what came to no end stays due.
  private(set) var given: Set<ExactText> = []

  /// Behind the last one's lists: a round of which nothing is due any more has ended.
  func end() async throws {
    if !isOfAll, !given.isEmpty {
      _ = try await store.due(stream.name, of: job, run: run, portion: 1)
    }
  }

  mutating func next() async throws -> DueValue? {
    if ready.isEmpty {
      // Those that stay due come before the others, and are no more than were given out.
      let most = portion + given.count
      let due = try await store.due(
        stream.name, of: job, run: run, portion: most, isOfAll: isOfAll)
      ready = due.filter { !given.contains(ExactText($0.value)) }[...]
    }
    guard let next = ready.popFirst() else { return nil }
    given.insert(ExactText(next.value))
    return next
  }
}
