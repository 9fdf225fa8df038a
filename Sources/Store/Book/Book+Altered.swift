/// What stands between a stored page and its rows.
extension Book {
  static let altered = BookTable(
    "trawl_altered", of: .table, on: [.resetRecords: .deletes],
    """
    table_name TEXT NOT NULL,
    key_digest INTEGER NOT NULL, -- of the record; 0: of every record
    page INTEGER NOT NULL, -- pages that were stored before this one no longer stand for its rows
    """, ["PRIMARY KEY (table_name, key_digest)"], isWithoutRowid: true)
}
