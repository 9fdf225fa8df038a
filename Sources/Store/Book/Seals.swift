internal import Base

/// Every row of bookkeeping carries a digest of its other values, so that `trawl prove` finds a
/// value that was changed in any row, also where no claim is counted from it.
///
/// Triggers of our own connections write it. They are no part of the file: whoever changes a row
/// by other means changes it without its seal, and shows.
enum Seals {
  static let column = "seal"

  /// A table as the file holds it.
  struct Table {
    var name: String
    var key: [String]
    /// What the digest covers, in order.
    var values: [String]
    var hasSeal: Bool

    /// The digest of a row that is called so.
    func digest(of row: String) -> String {
      "trawl_hash(\(values.map { "\(row).\(SQLName.quoted($0))" }.joined(separator: ", ")))"
    }
  }

  /// The statements that made the tables of the book, by their names.
  typealias Definitions = [String: String]

  static func definitions(_ connection: Connection) throws(SQLiteError) -> Definitions {
    let found = try connection.rows(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name GLOB 'trawl_*'"
    ) { ($0.text(0) ?? "", $0.text(1) ?? "") }
    return Dictionary(found) { one, _ in one }
  }

  static func tables(_ connection: Connection) throws(SQLiteError) -> [Table] {
    var tables: [Table] = []
    for name in try definitions(connection).keys.sorted() {
      tables.append(try table(name, connection))
    }
    return tables
  }

  /// The seal of a row of a table of the book, as SQL.
  static func sql(of table: BookTable, _ connection: Connection) throws(SQLiteError) -> String {
    try self.table(table.name, connection).digest(of: table.name)
  }

  static func table(
    _ name: String, _ connection: Connection
  ) throws(SQLiteError) -> Table {
    // Not one of those that are kept, which may make room for it: one of them may be waiting for this.
    let columns = try connection.prepare("SELECT name, pk FROM pragma_table_info(?) ORDER BY cid")
    defer { connection.release(columns) }
    try columns.bind([.text(name)])
    var table = Table(name: name, key: [], values: [], hasSeal: false)
    while try columns.step() {
      let (column, place) = (columns.text(0) ?? "", columns.int(1))
      if column == Self.column {
        table.hasSeal = true
        continue
      }
      table.values.append(column)
      if place > 0 { table.key.append(column) }
    }
    return table
  }

  /// From now on every row that this connection writes is sealed, and counted. Of the ninety triggers
  /// that it takes a run needs some fifteen, and each costs a quarter of a million instructions: they are made
  /// when the first statement that needs one is compiled.
  static func keep(_ connection: Connection) throws(SQLiteError) {
    let writes = Book.tables.flatMap { table in
      TableWrite.Kind.allCases.map { TableWrite($0, table.name) }
    }
    try connection.guardWrites(Set(writes), free: column) {
      (connection, write) throws(SQLiteError) in
      try connection.execute(try trigger(write, connection))
    }
  }

  private static func trigger(
    _ write: TableWrite, _ connection: Connection
  ) throws(SQLiteError) -> String {
    let name = write.table
    let counts = RowCounts.ofBook.contains(name)
    switch write.kind {
    case .insert:
      let table = try table(name, connection)
      return made(
        write, "INSERT",
        [seal(table.digest(of: "NEW"), table)] + (counts ? [RowCounts.step(.insert, name)] : []))
    case .update:
      let table = try table(name, connection)
      let new = table.digest(of: "NEW")
      let values = table.values.map(SQLName.quoted).joined(separator: ", ")
      return made(
        write, "UPDATE OF \(values)",
        [
          seal(
            Book.table(name)?.keepsDoubt == true
              ? "iif(OLD.\(column) IS \(table.digest(of: "OLD")), \(new), ~\(new))" : new, table)
        ])
    case .delete:
      // A row that goes takes its seal along.
      return counts ? made(write, "DELETE", [RowCounts.step(.delete, name)]) : ""
    }
  }

  private static func made(_ write: TableWrite, _ event: String, _ steps: [String]) -> String {
    "CREATE TEMP TRIGGER IF NOT EXISTS \(trigger(write)) AFTER \(event) ON main.\(write.table) "
      + "BEGIN \(steps.map { "\($0); " }.joined())END"
  }

  private static func seal(_ digest: String, _ table: Table) -> String {
    let row = table.key.map { "\($0) = NEW.\($0)" }.joined(separator: " AND ")
    return "UPDATE \(table.name) SET \(column) = \(digest) WHERE \(row)"
  }

  private static func trigger(_ write: TableWrite) -> String { "\(write.table)_\(write.kind)" }

  /// Gives some columns of some rows other values, as SQL, and the rows their seals. One that did not
  /// hold before does not hold afterwards: a new name makes no damage look sound.
  static func rewrite(
    _ name: String, _ values: [String: String], where condition: String, _ connection: Connection
  ) throws {
    let table = try table(name, connection)
    let list = table.values.map { values[$0] ?? "\(name).\(SQLName.quoted($0))" }
    let anew = "trawl_hash(\(list.joined(separator: ", ")))"
    let sets = values.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }
    // Its trigger knows the row as it is, and not whether it held.
    let write = TableWrite(.update, name)
    try connection.unguarded(write) {
      try connection.execute("DROP TRIGGER IF EXISTS temp.\(trigger(write))")
      try connection.execute(
        "UPDATE \(name) SET \(sets.joined(separator: ", ")), \(column) = CASE \(column) "
          + "WHEN \(table.digest(of: name)) THEN \(anew) ELSE ~\(anew) END WHERE \(condition)")
    }
  }

  // MARK: Upgrades

  /// Puts 1 into the seal of each row that holds, 0 where it does not, and leaves a row without one as
  /// it is. Between here and `renew` a row may be changed and copied: its standing goes with it.
  static func mark(_ connection: Connection) throws {
    for table in try tables(connection) {
      try connection.execute(
        "UPDATE \(table.name) SET \(column) = (\(column) = \(table.digest(of: table.name)))")
    }
  }

  /// Seals all rows as they are now. A row that did not hold before gets a seal that does not hold
  /// either: an upgrade makes no damage look sound.
  static func renew(_ connection: Connection) throws {
    for table in try tables(connection) {
      let digest = table.digest(of: table.name)
      try connection.execute(
        "UPDATE \(table.name) SET \(column) = "
          + "CASE \(column) WHEN 1 THEN \(digest) WHEN 0 THEN ~\(digest) END")
    }
  }
}
