internal import Model
internal import SQLite

/// Brings the book of an older file to today's shape, in one transaction: a kill or a full disk
/// leaves the file as it was.
struct Upgrade {
  let connection: Connection
  var faults = FaultPoint.none
  var steps = Ladder.steps

  /// Does nothing where nothing is to be done; of several processes one does it. Gives a sentence
  /// for each thing of a person's own that does not fit any more.
  func run() throws -> [String] {
    guard try version() < Book.version else {
      try mend()
      return []
    }
    // Tables that refer to each other are made anew one by one; and views of the user's own that
    // name them are left as they are.
    try connection.enforceForeignKeys(false)
    try connection.execute("PRAGMA legacy_alter_table = ON")
    let notes = try connection.transaction { () throws -> [String] in
      // Another process may have been quicker.
      let found = try version()
      guard found < Book.version else { return [] }
      let additions = try Additions(ofBook: connection)
      let shapes = Shapes(connection: connection, version: found)
      try ViewDesign.dropAll(connection)
      try connection.execute("DROP VIEW IF EXISTS trawl_trust")
      try Seals.mark(connection)
      var notes: [String] = []
      for step in steps where step.version > found {
        for change in step.changes {
          notes += try make(change, shapes)
          faults.reach(.duringUpgrade)
        }
      }
      try shapes.adopt()
      notes += try additions.restore()
      faults.reach(.duringUpgrade)
      return notes
    }
    // A connection on which any of this failed is closed.
    try connection.execute("PRAGMA legacy_alter_table = OFF")
    try connection.enforceForeignKeys(true)
    return notes
  }

  /// An index or the view that somebody dropped is made again; nothing is lost with it.
  private func mend() throws {
    guard try !FileStructure.lostShapes(connection).isEmpty else { return }
    try connection.transaction {
      for lost in try FileStructure.lostShapes(connection) { try connection.execute(lost.cure) }
    }
  }

  private func renewSearch() throws {
    let tables = try connection.definitions(of: "table")
    for index in try SearchIndex.all(connection) {
      // One whose table somebody has dropped finds nothing.
      guard tables[index.table] != nil else { continue }
      try index.make(connection)
      faults.reach(.duringUpgrade)
    }
  }

  private func version() throws(SQLiteError) -> Int64 {
    try connection.integer("PRAGMA user_version") ?? 0
  }

  private func make(_ change: Ladder.Change, _ shapes: Shapes) throws -> [String] {
    switch change {
    case .adds(let table, let columns):
      try connection.execute(
        "CREATE TABLE IF NOT EXISTS \(table) (\(columns), \(Seals.column) INTEGER)")
    case .seals:
      for table in try Seals.tables(connection) where !table.hasSeal {
        try connection.execute(
          "ALTER TABLE \(table.name) ADD COLUMN \(Seals.column) INTEGER DEFAULT 1")
      }
    case .moves(let table, let next, let renamed):
      let found = try connection.columns(of: table)
      guard !found.isEmpty else { throw DatabaseFile.missing([table], connection.path) }
      let columns = found.map {
        "\(SQLName.quoted($0)) AS \(SQLName.quoted(renamed[$0] ?? $0))"
      }
      try shapes.replace(table, by: next) {
        "CREATE TABLE \(next) AS SELECT \(columns.joined(separator: ", ")) FROM \($0)"
      }
    case .addsColumn(let column, let table, let value):
      guard try !connection.columns(of: table).isEmpty else {
        throw DatabaseFile.missing([table], connection.path)
      }
      try shapes.replace(table, by: table) {
        "CREATE TABLE \(table) AS SELECT *, \(value) AS \(column) FROM \($0)"
      }
    case .rewrites(let update): try connection.execute(update)
    case .searchesAnew: try renewSearch()
    case .shortensHistories:
      return try HistoryUpgrade(connection: connection, faults: faults).run()
    }
    return []
  }
}
