internal import Glibc
internal import Base

/// A file to restore: a backup, a copy of a database, or one that the `sqlite3` shell made from its
/// own `.dump`, which lacks the two numbers that identify a database.
struct RestoreSource {
  /// It came out of a `.dump`.
  private var isDumped = false

  init(_ path: String) throws(StoreError) {
    let header: DatabaseHeader
    switch DatabaseHeader.read(path) {
    case .missing: throw StoreError(.cannotRead, path, "there is no such file")
    case .unreadable(let code):
      throw StoreError(.cannotRead, path, "it cannot be read: \(SystemError.words(for: code))")
    case .noDatabase:
      throw StoreError(
        .foreign, path,
        "it is not a SQLite database. A .dump is text: first `sqlite3 new.db < \(path)`, then restore new.db"
      )
    case .database(let found): header = found
    }
    if FilePlace(path: path + "-wal") == nil, let due = header.bytesDue,
      let size = FilePlace(path: path)?.size, size < due
    {
      throw StoreError(
        .damaged, path,
        "it is cut off, with \(Wording.bytes(Int(size))) of \(Wording.bytes(Int(due))); use another backup"
      )
    }
    if header.applicationID == ReadersCopy.applicationID {
      throw StoreError(
        .foreign, path,
        "this is a copy for readers: it lacks what a run needs. Restore what `trawl backup` made")
    }
    if header.applicationID == DatabaseFile.applicationID {
      guard header.userVersion <= Book.version else {
        throw DatabaseFile.newer(header.userVersion, path)
      }
      return
    }
    if header.applicationID == DatabaseFile.developmentID {
      throw DatabaseFile.development(header.userVersion, path)
    }
    guard let found = Self.tables(of: path), Self.isOfTrawl(found) else {
      throw StoreError(.foreign, path, "not a database of Trawl; left as it is")
    }
    // The numbers can be set only if the tables are of today's version.
    guard Book.tables.allSatisfy({ found[$0.name] == $0.sql }) else {
      throw StoreError(.foreign, path, Self.lostNumbers(path))
    }
    isDumped = true
  }

  var notes: [String] {
    isDumped ? ["it came out of a .dump: its two numbers are set"] : []
  }

  /// Whether a file without the numbers has tables that only Trawl makes.
  static func hasLostNumbers(_ path: String) -> Bool { tables(of: path).map(isOfTrawl) ?? false }

  private static func isOfTrawl(_ tables: [String: String]) -> Bool {
    tables["trawl_certificates"] != nil && tables["trawl_jobs"] != nil
  }

  private static func tables(of path: String) -> [String: String]? {
    // A file that cannot be read is not ours.
    guard let connection = try? Connection(path, .readOnly) else { return nil }
    defer { connection.close() }
    // As above.
    return try? connection.definitions(of: "table")
  }

  static func lostNumbers(_ path: String) -> String {
    "it has Trawl's tables and not the two numbers that tell what it is: a .dump of sqlite3 leaves them "
      + "out. Set them: sqlite3 \(path) 'PRAGMA application_id = \(DatabaseFile.applicationID); "
      + "PRAGMA user_version = N', where N is what `PRAGMA user_version` says of the original "
      + "(\(Book.version) where this Trawl wrote it)"
  }

  /// Sets the two numbers of a dumped file.
  func identify(_ connection: Connection) throws(SQLiteError) {
    guard isDumped else { return }
    try connection.execute(
      "PRAGMA application_id = \(DatabaseFile.applicationID); PRAGMA user_version = \(Book.version)"
    )
  }
}
