internal import Base

/// The stored pages of one walk. What each of them added is counted from its keys, since no row stores it.
struct StoredPages {
  let window: Int64
  let traversal: Int64
  /// All keys of the pages so far.
  private(set) var seen = KeySet()
  /// The keys of the last page of the list.
  private(set) var last: (ordinal: Int, keys: [UInt64]) = (0, [])
  /// When they were committed; nil: none of them was a page.
  private(set) var times: PageTimes?

  init(of window: Int64, traversal: Int64) {
    (self.window, self.traversal) = (window, traversal)
  }

  /// Passes pages that meet the condition, in the order in which they were stored.
  mutating func read(
    where condition: String = "1", _ values: [SQLValue] = [], in connection: Connection,
    _ body: (StoredPage) throws -> Void
  ) throws {
    let rows = try connection.statement(
      "SELECT \(StoredPage.columns) FROM trawl_pages WHERE window = ? AND traversal = ? "
        + "AND \(condition) ORDER BY page")
    try rows.bind([.integer(window), .integer(traversal)] + values)
    defer { rows.clear() }
    while try rows.step() {
      var columns = ColumnReader(rows)
      var page = columns.next(StoredPage.self)
      try count(&page, connection)
      // What ended an earlier run is not a page: the next run continues from those before.
      if page.summary.trouble ?? .unreadable == .unreadable, let at = page.committedAt {
        times = times?.followed(by: at) ?? PageTimes(at)
      }
      try body(page)
    }
  }

  mutating func summaries(
    where condition: String = "1", _ values: [SQLValue] = [], in connection: Connection
  ) throws -> [PageSummary] {
    var all: [PageSummary] = []
    try read(where: condition, values, in: connection) { all.append($0.summary) }
    return all
  }

  private mutating func count(_ page: inout StoredPage, _ connection: Connection)
    throws(SQLiteError)
  {
    let (purpose, ordinal) = (page.summary.purpose, page.summary.ordinal)
    if page.summary.trouble != nil { return }
    if purpose.isLook {
      page.summary.unseen = page.keys.count { !seen.contains($0) }
      return
    }
    if purpose == .page {
      let before =
        last.ordinal == ordinal - 1
        ? last.keys
        : try Self.keys(
          at: ordinal - 1, of: window, traversal, before: page.number, connection)
      page.summary.compare(page.keys, with: before)
    }
    page.summary.unseen = page.keys.count { seen.insert($0) }
    if purpose != .closingCheck { last = (ordinal, page.keys) }
  }

  /// The keys of the last answer at this place of the walk.
  static func keys(
    at ordinal: Int, of window: Int64, _ traversal: Int64, before page: Int64 = .max,
    _ connection: Connection
  ) throws(SQLiteError) -> [UInt64] {
    if ordinal < 1 { return [] }
    return try connection.row(
      "SELECT keys FROM trawl_pages WHERE window = ? AND traversal = ? AND ordinal = ? "
        + "AND page < ? AND trouble IS NULL AND \(ofTheList) ORDER BY page DESC LIMIT 1",
      [.integer(window), .integer(traversal), .integer(Int64(ordinal)), .integer(page)]
    ) { $0.keys(0) } ?? []
  }

  /// The condition for a reading of the list itself.
  static let ofTheList: String = {
    let purposes = Step.Purpose.allCases.filter(\.readsTheList).map { "'\($0.rawValue)'" }
    return "purpose IN (\(purposes.joined(separator: ", ")))"
  }()
}

extension PageSummary {
  /// Notes what its keys alone show.
  mutating func note(_ keys: [UInt64]) {
    (keysDigest, firstKey, lastKey) = (KeyBlob.digest(keys), keys.first, keys.last)
  }

  mutating func compare(_ keys: [UInt64], with before: [UInt64]) {
    guard let first = keys.first, before.contains(first) else {
      (leadingRepeats, continued) = (0, 0)
      return
    }
    let held = Set(before)
    leadingRepeats = keys.prefix { held.contains($0) }.count
    continued =
      stride(from: min(leadingRepeats, before.count), to: 0, by: -1)
      // cut: the others come before those that the page may begin with
      .first { keys.starts(with: before.suffix($0)) } ?? 0
  }
}
