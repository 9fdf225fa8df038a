/// What became of records after they were stored.
extension Book {
  static let changes = BookTable(
    "trawl_changes", of: .tableNumber, on: [.resetRecords: .deletes],
    """
    change INTEGER NOT NULL, -- rises with each page and each mark that writes records
    table_number INTEGER NOT NULL, -- in trawl_tables
    record_key TEXT NOT NULL, -- of several columns a JSON list
    at INTEGER NOT NULL, -- seconds since 1970 in UTC
    kind TEXT CHECK (kind IN ('changed', 'filled', 'gone', 'back')), -- filled: in columns that it did
      -- not have before; NULL: in volatile columns alone, which is most of them
    old TEXT, -- JSON: what the columns held until then
    """, key: ["change", "table_number", "record_key"], isWithoutRowid: true,
    indexed: [("record", "(table_number, record_key, change)")])
}

/// How a stored record changed.
enum ChangeKind: String {
  case changed, filled, gone, back
  /// Only volatile columns changed: stored as NULL.
  case moved
}
