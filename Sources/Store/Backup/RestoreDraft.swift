internal import Glibc
internal import Base

/// A database being restored: built and proved beside the present one, then put in its place.
/// Blocks; used by one command, from its own thread, which holds the locks of all jobs.
public final class RestoreDraft {
  public let folder: DataFolder
  public let file: DraftFile
  private let path: String
  private let settings: RecordStore.Settings
  /// `ledger.db`, as the backup has it.
  public let ledger: [UInt8]?
  /// When the backup was made; nil for a file that was copied by other means.
  public let madeAt: String?
  /// The replaced database could not be read for what was forgotten in it.
  public private(set) var isForgottenUnknown = false
  /// What was upgraded or repaired.
  public let notes: [String]
  /// Nil: there was none when this one was proved.
  private var former: FormerDatabase?

  /// Throws unless the file can be restored; writes nothing.
  public static func check(_ path: String) throws(StoreError) { _ = try RestoreSource(path) }

  public init(
    from path: String, into folder: DataFolder, _ settings: RecordStore.Settings
  ) throws(StoreError) {
    let source = try RestoreSource(path)
    self.folder = folder
    self.settings = settings
    self.path = path
    if let log = folder.logWithoutDatabase { throw log }
    file = try DraftFile(for: folder.databasePath, settings.faults)
    do {
      let connection = try Connection(path, .readOnly)
      defer { connection.close() }
      try connection.run("VACUUM INTO ?", [.text(file.draft)])
    } catch {
      switch error.kind {
      case .damaged, .notADatabase:
        throw StoreError(.damaged, path, "it is damaged; use another backup")
      case .busy, .cannotOpen, .permission, .readOnly: throw StoreError(error, on: path)
      default: throw StoreError(error, on: folder.databasePath)
      }
    }
    let parts = try file.edit { connection throws(SQLiteError) in
      try source.identify(connection)
      let parts = try RestoreDraft.takeOut(connection)
      // Last, so that the draft is a single file, which the next connection opens in WAL mode.
      try connection.useLog()
      return parts
    }
    (ledger, madeAt) = (parts?.ledger, parts?.madeAt)
    notes = source.notes
  }

  private static func takeOut(
    _ connection: Connection
  ) throws(SQLiteError) -> (madeAt: String, ledger: [UInt8]?)? {
    guard try !connection.columns(of: BackupDraft.table).isEmpty else { return nil }
    let parts = try connection.row("SELECT made_at, ledger FROM \(BackupDraft.table)") {
      row -> (madeAt: String, ledger: [UInt8]?) in
      guard case .blob(let bytes) = row.value(1) else { return (row.text(0) ?? "", nil) }
      return (row.text(0) ?? "", bytes)
    }
    try connection.execute("DROP TABLE \(BackupDraft.table)")
    return parts
  }

  /// Upgrades an older draft, and reads every row of it again.
  public func prove() async throws(StoreError) -> Proof {
    let store = try await RecordStore.open(DataFolder(file: file.draft), settings)
    return try await closing({ await store.close() }) { () async throws(StoreError) in
      try await store.raiseGenerations()
      // The backup keeps what is forgotten from now on, so `trawl forget` names it.
      try await store.note(copy: FolderNames.resolved(path) ?? path)
      if folder.hasDatabase {
        let former = try FormerDatabase(folder, settings)
        if let (stones, copies) = former.forgotten {
          try await store.forgetAgain(stones, copies: copies)
        } else {
          isForgottenUnknown = true
        }
        self.former = former
      }
      if try await store.unwipedFiles() != nil { _ = try await store.wipe() }
      return try await store.prove()
    }
  }

  /// Replaces the database, unless it was written since `prove`. At every moment a whole one is at its path, the old or
  /// the new.
  /// - Returns: where the old one is now; nil if there was none.
  public func place() throws(StoreError) -> String? {
    defer { former = nil }
    DraftFile.removeCompanions(of: file.draft)
    if former == nil, folder.hasDatabase { throw FormerDatabase.written(folder) }
    try former?.lock()
    let aside = try former?.link(at: settings.time.now())
    try file.place()
    // Whoever waited for its lock now looks which file is at the path.
    former = nil
    makeLogFiles()
    return aside
  }

  /// Makes the log files: without them, users without write access could not read the database before its next run.
  private func makeLogFiles() {
    // A failure is harmless: the next run makes what is missing.
    guard let connection = try? Connection(folder.databasePath, .readWrite) else { return }
    defer { connection.close() }
    // As above.
    try? connection.keepLogFiles()
    // As above.
    _ = try? connection.integer("PRAGMA user_version")
  }
}

/// The database that is about to be replaced, open since before what it has forgotten is taken over: a write after that
/// would be lost.
private final class FormerDatabase {
  private static let waitMax = Duration.seconds(5)
  private static let version = "PRAGMA data_version"

  private let folder: DataFolder
  /// Nil: too damaged for SQLite to read. Closing it ends its locks.
  private var connection: Connection?
  private var version: Int64?

  init(_ folder: DataFolder, _ settings: RecordStore.Settings) throws(StoreError) {
    self.folder = folder
    do {
      let connection = try Connection(
        folder.databasePath, .readWrite, waiting: min(settings.waitMax, Self.waitMax))
      // If it is not replaced after all, its log stays as it is.
      try connection.skipCheckpointOnClose(true)
      version = try connection.integer(Self.version)
      self.connection = connection
    } catch { try refuse(error) }
  }

  /// Throws unless it is damaged: then it is set aside as it is.
  private func refuse(_ error: SQLiteError) throws(StoreError) {
    connection = nil
    switch error.kind {
    case .damaged, .notADatabase: break
    case .busy:
      throw StoreError(
        .busy, folder.databasePath,
        "another program has it open, which trawl check names: end it and restore again; nothing "
          + "was changed")
    default: throw StoreError(error, on: folder.databasePath)
    }
  }

  static func written(_ folder: DataFolder) -> StoreError {
    StoreError(
      .busy, folder.databasePath,
      "it was written while the backup was proved, and stays as it is: restore again")
  }

  /// What was forgotten in it, and its copies; nil: it cannot be read for that.
  var forgotten: (stones: [Tombstone], copies: [(subject: String, fact: SQLValue)])? {
    guard let connection else { return nil }
    do throws(SQLiteError) {
      // An older database has no such table.
      if try connection.columns(of: Book.facts.name).isEmpty { return ([], []) }
      let stones = try Tombstone.all(connection).filter { !$0.mayReturn }
      // Without copies, only what was forgotten is taken over.
      return (stones, (try? connection.facts(FactKey(.copy))) ?? [])
    } catch { return nil }
  }

  /// Locks it, and moves the log into it, so that the file is complete under another name.
  func lock() throws(StoreError) {
    guard let connection else { return }
    do {
      // The lock stays when the transaction ends and the log is no longer used. Otherwise another process could begin to
      // read the file in between, and would keep reading it after the swap.
      try connection.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
      let isSame = try connection.integer(Self.version) == version && !connection.hasMoved
      try connection.execute("ROLLBACK")
      // Without a rollback journal: a kill would leave it, and who may only read the database could not open it then.
      if isSame { return try connection.execute("PRAGMA journal_mode = MEMORY") }
    } catch { return try refuse(error) }
    throw Self.written(folder)
  }

  /// Links it under a second name, and renames its log, if any.
  func link(at now: Instant) throws(StoreError) -> String {
    let path = folder.databasePath
    let stem = path + DataFolder.asideMark + CivilTime(now).compact
    var aside = stem
    var number = 1
    while Glibc.link(path, aside) != 0 {
      guard errno == EEXIST else {
        throw StoreError(
          .cannotWrite, aside, "the old database cannot be set aside: \(SystemError.latest)")
      }
      number += 1
      aside = "\(stem)-\(number)"
    }
    for end in ["-wal", "-shm", "-journal"] where rename(path + end, aside + end) != 0 {
      guard errno == ENOENT else {
        throw StoreError(
          .cannotWrite, path + end, "it cannot be set aside: \(SystemError.latest)")
      }
    }
    do { try AtomicFile.syncFolder(of: path) } catch { throw StoreError(error, on: path) }
    return aside
  }
}

extension DataFolder {
  fileprivate static let asideMark = ".before-"

  /// Databases that a restore set aside, without second names of the one in use, as a killed restore leaves one.
  func setAside() -> [String] {
    let own = FileIdentity(path: databasePath)
    return FolderNames.all(of: path).map { "\(path)/\($0)" }.sorted().filter {
      $0.utf8.starts(with: (databasePath + Self.asideMark).utf8) && FileIdentity(path: $0) != own
    }
  }
}
