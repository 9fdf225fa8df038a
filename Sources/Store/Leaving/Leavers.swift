internal import Base

/// Rows of one table that are gone, selected by a condition.
struct Leavers {
  let table: TableDesign
  let condition: String
  /// The nested lists of its records, which go with them, and the names of the record's key there.
  var nested: [(table: TableDesign, parent: [String])] = []

  /// - Parameter values: the condition's parameters, `?1` and so on.
  func count(_ connection: Connection, _ values: [SQLValue] = []) throws(SQLiteError) -> Int {
    try connection.count(of: "\(SQLName.quoted(table.name)) WHERE \(condition)", values)
  }

  /// Marks them, and records the change of those that are records.
  func mark(
    _ values: [SQLValue], at now: String, _ connection: Connection
  ) throws(SQLiteError) {
    let number = try connection.pendingBook.change(connection)
    let name = SQLName.quoted(table.name)
    let (at, change) = ("?\(values.count + 1)", "?\(values.count + 2)")
    let values = values + [.text(now), .integer(number)]
    if table.kind != .list {
      try connection.insert(
        Book.changes,
        [
          ("change", change),
          ("table_number", "\(try ChangeLog.number(of: table.name, connection))"),
          ("record_key", ViewDesign.keyText(table.key)),
          ("at", "CAST(strftime('%s', \(at)) AS INTEGER)"),
          ("kind", SQLName.literal(ChangeKind.gone.rawValue)),
        ], from: "\(name) t WHERE \(condition)", values)
    }
    try connection.run(
      "UPDATE \(name) SET vanished_at = \(at), \(TableDesign.change) = \(change), "
        + table.sealing(["vanished_at": at, TableDesign.change: change]) + " WHERE \(condition)",
      values)
    let marked = connection.changedRows
    if marked > 0 { connection.pendingBook.useChange() }
    // No effect on a table without such a count.
    if table.kind == .records {
      try connection.add(-marked, to: FactKey(.present, table.name))
    }
    for list in nested where marked > 0 {
      let gone =
        "vanished_at IS NULL AND (\(TableDesign.list(list.parent))) IN "
        + "(SELECT \(TableDesign.list(table.key)) FROM \(name) WHERE vanished_at = ?1)"
      try Leavers(table: list.table, condition: gone).mark([.text(now)], at: now, connection)
    }
  }
}

extension StreamPlan {
  /// What the rows of a list have in the columns of the key that name it, as it is stored: then SQLite looks at the
  /// list's own rows alone. Nil: the key does not name it.
  func naming(_ values: [ParameterValue]) -> [(column: String, value: SQLValue)]? {
    let request = FieldReader.Request(parameters: values, position: 0, parent: nil)
    var reader = FieldReader(LocalZones())
    let row = RowBuffer(columns: 1)
    var found: [(column: String, value: SQLValue)] = []
    for value in values {
      guard let column = stream.columnOfRequest(value.name), table.key.contains(column),
        let field = fields.first(where: { $0.name == column })
      else { return nil }
      row.clear()
      _ = reader.read(field, of: .nothing, request, into: row, 0)
      found.append((column, row.value(0)))
    }
    return found
  }
}
