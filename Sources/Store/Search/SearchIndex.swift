internal import Model
internal import SQLite

/// The full-text index of one table: it knows which rows hold which runs of three characters, so that
/// words are found inside others, also in languages that write them together. It holds no text of its
/// own and no places in it (`detail=none`: a third of the work and a fifth of the room), so what it
/// gives are rows that may hold a phrase, and `SearchWords` looks at them.
///
/// Triggers write what differs from it into its rest: which row, and the words by which the index
/// knows it. The rest is brought in by groups, since the work hangs on the number of groups more than
/// on that of rows; and whatever is killed between leaves a rest that says all that is missing.
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

  /// What FTS5 keeps an index without a text of its own in, and our rest.
  static let partEnds = ["_data", "_idx", "_docsize", "_config", restEnd]
  static let triggerEnds = ["_new", "_gone", "_changed"]
  private static let restEnd = "_due"

  /// So many rows are a group: they hold the write lock for a fifth of a second.
  static let groupMax = 8_000
  /// What FTS5 collects in memory before it writes: the words of a group.
  private static let memoryMax = 4_000_000
  /// So many pieces of an index are merged at once, little by little. With 8, FTS5 spent an eighth of its
  /// work on merging; a search looks into each of them, which takes it no time.
  private static let mergedPieces = 16
  /// Where so many are left all the same they are merged in one go: far more than the rule above leaves.
  private static let piecesMax = 64

  var name: String { Self.name(of: table) }
  var rest: String { name + Self.restEnd }
  private var target: String { SQLName.always(quoted: table) }
  private var list: String { TableDesign.list(columns) }
  private var olds: String { columns.indices.map { "old_\($0 + 1)" }.joined(separator: ", ") }

  /// The index, its rest, and the triggers that write every new, changed and deleted row there.
  var statements: [String] {
    let marked = columns.map { SQLName.quoted($0) }
    let old = (["old.rowid", "1"] + marked.map { "old.\($0)" }).joined(separator: ", ")
    // What the index knows is what was there before the first of several changes.
    let keep =
      "INSERT INTO \(rest) (place, is_known, \(olds)) VALUES (\(old)) ON CONFLICT DO NOTHING;"
    let add =
      "INSERT INTO \(rest) (place, is_known) VALUES (new.rowid, 0) ON CONFLICT DO NOTHING;"
    let differs = marked.map { "old.\($0) IS NOT new.\($0)" }.joined(separator: " OR ")
    let values = columns.indices.map { "old_\($0 + 1) ANY" }.joined(separator: ", ")
    return [
      "CREATE VIRTUAL TABLE \(name) USING fts5(\(list), content=\(SQLName.literal(table)), "
        + "content_rowid='rowid', tokenize='trigram', detail='none')",
      "CREATE TABLE \(rest) (place INTEGER PRIMARY KEY, is_known INTEGER NOT NULL, \(values)) STRICT",
      "CREATE TRIGGER \(name)_new AFTER INSERT ON \(target) BEGIN \(add) END",
      "CREATE TRIGGER \(name)_gone AFTER DELETE ON \(target) BEGIN \(keep) END",
      "CREATE TRIGGER \(name)_changed AFTER UPDATE OF \(list) ON \(target) "
        + "WHEN \(differs) BEGIN \(keep) END",
    ]
  }

  // MARK: Making

  /// Makes the index what the design asks for. True if it was made anew: then all rows are its rest.
  static func upgrade(_ design: TableDesign, _ connection: Connection) throws(SQLiteError) -> Bool {
    guard let index = SearchIndex(design) else {
      try drop(design.name, connection)
      return false
    }
    let found = try connection.rows(
      "SELECT sql FROM sqlite_schema WHERE name IN (?1, ?2) OR (type = 'trigger' AND tbl_name = ?3 "
        + "AND substr(name, 1, length(?1)) = ?1)",
      [.text(index.name), .text(index.rest), .text(design.name)]
    ) { $0.text(0) ?? "" }
    if Set(found) == Set(index.statements), try index.isSound(connection) { return false }
    try index.make(connection)
    return true
  }

  func make(_ connection: Connection) throws(SQLiteError) {
    try Self.drop(table, connection)
    for statement in statements { try connection.execute(statement) }
    for (option, value) in [
      ("hashsize", Self.memoryMax), ("automerge", Self.mergedPieces),
      ("crisismerge", Self.piecesMax),
    ] {
      try connection.run(
        "INSERT INTO \(name) (\(name), rank) VALUES ('\(option)', ?)", [SQLValue(value)])
    }
    try connection.run("INSERT INTO \(rest) (place, is_known) SELECT rowid, 0 FROM \(target)")
  }

  static func drop(_ table: String, _ connection: Connection) throws(SQLiteError) {
    let name = name(of: table)
    for end in triggerEnds {
      try connection.execute("DROP TRIGGER IF EXISTS \(name)\(end)")
    }
    try connection.execute("DROP TABLE IF EXISTS \(name)")
    try connection.execute("DROP TABLE IF EXISTS \(name)\(restEnd)")
  }

  /// All indexes that a file holds.
  static func all(_ connection: Connection) throws(SQLiteError) -> [SearchIndex] {
    let prefix = RowChanges.uncountedPrefix
    var found: [SearchIndex] = []
    for (name, sql) in try connection.definitions(of: "table").sorted(by: { $0.key < $1.key })
    where name.hasPrefix(prefix) && sql.hasPrefix("CREATE VIRTUAL TABLE") {
      found.append(
        SearchIndex(
          table: String(name.dropFirst(prefix.utf8.count)),
          columns: try connection.columns(of: name)))
    }
    return found
  }

  // MARK: The rest

  func hasRest(_ connection: Connection) throws(SQLiteError) -> Bool {
    try connection.integer("SELECT EXISTS (SELECT 1 FROM \(rest))") == 1
  }

  /// Brings one group of the rest into the index. In a transaction.
  func bringUp(_ connection: Connection) throws(SQLiteError) {
    // cut: the next group begins behind it
    let group = "SELECT place FROM \(rest) ORDER BY place LIMIT \(Self.groupMax)"
    guard let last = try connection.integer("SELECT max(place) FROM (\(group))") else { return }
    let upTo = [SQLValue(last)]
    let news = columns.map { "t.\(SQLName.quoted($0))" }.joined(separator: ", ")
    // In the order of their places, which FTS5 asks for: else it writes each row by itself.
    try connection.run(
      "INSERT INTO \(name) (\(name), rowid, \(list)) SELECT 'delete', place, \(olds) "
        + "FROM \(rest) WHERE is_known AND place <= ? ORDER BY place", upTo)
    try connection.run(
      "INSERT INTO \(name) (rowid, \(list)) SELECT t.rowid, \(news) FROM \(rest) r "
        + "CROSS JOIN \(target) t ON t.rowid = r.place WHERE r.place <= ? ORDER BY r.place", upTo)
    try connection.run("DELETE FROM \(rest) WHERE place <= ?", upTo)
  }

  /// Whether index, rest and table agree on the places of their rows. A database that was written out
  /// as SQL and read again has other places, without gaps: then the last ones differ.
  func isSound(_ connection: Connection) throws(SQLiteError) -> Bool {
    try connection.integer(
      """
      SELECT (SELECT max(id) FROM \(name)_docsize) IS (SELECT max(place) FROM (
        SELECT (SELECT max(rowid) FROM \(target)
          WHERE rowid NOT IN (SELECT place FROM \(rest))) AS place
        UNION ALL SELECT max(place) FROM \(rest) WHERE is_known))
      """) == 1
  }
}
