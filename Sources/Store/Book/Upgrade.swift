internal import Base

/// Upgrades the book of an older file to today's shape, in one transaction: a kill leaves the file
/// as it was.
struct Upgrade {
  /// Step N makes version N + 1 of version N. Append-only: a released step is never edited.
  ///
  /// A step is SQL that adds the tables and columns of its version and fills them. It can ignore
  /// constraints, comments, indexes and dropped columns, since every table is rebuilt as `Book` has
  /// it, and seals, except that each row it adds must have 1 there.
  static let steps: [String] = []

  static func version(after steps: [String] = Self.steps) -> Int64 { Int64(steps.count) + 1 }

  let connection: Connection
  let faults: FaultPoint
  let steps: [String]

  /// Does nothing if the file is current; only one of several processes upgrades it. Returns a sentence for each of the
  /// user's own indexes, triggers and views that no longer fits.
  func run() throws -> [String] {
    let version = Self.version(after: steps)
    guard try found() < version else {
      try mend()
      return []
    }
    // Tables that refer to each other are rebuilt one by one; the user's own views that name them
    // stay as they are.
    try connection.enforceForeignKeys(false)
    try connection.execute("PRAGMA legacy_alter_table = ON")
    let notes = try connection.transaction { () throws -> [String] in
      // Another process may have been faster.
      let found = try found()
      guard found < version else { return [] }
      let additions = try UserAdditions(ofBook: connection)
      try ViewDesign.dropAll(connection)
      try connection.execute("DROP VIEW IF EXISTS trawl_trust")
      try Seals.mark(connection)
      for step in steps.dropFirst(Int(found) - 1) {
        try connection.execute(step)
        faults.reach(.duringUpgrade)
      }
      try Shapes(connection: connection).adopt()
      let notes = try additions.restore()
      try connection.execute("PRAGMA user_version = \(version)")
      faults.reach(.duringUpgrade)
      return notes
    }
    // If any of this fails, the connection is closed, so its settings do not matter.
    try connection.execute("PRAGMA legacy_alter_table = OFF")
    try connection.enforceForeignKeys(true)
    return notes
  }

  /// An index or view of ours that was dropped is made again; no data is lost with it.
  private func mend() throws {
    guard try !FileStructure.lostShapes(connection).isEmpty else { return }
    try connection.transaction {
      for lost in try FileStructure.lostShapes(connection) { try connection.execute(lost.cure) }
    }
  }

  private func found() throws(SQLiteError) -> Int64 {
    try connection.integer("PRAGMA user_version") ?? 0
  }
}
