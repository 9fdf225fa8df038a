internal import Base

/// The only place that writes bookkeeping: it seals each row, keeps the counts of rows, and deletes
/// what belongs to a deleted row. Inside a transaction.
extension Connection {
  typealias Values = [(column: String, value: SQLValue)]
  /// Columns with SQL for their new values; its parameters come before those of the condition.
  typealias Changes = [(column: String, sql: String)]

  /// Returns the row's number; 0 if the table numbers no rows.
  @discardableResult
  func insert(_ table: BookTable, _ values: Values) throws(SQLiteError) -> Int64 {
    try insert(table, values, "").number
  }

  /// Returns false if a row with this key exists.
  @discardableResult
  func insertIfNew(_ table: BookTable, _ values: Values) throws(SQLiteError) -> Bool {
    try insert(table, values, " ON CONFLICT DO NOTHING").isNew
  }

  private func insert(
    _ table: BookTable, _ values: Values, _ conflict: String
  ) throws(SQLiteError) -> (number: Int64, isNew: Bool) {
    var columns = values.map(\.column)
    var values = values.map(\.value)
    var number: Int64 = 0
    if let column = table.number {
      number = try integer(table.nextNumber) ?? 1
      columns.append(column)
      values.append(.integer(number))
    }
    try run(
      pendingBook.text([table.name, conflict] + columns) { table.insertion(columns) + conflict },
      values)
    let isNew = changedRows > 0
    if isNew { pendingBook.count(1, of: table.name) }
    if !isNew, conflict.isEmpty { throw SQLiteError(passedOver: table.name) }
    return (number, isNew)
  }

  /// Inserts a row for each one of a query; columns are given as SQL over it.
  func insert(
    _ table: BookTable, _ columns: Changes, from source: String, _ values: [SQLValue]
  ) throws(SQLiteError) {
    let named = Dictionary(columns.map { ($0.column, $0.sql) }) { one, _ in one }
    let sealed = table.seal { named[$0.name] ?? $0.initial }
    try run(
      "INSERT INTO \(table.name) (\(columns.map(\.column).joined(separator: ", ")), \(Seals.column)) "
        + "SELECT \(columns.map(\.sql).joined(separator: ", ")), \(sealed) FROM \(source)", values)
    pendingBook.count(changedRows, of: table.name)
  }

  /// Returns how many rows were changed.
  @discardableResult
  func update(
    _ table: BookTable, _ changes: Changes, where condition: String, _ values: [SQLValue] = []
  ) throws(SQLiteError) -> Int {
    try run(
      pendingBook.text([table.name, condition] + changes.flatMap { [$0.column, $0.sql] }) {
        table.change(changes, where: condition)
      }, values)
    return changedRows
  }

  /// The same, with values instead of SQL.
  @discardableResult
  func set(
    _ table: BookTable, _ changes: Values, where condition: String, _ values: [SQLValue] = []
  ) throws(SQLiteError) -> Int {
    try update(
      table, changes.map { ($0.column, "?") }, where: condition, changes.map(\.value) + values)
  }

  /// Changes the row with this key, or inserts it.
  /// - Parameters:
  ///   - key: the columns that find it, if not the table's key.
  ///   - names: the columns that an existing row gets; nil: all of these.
  ///   - watched: an existing row is changed only if one of these differs; nil: in any case.
  /// - Returns: whether it is new.
  @discardableResult
  func put(
    _ table: BookTable, by key: [String]? = nil, _ values: Values, changing names: [String]? = nil,
    ifOther watched: [String]? = nil
  ) throws(SQLiteError) -> Bool {
    let key = key ?? table.key
    let changing = names ?? values.map(\.column).filter { !key.contains($0) }
    let used = (changing + key + (watched ?? [])).eachOnce
    let parts = ["put", table.name] + changing + ["|"] + key + ["|"] + (watched ?? [])
    let text = pendingBook.text(parts) {
      func parameter(_ name: String) -> String { "?\((used.firstIndex(of: name) ?? 0) + 1)" }
      let isThis = key.map { "\($0) = \(parameter($0))" }.joined(separator: " AND ")
      let isOther = watched?.map { "\($0) IS NOT \(parameter($0))" }.joined(separator: " OR ")
      return table.change(
        changing.map { ($0, parameter($0)) },
        where: isOther.map { "\(isThis) AND (\($0))" } ?? isThis)
    }
    try run(text, used.compactMap { name in values.first { $0.column == name }?.value })
    return changedRows == 0 ? try insertIfNew(table, values) : false
  }

  /// Deletes rows with all that belongs to them. Returns how many rows of this table were deleted.
  /// - Parameter present: for pages: keys that are also on other pages.
  @discardableResult
  func delete(
    _ table: BookTable, where condition: String, _ values: [SQLValue] = [],
    besides present: KeySet = KeySet()
  ) throws(SQLiteError) -> Int {
    if table.name == Book.pages.name {
      try SeenLog.note(pagesWhere: condition, values, besides: present, self)
    }
    let owned = Book.tables.flatMap { child in
      child.columns.filter { $0.parent == table.name }.map { (table: child, column: $0.name) }
    }
    guard let column = owned.first?.column else { return try remove(table, condition, values) }
    // Before the children are deleted: the condition may read them.
    let keys = try rows("SELECT \(column) FROM \(table.name) WHERE \(condition)", values) {
      ListPlace.literal($0.value(0))
    }
    var count = 0
    for first in stride(from: 0, to: keys.count, by: Self.deletedAtOnce) {
      let some = keys[first..<min(first + Self.deletedAtOnce, keys.count)].joined(separator: ", ")
      for child in owned { try delete(child.table, where: "\(child.column) IN (\(some))") }
      count += try remove(table, "\(column) IN (\(some))")
    }
    return count
  }

  private static let deletedAtOnce = 500

  private func remove(
    _ table: BookTable, _ condition: String, _ values: [SQLValue] = []
  ) throws(SQLiteError) -> Int {
    try run("DELETE FROM \(table.name) WHERE \(condition)", values)
    let rows = changedRows
    pendingBook.count(-rows, of: table.name)
    return rows
  }

  /// Gives some columns of some rows other values, and the rows new seals. A row with a bad seal
  /// keeps a bad one: a new name must not hide damage.
  func rewrite(
    _ table: BookTable, _ changes: Changes, where condition: String
  ) throws(SQLiteError) {
    try run(table.change(changes, where: condition, keepsDoubt: true))
  }
}

extension BookTable {
  /// With a parameter for each column, in this order.
  func insertion(_ names: [String]) -> String {
    let sealed = seal { column in
      names.firstIndex(of: column.name).map { "?\($0 + 1)" } ?? column.initial
    }
    return "INSERT INTO \(name) (\(names.joined(separator: ", ")), \(Seals.column)) VALUES ("
      + names.indices.map { "?\($0 + 1)" }.joined(separator: ", ") + ", \(sealed))"
  }

  fileprivate func change(
    _ changes: Connection.Changes, where condition: String, keepsDoubt: Bool? = nil
  ) -> String {
    // A value appears twice in the statement: once within the seal.
    var count = 0
    let numbered = changes.map { (column: $0.column, sql: Self.numbered($0.sql, &count)) }
    let keepsDoubt = keepsDoubt ?? self.keepsDoubt
    func value(_ sql: String) -> String {
      // SQLite 3.40 evaluates a constant into an argument's register once, before the first row; if
      // a statement calls a function twice, the first call may overwrite it. An expression that
      // depends on a column is not a constant.
      keepsDoubt ? "iif(\(Seals.column) IS NULL, \(sql), \(sql))" : "(\(sql))"
    }
    let new = seal { column in
      numbered.first { $0.column == column.name }.map { value($0.sql) } ?? column.name
    }
    let sealed =
      keepsDoubt
      ? "iif(\(Seals.column) IS \(seal(\.name)), \(new), ~\(new))" : new
    let sets = numbered.map { "\($0.column) = \($0.sql)" } + ["\(Seals.column) = \(sealed)"]
    return "UPDATE \(name) SET \(sets.joined(separator: ", ")) "
      + "WHERE \(Self.numbered(condition, &count))"
  }

  /// Numbers each parameter that has no number.
  private static func numbered(_ sql: String, _ count: inout Int) -> String {
    guard sql.utf8.contains(UInt8(ascii: "?")) else { return sql }
    var text = ""
    for (index, part) in sql.split(separator: "?", omittingEmptySubsequences: false).enumerated() {
      if index > 0 {
        text += "?"
        if part.utf8.first.map({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) != true {
          count += 1
          text += "\(count)"
        }
      }
      text += part
    }
    return text
  }
}
