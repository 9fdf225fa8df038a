public import Base

/// A row with the names of its columns: the same for JSON and for people.
public typealias NamedRow = [(name: String, value: SQLValue)]

extension Connection {
  /// Every row of one of our queries, with the query's column names. For results that are known to
  /// be small.
  func named(_ sql: String, _ values: [SQLValue] = []) throws(SQLiteError) -> [NamedRow] {
    let names = try statement(sql).columnNames
    return try rows(sql, values) { row in names.enumerated().map { ($1, row.value($0)) } }
  }
}
