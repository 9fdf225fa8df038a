internal import Base

/// Every row of bookkeeping carries a digest of its other values, so that `trawl prove` finds a
/// changed value in any row, even if no claim depends on it.
///
/// The statements of `BookWriter` write it. A change by other means leaves the seal as it was, and
/// so is found.
enum Seals {
  static let column = "seal"

  /// A table as the file holds it.
  struct Table {
    var name: String
    var key: [String]
    /// What the digest covers, in order.
    var values: [String]
    var hasSeal: Bool

    /// The digest of a row with this alias.
    func digest(of row: String) -> String {
      "trawl_hash(\(values.map { "\(row).\(SQLName.quoted($0))" }.joined(separator: ", ")))"
    }
  }

  /// The CREATE statements of the book's tables, by name.
  typealias Definitions = [String: String]

  static func definitions(_ connection: Connection) throws(SQLiteError) -> Definitions {
    try connection.definitions(of: "table", named: "trawl_*")
  }

  static func tables(_ connection: Connection) throws(SQLiteError) -> [Table] {
    var tables: [Table] = []
    for name in try definitions(connection).keys.sorted() {
      let table = try table(name, connection)
      if table.hasSeal { tables.append(table) }
    }
    return tables
  }

  static func table(
    _ name: String, _ connection: Connection
  ) throws(SQLiteError) -> Table {
    let columns = try connection.rows(
      "SELECT name, pk FROM pragma_table_info(?) ORDER BY cid", [.text(name)]
    ) { (name: $0.text(0) ?? "", isKey: $0.int(1) > 0) }
    return Table(
      name: name, key: columns.filter(\.isKey).map(\.name),
      values: columns.map(\.name).filter { $0 != Self.column },
      hasSeal: columns.contains { $0.name == Self.column })
  }

  // MARK: Upgrades

  /// Writes 1 into the seal of each row whose seal is right, 0 where it is wrong, and leaves a row
  /// without one as it is. Between here and `renew` a row may be changed and copied: the mark goes
  /// with it.
  static func mark(_ connection: Connection) throws {
    for table in try tables(connection) {
      try connection.execute(
        "UPDATE \(table.name) SET \(column) = (\(column) = \(table.digest(of: table.name)))")
    }
  }

  /// Seals all rows as they are now. A row whose seal was wrong gets a wrong seal again: an upgrade
  /// must not hide damage.
  static func renew(_ connection: Connection) throws {
    for table in try tables(connection) {
      let digest = table.digest(of: table.name)
      try connection.execute(
        "UPDATE \(table.name) SET \(column) = "
          + "CASE \(column) WHEN 1 THEN \(digest) WHEN 0 THEN ~\(digest) END")
    }
  }
}
