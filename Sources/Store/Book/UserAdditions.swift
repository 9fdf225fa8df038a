internal import Base

/// What a user added to Trawl's tables: indexes, triggers, and views that read them. Rebuilding a
/// table drops its indexes and triggers, and a trigger would fire when rows are copied. So both are
/// set aside before and made again afterwards, if they still fit. Views stay as they are.
struct UserAdditions {
  private struct Object {
    let type: String
    let name: String
    let table: String
    let sql: String
  }

  private let connection: Connection
  private let objects: [Object]
  /// Views that worked before.
  private let views: [String]

  /// Takes those on the book's tables out of the file, inside the transaction of an upgrade.
  init(ofBook connection: Connection) throws(SQLiteError) {
    let own = Set(Book.tables.flatMap { $0.indexes.map(\.name) })
    try self.init(connection, "tbl_name GLOB 'trawl_*'") {
      $0.type == "index" && own.contains($0.name)
    }
  }

  /// Takes those on one of a job's tables out of the file, inside the transaction of a migration.
  init(of table: String, _ connection: Connection) throws(SQLiteError) {
    try self.init(connection, "tbl_name = \(SQLName.literal(table))") {
      $0.sql.holds(TableDesign.indexMark)
    }
  }

  private init(
    _ connection: Connection, _ condition: String, isOurs: (Object) -> Bool
  ) throws(SQLiteError) {
    self.connection = connection
    objects = try connection.rows(
      "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE type IN ('index', 'trigger') "
        + "AND sql IS NOT NULL AND \(condition) ORDER BY rowid", as: Object.init
    ).filter { !isOurs($0) }
    var readable: [String] = []
    for name in try Self.views(connection)
    where try Self.problem(connection, "SELECT * FROM \(SQLName.quoted(name))") == nil {
      readable.append(name)
    }
    views = readable
    for object in objects {
      try connection.execute("DROP \(object.type) \(SQLName.quoted(object.name))")
    }
  }

  /// What another program made and may have refused a statement: on a table that the error names, or in the place of
  /// what was to be made.
  static func refusing(
    _ error: SQLiteError, _ connection: Connection
  ) throws(SQLiteError) -> [String] {
    var suspects = "type = 'trigger'"
    if error.kind == .constraint {
      suspects =
        "(type = 'trigger' OR sql GLOB 'CREATE UNIQUE INDEX *') AND instr(?1, tbl_name) > 0"
    } else if error.kind != .trigger {
      // A trigger that fits its table is not to blame for a statement that does not compile.
      var runs = false
      if let sql = error.sql { runs = try problem(connection, sql) == nil }
      let tables = try connection.texts(
        "SELECT DISTINCT tbl_name FROM sqlite_schema WHERE type = 'trigger' "
          + "AND instr(?1, tbl_name) > 0", [.text(error.description)])
      var broken: [String] = []
      for table in tables {
        let fits = try problem(firing: table, connection) == nil
        if runs || !fits { broken.append(SQLName.literal(table)) }
      }
      suspects += " AND tbl_name IN (\(broken.joined(separator: ", ")))"
    }
    return try connection.texts(
      "SELECT type || ' ' || name FROM sqlite_schema WHERE \(suspects) "
        + "OR instr(replace(?1, '\"', ''), type || ' ' || name || ' already exists') > 0 "
        + "AND name NOT IN (SELECT table_name FROM trawl_tables) "
        + "ORDER BY 1", [.text(error.description)])
  }

  /// Makes them again. Returns a sentence for each that no longer fits the tables.
  func restore() throws(SQLiteError) -> [String] {
    var notes: [String] = []
    for object in objects {
      guard let problem = try problem(restoring: object) else { continue }
      notes.append(
        "your \(object.type) \(object.name) on \(object.table) no longer fits its table and was "
          + "removed (\(problem)); it was: \(object.sql)")
    }
    let present = Set(try Self.views(connection))
    for name in views where present.contains(name) {
      let problem = try Self.problem(connection, "SELECT * FROM \(SQLName.quoted(name))")
      guard let problem else { continue }
      notes.append(
        "your view \(name) can no longer be read (\(problem)); it was left as it is")
    }
    return notes
  }

  private static func views(_ connection: Connection) throws(SQLiteError) -> [String] {
    try connection.texts("SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name")
  }

  private func problem(restoring object: Object) throws(SQLiteError) -> String? {
    do {
      try connection.execute(object.sql)
    } catch  where error.kind == .other || error.kind == .constraint {
      return error.message
    }
    guard object.type == "trigger", let problem = try Self.problem(firing: object.table, connection)
    else { return nil }
    try connection.execute("DROP TRIGGER \(SQLName.quoted(object.name))")
    return problem
  }

  /// SQLite compiles the body of a trigger only with the statements that fire it, and one that names a missing table or
  /// column would make each of them fail.
  private static func problem(
    firing table: String, _ connection: Connection
  ) throws(SQLiteError) -> String? {
    let name = SQLName.quoted(table)
    let columns = try connection.columns(of: table).map { SQLName.quoted($0) }
    let all = columns.map { "\($0) = \($0)" }.joined(separator: ", ")
    for statement in [
      "INSERT INTO \(name) DEFAULT VALUES", "UPDATE \(name) SET \(all)", "DELETE FROM \(name)",
    ] {
      if let problem = try problem(connection, statement) { return problem }
    }
    return nil
  }

  /// Why a statement does not compile; nil if it does. It is not run.
  private static func problem(
    _ connection: Connection, _ statement: String
  ) throws(SQLiteError) -> String? {
    do {
      connection.release(try connection.prepare(statement))
      return nil
    } catch  where error.kind == .other {
      return error.message
    }
  }
}
