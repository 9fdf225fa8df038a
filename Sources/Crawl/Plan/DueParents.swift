internal import Base
internal import Store

/// The parent records for which a child stream is due, or all of them for a range of time, each once in a run. They are
/// read in portions, until one is empty.
struct DueParents {
  let store: RecordStore
  let stream: Stream
  let job: String
  let run: RunID
  var isOfAll = false
  /// Values read at once.
  var portion = 5000
  private(set) var ready: ArraySlice<DueValue> = []
  /// Values given out; those not finished stay due.
  private(set) var given: Set<ExactText> = []

  /// After the last one's lists: ends the round if nothing is due any more.
  func end() async throws {
    if !isOfAll, !given.isEmpty {
      _ = try await store.due(stream.name, of: job, run: run, portion: 1)
    }
  }

  mutating func next() async throws -> DueValue? {
    if ready.isEmpty {
      // Those that stay due come first, and are no more than were given out.
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
