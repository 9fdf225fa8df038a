internal import Model
internal import SQLite

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

  /// What a statement makes of a table, by the statement: a file is opened more often than tables change.
  private static let known = Locked<[String: Table]>([:])

  static func tables(_ connection: Connection) throws(SQLiteError) -> [Table] {
    let found = try connection.rows(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name GLOB 'trawl_*' "
        + "AND name NOT GLOB 'trawl_search_*' ORDER BY name"
    ) { ($0.text(0) ?? "", $0.text(1) ?? "") }
    var tables: [Table] = []
    for (name, sql) in found {
      if let table = known.withLock({ $0[sql] }), table.name == name {
        tables.append(table)
        continue
      }
      let table = try table(name, connection)
      known.withLock { $0[sql] = table }
      tables.append(table)
    }
    return tables
  }

  /// The seal of a row of a table of the book, as SQL.
  static func sql(of table: BookTable, _ connection: Connection) throws(SQLiteError) -> String {
    try tables(connection).first { $0.name == table.name }?.digest(of: table.name) ?? "NULL"
  }

  private static func table(
    _ name: String, _ connection: Connection
  ) throws(SQLiteError) -> Table {
    let columns = try connection.rows(
      "SELECT name, pk FROM pragma_table_info(?) ORDER BY cid", [.text(name)]
    ) { ($0.text(0) ?? "", $0.int(1)) }
    var table = Table(name: name, key: [], values: [], hasSeal: false)
    for (column, place) in columns {
      if column == Self.column {
        table.hasSeal = true
        continue
      }
      table.values.append(column)
      if place > 0 { table.key.append(column) }
    }
    return table
  }

  /// From now on every row that this connection writes is sealed, and counted.
  static func keep(_ connection: Connection) throws {
    let tables = try tables(connection)
    for table in tables { try connection.execute(triggers(table)) }
    guard tables.contains(where: { $0.name == Book.rowCounts.name }) else { return }
    for name in RowCounts.ofBook where tables.contains(where: { $0.name == name }) {
      try RowCounts(connection: connection).keep(name)
    }
  }

  private static func triggers(_ table: Table) -> String {
    let row = table.key.map { "\($0) = NEW.\($0)" }.joined(separator: " AND ")
    func body(_ seal: String) -> String {
      "BEGIN UPDATE \(table.name) SET \(column) = \(seal) WHERE \(row); END;"
    }
    let new = table.digest(of: "NEW")
    let changed =
      Book.table(table.name)?.keepsDoubt == true
      ? "iif(OLD.\(column) IS \(table.digest(of: "OLD")), \(new), ~\(new))" : new
    let values = table.values.map(SQLName.quoted).joined(separator: ", ")
    return "CREATE TEMP TRIGGER \(table.name)_new AFTER INSERT ON main.\(table.name) \(body(new))\n"
      + "CREATE TEMP TRIGGER \(table.name)_other AFTER UPDATE OF \(values) "
      + "ON main.\(table.name) \(body(changed))"
  }

  /// Gives some columns of some rows other values, as SQL, and the rows their seals. One that did not
  /// hold before does not hold afterwards: a new name makes no damage look sound.
  static func rewrite(
    _ name: String, _ values: [String: String], where condition: String, _ connection: Connection
  ) throws {
    guard let table = try tables(connection).first(where: { $0.name == name }) else { return }
    let list = table.values.map { values[$0] ?? "\(name).\(SQLName.quoted($0))" }
    let anew = "trawl_hash(\(list.joined(separator: ", ")))"
    let sets = values.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }
    // They know the row as it is, and not whether it held.
    for end in ["new", "other"] {
      try connection.execute("DROP TRIGGER IF EXISTS temp.\(name)_\(end)")
    }
    try connection.execute(
      "UPDATE \(name) SET \(sets.joined(separator: ", ")), \(column) = CASE \(column) "
        + "WHEN \(table.digest(of: name)) THEN \(anew) ELSE ~\(anew) END WHERE \(condition)")
    try connection.execute(triggers(table))
  }

  // MARK: Upgrades

  /// Puts 1 into the seal of each row that holds, 0 where it does not, and leaves what was never
  /// sealed. Between here and `renew` a row may be changed and copied: its standing goes with it.
  static func mark(_ connection: Connection) throws {
    for table in try tables(connection) where table.hasSeal {
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
