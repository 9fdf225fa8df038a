internal import Base

/// A backup being made: one file without a log that holds the database as it was at one moment,
/// even while a run writes. Blocks; used by one command, from its own thread.
public final class BackupDraft {
  /// One row that describes the backup. Not a table of the book: those begin with `trawl_`.
  static let table = "trawlbackup"

  static let unproven = ".unproven"

  public let file: DraftFile
  private let settings: RecordStore.Settings

  /// Copies the database.
  public init(
    of folder: DataFolder, at path: String, _ settings: RecordStore.Settings
  ) throws(StoreError) {
    try ReplacedFile.check(path, besides: folder, DatabaseFile.applicationID, "backup")
    self.settings = settings
    file = try DraftFile(for: path, settings.faults)
    let connection = try DatabaseFile(folder: folder).open(for: .read, settings)
    defer { connection.close() }
    do {
      try connection.run("VACUUM INTO ?", [.text(file.draft)])
    } catch {
      throw StoreError(error, on: error.kind == .damaged ? folder.databasePath : path)
    }
  }

  /// Adds a row that describes the backup, with the ledger and its quotas.
  public func add(ledger: [UInt8]?, program: String) throws(StoreError) {
    try file.edit { connection throws(SQLiteError) in
      try connection.execute(
        """
        DROP TABLE IF EXISTS \(Self.table);
        CREATE TABLE \(Self.table) (
          made_at TEXT NOT NULL,
          program TEXT NOT NULL,
          ledger BLOB -- ledger.db as it was; trawl restore puts it back
        ) STRICT
        """)
      try connection.run(
        "INSERT INTO \(Self.table) VALUES (?, ?, ?)",
        [
          .text(settings.time.now().description), .text(program),
          ledger.map { .blob($0) } ?? .null,
        ])
    }
  }

  /// Reads every row of the copy again.
  public func prove() async throws(StoreError) -> Proof {
    let store = try await RecordStore.openForReading(DataFolder(file: file.draft), settings)
    return try await closing({ await store.close() }) { () async throws(StoreError) in
      try await store.prove()
    }
  }

  /// Renames it to its final path.
  public func place() throws(StoreError) { try file.place() }

  /// Names it `.unproven`, since its proof failed; an earlier backup stays.
  public func placeAsUnproven() throws(StoreError) -> String {
    let path = file.path + Self.unproven
    try file.place(as: path)
    return path
  }
}
