internal import SQLite

/// The full-text index of one table: finds any run of three characters or more, so also inside the
/// words of languages that write them together. It holds no text of its own, and triggers keep it.
struct SearchIndex {
  let table: String
  let columns: [String]

  init?(_ design: TableDesign) {
    guard !design.searched.isEmpty else { return nil }
    self.init(table: design.name, columns: design.searched)
  }

  init(table: String, columns: [String]) {
    self.table = table
    self.columns = columns
  }

  static func name(of table: String) -> String { RowChanges.uncountedPrefix + table }

  /// What FTS5 keeps an index without a text of its own in.
  static let partEnds = ["_data", "_idx", "_docsize", "_config"]
  static let triggerEnds = ["_new", "_gone", "_changed"]

  private var name: String { Self.name(of: table) }
  private var target: String { SQLName.always(quoted: table) }
  private var list: String { TableDesign.list(columns) }

  /// The index, and the triggers that bring every new, changed and deleted row into it.
  var statements: [String] {
    let marked = columns.map { SQLName.quoted($0) }
    func values(_ row: String) -> String {
      (["rowid"] + marked).map { "\(row).\($0)" }.joined(separator: ", ")
    }
    let add = "INSERT INTO \(name) (rowid, \(list)) VALUES (\(values("new")));"
    let remove =
      "INSERT INTO \(name) (\(name), rowid, \(list)) VALUES ('delete', \(values("old")));"
    let differs = marked.map { "old.\($0) IS NOT new.\($0)" }.joined(separator: " OR ")
    return [
      "CREATE VIRTUAL TABLE \(name) USING fts5(\(list), content=\(SQLName.literal(table)), "
        + "content_rowid='rowid', tokenize='trigram')",
      "CREATE TRIGGER \(name)_new AFTER INSERT ON \(target) BEGIN \(add) END",
      "CREATE TRIGGER \(name)_gone AFTER DELETE ON \(target) BEGIN \(remove) END",
      "CREATE TRIGGER \(name)_changed AFTER UPDATE OF \(list) ON \(target) "
        + "WHEN \(differs) BEGIN \(remove) \(add) END",
    ]
  }

  /// Makes the index what the design asks for. True if it was made anew.
  static func upgrade(_ design: TableDesign, _ connection: Connection) throws(SQLiteError) -> Bool {
    guard let index = SearchIndex(design) else {
      try drop(design.name, connection)
      return false
    }
    let found = try connection.rows(
      "SELECT sql FROM sqlite_schema WHERE name = ?1 OR (type = 'trigger' AND tbl_name = ?2 "
        + "AND substr(name, 1, length(?1)) = ?1)", [.text(index.name), .text(design.name)]
    ) { $0.text(0) ?? "" }
    if Set(found) == Set(index.statements), try index.isSound(connection) { return false }
    try drop(design.name, connection)
    for statement in index.statements { try connection.execute(statement) }
    try connection.run("INSERT INTO \(index.name) (\(index.name)) VALUES ('rebuild')")
    return true
  }

  static func drop(_ table: String, _ connection: Connection) throws(SQLiteError) {
    let name = name(of: table)
    for end in triggerEnds {
      try connection.execute("DROP TRIGGER IF EXISTS \(name)\(end)")
    }
    try connection.execute("DROP TABLE IF EXISTS \(name)")
  }

  /// Whether index and table agree on the places of their rows. A database that was written out as
  /// SQL and read again has other places, without gaps: then the last ones differ.
  func isSound(_ connection: Connection) throws(SQLiteError) -> Bool {
    try connection.integer(
      "SELECT (SELECT max(id) FROM \(name)_docsize) IS (SELECT max(rowid) FROM \(target))") == 1
  }
}
