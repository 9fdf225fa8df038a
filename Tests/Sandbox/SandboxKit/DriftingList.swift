/// An ordered list of records (by index in the data set) whose front changes while a client walks it.
struct DriftingList: Sendable {
  private(set) var slots: [Int]
  /// Records that were inserted since the start, oldest first.
  private(set) var inserted: [Int] = []
  private(set) var deleted: [Int] = []
  private var pagesServed = 0

  init(_ slots: [Int]) { self.slots = slots }

  /// The slots of one page; empty past the end.
  func page(offset: Int, limit: Int) -> ArraySlice<Int> {
    let from = min(max(0, offset), slots.count)
    return slots[from..<min(slots.count, from + max(0, limit))]
  }

  /// Called after a whole page was sent: the first is followed by insertions, the second by deletions, and so on. A
  /// walk by page number thus meets some records twice, and misses others.
  mutating func moveAfterPage(by count: Int, newcomer: () -> Int) {
    guard count > 0 else { return }
    pagesServed += 1
    if pagesServed.isMultiple(of: 2) {
      delete(count)
    } else {
      insert(count, newcomer: newcomer)
    }
  }

  mutating func insert(_ count: Int, newcomer: () -> Int) {
    for _ in 0..<max(0, count) {
      let record = newcomer()
      inserted.append(record)
      slots.insert(record, at: 0)
    }
  }

  mutating func delete(_ count: Int) {
    let leaving = slots.prefix(max(0, count))
    deleted += leaving
    slots.removeFirst(leaving.count)
  }
}
