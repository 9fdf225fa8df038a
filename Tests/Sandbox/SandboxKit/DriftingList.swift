/// An ordered list of records (by index in the data set) whose front changes while a client walks it.
struct DriftingList: Sendable {
  private(set) var slots: [Int]
  private var deleted: [Int] = []

  init(_ slots: [Int]) { self.slots = slots }

  /// What was deleted, and is not there again.
  var left: [Int] {
    let here = Set(slots)
    return deleted.filter { !here.contains($0) }
  }

  /// The slots of one page; empty past the end.
  func page(offset: Int, limit: Int) -> ArraySlice<Int> {
    let from = min(max(0, offset), slots.count)
    return slots[from..<min(slots.count, from + max(0, limit))]
  }

  mutating func move(insert: Int, delete: Int, newcomer: () -> Int) {
    let leaving = slots.prefix(max(0, delete))
    deleted += leaving
    slots.removeFirst(leaving.count)
    for _ in 0..<max(0, insert) { slots.insert(newcomer(), at: 0) }
  }
}

/// The lists of one API that were asked for or moved, by name, and how many records have come since the start.
struct DriftingLists<Name: Hashable & Sendable>: Sendable {
  private var lists: [Name: DriftingList] = [:]
  private(set) var newcomers = 0

  /// More than any test inserts.
  private static var newcomersMax: Int { 100_000 }

  subscript(name: Name) -> DriftingList? {
    get { lists[name] }
    set { lists[name] = newValue }
  }

  /// - Parameters:
  ///   - end: the index of the first newcomer.
  ///   - isListed: whether the list admits a record.
  mutating func move(
    _ name: Name, _ list: DriftingList, insert: Int, delete: Int, end: Int,
    isListed: (Int) -> Bool = { _ in true }
  ) {
    var list = list
    list.move(insert: insert, delete: delete) {
      repeat {
        newcomers = min(newcomers + 1, Self.newcomersMax)
      } while !isListed(end + newcomers - 1) && newcomers < Self.newcomersMax
      return end + newcomers - 1
    }
    lists[name] = list
  }
}
