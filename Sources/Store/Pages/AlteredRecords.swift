internal import Base

/// Which records of a table were altered since pages with them were stored: such a page no longer says
/// what their rows are. New rows alter nothing. Noted by the transactions that write the rows.
final class AlteredRecords {
  /// Of more than these on one page, or in a table, it is not noted which they are.
  static let ofPageMax = 16
  static let ofTableMax = 4_000
  private static let every: UInt64 = 0

  private let table: String
  /// By the digest of its key, the page before which the record was last altered.
  private var pages: [UInt64: Int64] = [:]

  init(of table: String, _ connection: Connection) throws(SQLiteError) {
    self.table = table
    let seal = try Seals.sql(of: Book.altered, connection)
    let known = try connection.rows(
      "SELECT key_digest, page, \(Seals.column) IS \(seal) FROM trawl_altered "
        + "WHERE table_name = ?", [.text(table)]
    ) { (UInt64(bitPattern: $0.integer(0)), $0.integer(1), isSound: $0.boolean(2)) }
    pages = Dictionary(known.map { ($0.0, $0.1) }) { max($0, $1) }
    // Another hand has changed one: nobody knows what it said.
    if known.contains(where: { !$0.isSound }) { pages[Self.every] = try Self.next(connection) }
  }

  /// Whether the rows of a stored page are as it left them.
  func stands(_ page: Int64, _ keys: [UInt64]) -> Bool {
    if pages.isEmpty { return true }
    func isOlder(_ key: UInt64) -> Bool { pages[key].map { $0 > page } ?? false }
    return !isOlder(Self.every) && !keys.contains(where: isOlder)
  }

  /// In the transaction that alters them, before it stores a page of its own.
  func note(_ keys: [UInt64], _ connection: Connection) throws(SQLiteError) {
    if keys.isEmpty { return }
    guard keys.count <= Self.ofPageMax, pages.count + keys.count <= Self.ofTableMax else {
      return try noteAll(connection)
    }
    let page = try Self.next(connection)
    for key in keys { try note(key, page, connection) }
  }

  func noteAll(_ connection: Connection) throws(SQLiteError) {
    if pages.contains(where: { $0.key != Self.every }) {
      try connection.run(
        "DELETE FROM trawl_altered WHERE table_name = ? AND key_digest <> 0", [.text(table)])
    }
    pages = [:]
    try note(Self.every, Self.next(connection), connection)
  }

  /// A walk did not bring them, so that none of its pages holds one: others may.
  func noteVanished(_ unit: OpenUnit, _ connection: Connection) throws(SQLiteError) {
    let others = try connection.integer(
      "SELECT EXISTS (SELECT 1 FROM trawl_lists JOIN trawl_windows USING (list_number) "
        + "JOIN trawl_pages p USING (window) WHERE table_name = ? "
        + "AND NOT (p.window = ? AND p.traversal = ?))",
      [.text(table), .integer(unit.id), .integer(unit.traversal)])
    if others != 0 { try noteAll(connection) }
  }

  private func note(
    _ key: UInt64, _ page: Int64, _ connection: Connection
  ) throws(SQLiteError) {
    // Of a transaction that is rolled back this stays, and a page is read that need not be.
    pages[key] = page
    try connection.run(
      "INSERT INTO trawl_altered (table_name, key_digest, page) VALUES (?, ?, ?) "
        + "ON CONFLICT DO UPDATE SET page = excluded.page",
      [.text(table), SQLValue(bits: key), .integer(page)])
  }

  /// The number of the next page: those that are stored have smaller ones.
  private static func next(_ connection: Connection) throws(SQLiteError) -> Int64 {
    (try connection.integer("SELECT max(page) FROM trawl_pages") ?? 0) + 1
  }
}

extension RecordStore {
  /// One for all streams of a table.
  func alteredRecords(of table: String) throws(StoreError) -> AlteredRecords {
    if let known = altered[table] { return known }
    let made = try guarded { try AlteredRecords(of: table, $0) }
    altered[table] = made
    return made
  }
}
