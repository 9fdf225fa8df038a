/// What makes histories short: their rows say a number where people read the name of a column.
extension Book {
  static let historyColumns = BookTable(
    "trawl_history_columns", of: .table, on: [.resetRecords: .deletes],
    """
    table_name TEXT NOT NULL, -- the rows of a history: <table>_history_rows
    column_number INTEGER NOT NULL, -- never another column's
    column_name TEXT NOT NULL, -- of the records
    """, ["PRIMARY KEY (table_name, column_number)", "UNIQUE (table_name, column_name)"],
    isWithoutRowid: true)

}
