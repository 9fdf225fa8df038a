internal import Base

/// Which records of a table were altered since pages with them were stored: such a page no longer
/// matches their rows. New rows alter nothing.
final class AlteredRecords {
  /// Beyond this number, the single records are no longer tracked.
  static let most = 4_000

  private let table: String
  /// By the digest of its key, the change that last altered the record.
  private var changes: [UInt64: Int64] = [:]
  /// If too many are altered: the last change that altered any of them.
  private var latest: Int64 = 0

  init(of table: TableDesign, _ connection: Connection) throws(SQLiteError) {
    self.table = table.name
    let oldest = try connection.integer(
      "SELECT min(change) FROM trawl_pages JOIN trawl_windows USING (window) "
        + "JOIN trawl_lists USING (list_number) WHERE table_name = ? "
        + "AND coalesce(answer_print, etag, last_modified) IS NOT NULL",
      [.text(table.name)])
    guard let oldest else { return }
    let number = try ChangeLog.number(of: table.name, connection)
    // For forgotten changes it is unknown which records they altered.
    latest = try HistoryLimit.of(number, connection)?.change ?? 0
    let known = try connection.rows(
      // cut: one more than can be tracked
      "SELECT record_key, max(change) FROM trawl_changes WHERE change > ? AND +table_number = ? "
        + "GROUP BY record_key ORDER BY 2 DESC LIMIT \(Self.most + 1)",
      [.integer(oldest), .integer(number)]
    ) { (key: $0.text(0) ?? "", change: $0.integer(1)) }
    guard known.count <= Self.most else {
      latest = max(latest, known.first?.change ?? 0)
      return
    }
    let types = table.key.map { table.column($0)?.type ?? "TEXT" }
    let row = RowBuffer(columns: types.count)
    for (key, change) in known {
      guard let digest = Self.digest(key, types, row) else {
        latest = max(latest, change)
        continue
      }
      changes[digest] = change
    }
  }

  /// The digest of a key as people write it; nil: it cannot be read back.
  private static func digest(_ key: String, _ types: [String], _ row: RowBuffer) -> UInt64? {
    row.clear()
    if types.count == 1 {
      switch types[0] {
      case "INTEGER":
        guard let number = Int64(key) else { return nil }
        row.setInteger(0, number)
      case "REAL": return nil
      default: row.setText(0, key)
      }
    } else {
      // We wrote it.
      guard let root = JSONValue(text: key), root.count == types.count else { return nil }
      for (index, value) in root.elements.enumerated() {
        if let text = value.string, types[index] == "TEXT" {
          row.setText(index, text)
        } else if let integer = value.integer, types[index] == "INTEGER" {
          row.setInteger(index, integer)
        } else {
          return nil
        }
      }
    }
    return row.digest(of: Array(types.indices))
  }

  /// Whether the rows of a page that was stored at this change are still as it left them.
  func stands(since change: Int64, _ keys: [UInt64]) -> Bool {
    latest <= change
      && (changes.isEmpty || !keys.contains { changes[$0].map { $0 > change } ?? false })
  }

  /// Call it in the transaction that alters them. After a rollback the note stays, which only costs reading a page
  /// again.
  func note(_ keys: [UInt64], _ connection: Connection) throws(SQLiteError) {
    if keys.isEmpty { return }
    let change = try connection.pendingBook.change(connection)
    for key in keys { changes[key] = change }
    guard changes.count > Self.most else { return }
    latest = changes.values.max() ?? latest
    changes = [:]
  }
}

extension RecordStore {
  /// One object for all streams of a table.
  func alteredRecords(of table: TableDesign) throws(StoreError) -> AlteredRecords {
    if let known = altered[table.name] { return known }
    let made = try guarded { try AlteredRecords(of: table, connection) }
    altered[table.name] = made
    return made
  }
}
