internal import CSQLite

/// The write-ahead log: what is kept of it, and when its content moves into the database.
extension Connection {
  public enum Checkpoint: Sendable {
    /// Moves what it can without waiting.
    case passive
    /// Moves everything and empties the log; waits for readers as `wait` allows.
    case truncate
  }

  /// Switches to the log, or finds that it is on. Two that switch a file at the same moment both
  /// read it first and then ask to write; there SQLite lets one of them fail at once, whatever it
  /// may wait, and only its trying again lets both go on.
  public func useLog() throws(SQLiteError) {
    let before = wait.total
    var tries: Int32 = 0
    while true {
      do {
        return try execute("PRAGMA journal_mode = WAL")
      } catch {
        guard error.kind == .busy, wait.total - before < wait.limit else { throw error }
        wait.pause(after: tries)
        tries += 1
      }
    }
  }

  /// The last connection that closes leaves `-wal` and `-shm` behind, so that a reader without
  /// write permission in the folder can open the database.
  public func keepLogFiles() throws(SQLiteError) {
    var isOn: Int32 = 1
    try check(sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &isOn))
  }

  /// Whether something else lies at the path than the file that is open.
  var hasMoved: Bool {
    var hasMoved: Int32 = 1
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    return code != SQLITE_OK || hasMoved != 0
  }

  /// The database or its log, as SQLite has it open; nil: it does not.
  func file(_ which: Int32) -> UnsafeMutablePointer<sqlite3_file>? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(handle, "main", which, &file)
    return code == SQLITE_OK && file?.pointee.pMethods != nil ? file : nil
  }

  static func size(of file: UnsafeMutablePointer<sqlite3_file>) -> Int {
    var size: sqlite3_int64 = 0
    return file.pointee.pMethods.pointee.xFileSize(file, &size) == SQLITE_OK ? Int(size) : .max
  }

  /// As far as this connection knows: one that has read nothing yet knows of none.
  var isLogEmpty: Bool { file(SQLITE_FCNTL_JOURNAL_POINTER).map(Self.size) ?? 0 == 0 }

  /// Whether all was done: a log that a reader pins stays, and that is not an error.
  @discardableResult
  public func checkpoint(_ kind: Checkpoint) throws(SQLiteError) -> Bool {
    // To empty it once more would look like a write to everybody else.
    if kind == .truncate, file(SQLITE_FCNTL_JOURNAL_POINTER).map(Self.size) == 0 { return true }
    let mode = kind == .passive ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE
    let code = sqlite3_wal_checkpoint_v2(handle, "main", mode, nil, nil)
    guard code & 0xff == SQLITE_OK || code & 0xff == SQLITE_BUSY else {
      throw SQLiteError(code, on: handle)
    }
    return code & 0xff == SQLITE_OK
  }
}
