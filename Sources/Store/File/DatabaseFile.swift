internal import Base

/// The file on disk: made completely or not at all, identified before anything is written to it.
struct DatabaseFile {
  /// "TrDb": identifies our databases.
  static let applicationID: Int64 = 0x5472_4462
  /// "Trwl": what databases had before version 1.
  static let developmentID: Int64 = 0x5472_776c

  let folder: DataFolder
  var steps = Upgrade.steps
  var path: String { folder.databasePath }

  enum Use { case write, read }

  /// Opens the database; for writing, creates it first. `waitMax` bounds the wait for every lock.
  func open(
    for use: Use, _ settings: RecordStore.Settings
  ) throws(StoreError) -> Connection {
    do {
      try SQLiteVersion.check()
    } catch {
      throw StoreError(.library, "SQLite", error.message)
    }
    if !Self.placing.withLock({ _ in folder.hasDatabase }) {
      guard use == .write else {
        throw folder.lostDatabase
          ?? StoreError(.missing, path, "there is no database yet; `trawl run JOB` makes it")
      }
      try create()
    }
    do {
      let connection = try connect(for: use, settings)
      try recognise(connection, for: use)
      try ConnectionSettings.apply(to: connection, for: use)
      if use == .write {
        let upgrade = Upgrade(connection: connection, faults: settings.faults, steps: steps)
        for note in try upgrade.run() { settings.onUpgrade(note) }
      }
      return connection
    } catch let error as SQLiteError {
      throw StoreError(error, on: path)
    } catch let error as StoreError {
      throw error
    } catch {
      throw StoreError(.bug, path, "\(error)")
    }
  }

  private static let openingsMax = 10

  /// Opens the file and reads it. Of a database with a log the lock that this leaves keeps a restore from replacing it.
  private func connect(
    for use: Use, _ settings: RecordStore.Settings
  ) throws -> Connection {
    for _ in 0..<Self.openingsMax {
      let connection = try Connection(
        path, use == .write ? .readWrite : .readOnly, waiting: settings.waitMax)
      connection.wait.report = settings.onWait
      connection.wait.isHurried = settings.isHurried
      connection.tell(settings.mayGoOn)
      try checkHeader(connection)
      try connection.skipCheckpointOnClose(true)
      try connection.keepLogFiles()
      let first = Result { () throws(SQLiteError) in
        try connection.integer("PRAGMA schema_version")
      }
      // A restore may have replaced the file while this waited for its lock. Then what was read is of two files: SQLite
      // finds the log by its name.
      if !connection.hasMoved {
        _ = try first.get()
        return connection
      }
      connection.close()
    }
    throw StoreError(
      .busy, path,
      "another file was put in its place each time it was opened; repeat the command when that has ended"
    )
  }

  /// Reads without leaving a trace: a file that is not ours, or not usable here, is closed as it
  /// was found.
  private func recognise(_ connection: Connection, for use: Use) throws {
    let id = try connection.integer("PRAGMA application_id") ?? 0
    let found = try connection.integer("PRAGMA user_version") ?? 0
    guard id == Self.applicationID, found >= 1 else { throw foreign(id, found) }
    let version = Upgrade.version(after: steps)
    guard found <= version else { throw Self.newer(found, path) }
    let tables = try Seals.definitions(connection)
    if found == version {
      let missing = Book.tables.map(\.name).filter { tables[$0] == nil }
      guard missing.isEmpty else { throw Self.missing(missing, path) }
    } else if use == .read {
      // Only commands that write upgrade.
      throw StoreError(
        .older, path,
        "written by an older Trawl (schema \(found), this one reads \(Book.version)). The next run "
          + "upgrades it: trawl run JOB")
    }
    let unsealed = try FileStructure.unsealedTables(tables, connection)
    if use == .write, let table = unsealed.first {
      // New seals would validate whatever the rows hold by now.
      throw StoreError(
        .damaged, path,
        "\(table): \(FileStructure.lostSeals); left as it is. Restore a backup")
    }
    try connection.skipCheckpointOnClose(false)
  }

  static func missing(_ tables: [String], _ path: String) -> StoreError {
    StoreError(
      .damaged, path,
      "bookkeeping tables are missing (\(tables.joined(separator: ", "))); left as it is. "
        + "Restore a backup")
  }

  private func foreign(_ id: Int64, _ found: Int64) -> StoreError {
    if id == Self.developmentID { return Self.development(found, path) }
    return StoreError(
      .foreign, path, "not a database of Trawl; left as it is. Use another --data")
  }

  static func development(_ found: Int64, _ path: String) -> StoreError {
    StoreError(
      .foreign, path,
      "written by a development version of Trawl (its schema \(found)), which no release reads: begin in a "
        + "fresh data folder (another --data, or move this one away); left as it is")
  }

  static func newer(_ found: Int64, _ path: String) -> StoreError {
    StoreError(
      .newer, path,
      "written by a newer Trawl (schema \(found), this one knows \(Book.version)); left as it is")
  }

  private func checkHeader(_ connection: Connection) throws {
    guard let header = DatabaseHeader(try connection.firstBytes(DatabaseHeader.size)) else {
      throw StoreError(.damaged, path, StoreError.notADatabase)
    }
    guard header.applicationID == Self.applicationID else {
      if header.applicationID == 0, RestoreSource.hasLostNumbers(path) {
        throw StoreError(.foreign, path, RestoreSource.lostNumbers(path))
      }
      throw foreign(header.applicationID, header.userVersion)
    }
    if header.userVersion > Upgrade.version(after: steps) {
      throw Self.newer(header.userVersion, path)
    }
  }

  /// Stores of this process open a new file only when its draft is closed: closing it releases all locks that the process
  /// has on it.
  private static let placing = Locked(false)

  /// Everything is made under another name and then renamed, under a lock: of several processes
  /// that start at once one makes it, and a kill leaves no half of it.
  private func create() throws(StoreError) {
    let lock = try CreationLock(folder)
    defer { withExtendedLifetime(lock) {} }
    if folder.hasDatabase { return }
    if let loss = folder.lostDatabase { throw loss }
    var file: DraftFile? = try DraftFile(for: path)
    do {
      let connection = try Connection(path + AtomicFile.ending, .readWrite)
      defer { connection.close() }
      try Functions.define(on: connection)
      try connection.execute(
        "PRAGMA application_id = \(Self.applicationID); PRAGMA user_version = \(Book.version)")
      try connection.transaction { try Shapes(connection: connection, isNew: true).adopt() }
      // Last, so that everything is in this one file: closing moves a log into it, but does not
      // report a full disk.
      try connection.useLog()
    } catch let error as SQLiteError {
      let isOfMachine = [.full, .inputOutput, .limited, .memory].contains(error.kind)
      throw isOfMachine
        ? StoreError(error, on: path) : StoreError(.cannotCreate, path, error.description)
    } catch {
      throw StoreError(.bug, path, "\(error)")
    }
    try Self.placing.withLock { (_) throws(StoreError) in
      defer { file = nil }
      try file?.place()
    }
  }
}
