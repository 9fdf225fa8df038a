internal import SQLite

/// Every row of bookkeeping carries a digest of its other values, so that `trawl prove` finds a
/// value that is another now in any row, also where no claim is counted from it.
///
/// Triggers of our own connections write it. They are no part of the file: whoever changes a row
/// by other means changes it without its seal, and shows.
enum BookkeepingSeal {
  static let column = "seal"
  static let columnSQL = "\(column) INTEGER /* digest of the row's other values */"

  /// Since this version of the file every row has one.
  static let version: Int64 = 2

  struct Table {
    var name: String
    var key: [String]
    /// What the digest is taken over, in order.
    var values: [String]
    var hasSeal: Bool

    /// The digest of a row that is called so.
    func digest(of row: String) -> String {
      "trawl_hash(\(values.map { "\(row).\(SQLName.quoted($0))" }.joined(separator: ", ")))"
    }
  }

  /// As the file holds them.
  static func tables(_ connection: Connection) throws(SQLiteError) -> [Table] {
    let columns = try connection.rows(
      "SELECT m.name, c.name, c.pk FROM sqlite_schema m, pragma_table_info(m.name) c "
        + "WHERE m.type = 'table' AND m.name GLOB 'trawl_*' AND m.name NOT GLOB 'trawl_search_*' "
        + "ORDER BY m.name, c.cid"
    ) { ($0.text(0) ?? "", $0.text(1) ?? "", $0.int(2)) }
    var tables: [Table] = []
    for (name, column, place) in columns {
      if tables.last?.name != name {
        tables.append(Table(name: name, key: [], values: [], hasSeal: false))
      }
      let last = tables.count - 1
      if column == Self.column {
        tables[last].hasSeal = true
        continue
      }
      tables[last].values.append(column)
      if place > 0 { tables[last].key.append(column) }
    }
    return tables
  }

  /// Of a table of a sealed file.
  static let isGone = "its column of seals is gone: the table's definition is not as it was made"

  static func isSealed(_ connection: Connection) throws(SQLiteError) -> Bool {
    try connection.integer("PRAGMA user_version") ?? 0 >= version
  }

  /// A file that was made before rows were sealed gets its seals here, as its rows are now.
  static func bring(_ connection: Connection) throws {
    if try tables(connection).contains(where: { !$0.hasSeal }) {
      try connection.transaction {
        // Another process may have been quicker.
        let isSealed = try isSealed(connection)
        for table in try tables(connection) where !table.hasSeal {
          // New seals would make true whatever the rows hold by now.
          guard !isSealed else {
            throw StoreError(
              .damaged, connection.path,
              "\(table.name): \(isGone); left as it is. Restore a backup")
          }
          try connection.execute(
            "ALTER TABLE \(table.name) ADD COLUMN \(columnSQL); "
              + "UPDATE \(table.name) SET \(column) = \(table.digest(of: table.name))")
        }
        // An older Trawl would write rows without one.
        try connection.execute("PRAGMA user_version = \(version)")
      }
    }
    for table in try tables(connection) { try connection.execute(triggers(table)) }
  }

  private static func triggers(_ table: Table) -> String {
    let row = table.key.map { "\($0) = NEW.\($0)" }.joined(separator: " AND ")
    func body(_ seal: String) -> String {
      "BEGIN UPDATE \(table.name) SET \(column) = \(seal) WHERE \(row); END;"
    }
    let new = table.digest(of: "NEW")
    // A certificate is a claim: what another hand made of it does not become true because we note
    // beside it that the job file has changed. The next walk issues another one.
    let other =
      table.name == "trawl_certificates"
      ? "iif(OLD.\(column) IS \(table.digest(of: "OLD")), \(new), ~\(new))" : new
    let values = table.values.map(SQLName.quoted).joined(separator: ", ")
    return "CREATE TEMP TRIGGER \(table.name)_new AFTER INSERT ON main.\(table.name) \(body(new))\n"
      + "CREATE TEMP TRIGGER \(table.name)_other AFTER UPDATE OF \(values) "
      + "ON main.\(table.name) \(body(other))"
  }
}
