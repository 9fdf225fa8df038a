/// Pages of one list in flight. They may be answered in any order, and are taken in the order of their requests.
struct PagesInFlight<Mark: Sendable, Answer: Sendable>: ~Copyable {
  private struct Entry {
    var mark: Mark
    var answer: Task<Answer, Never>
  }

  private var entries: [Entry] = []

  var marks: [Mark] { entries.map(\.mark) }
  var count: Int { entries.count }

  mutating func begin(
    _ mark: Mark, on executor: (any TaskExecutor)?,
    _ fetch: @escaping @Sendable () async -> Answer
  ) {
    // Awaited in `take`, or cancelled. Immediate, so that it is sent before the page that came is written.
    entries.append(
      Entry(mark: mark, answer: Task.immediate(executorPreference: executor) { await fetch() }))
  }

  mutating func take() async -> (mark: Mark, answer: Answer)? {
    guard !entries.isEmpty else { return nil }
    let entry = entries.removeFirst()
    let answer = await withTaskCancellationHandler {
      await entry.answer.value
    } onCancel: {
      entry.answer.cancel()
    }
    return (entry.mark, answer)
  }

  /// Cancels all; nothing of them was stored. On return none is in flight.
  mutating func discard() async {
    for entry in entries { entry.answer.cancel() }
    for entry in entries { _ = await entry.answer.value }
    entries = []
  }

  deinit {
    for entry in entries { entry.answer.cancel() }
  }
}
