internal import CSQLite

/// The write-ahead log: whether its files stay, and when its content moves into the database.
extension Connection {
  public enum Checkpoint: Sendable {
    /// Moves what it can without waiting.
    case passive
    /// Moves everything and empties the log; waits for readers as `wait` allows.
    case truncate
  }

  /// Switches to the log, if it is not on. If two connections switch a file at once, both read it and then want to
  /// write: SQLite fails one at once, however long it may wait, so it must try again.
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

  /// Keeps `-wal` and `-shm` when the last connection closes, so that a reader without write permission in the folder
  /// can open the database.
  public func keepLogFiles() throws(SQLiteError) {
    var isOn: Int32 = 1
    try check(sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &isOn))
  }

  /// Whether the open file is no longer the one at the path.
  public var hasMoved: Bool {
    var hasMoved: Int32 = 1
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    return code != SQLITE_OK || hasMoved != 0
  }

  /// SQLite's open file of the database or its log; nil: not open.
  func file(_ which: Int32) -> UnsafeMutablePointer<sqlite3_file>? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(handle, "main", which, &file)
    return code == SQLITE_OK && file?.pointee.pMethods != nil ? file : nil
  }

  static func size(of file: UnsafeMutablePointer<sqlite3_file>) -> Int {
    var size: sqlite3_int64 = 0
    return file.pointee.pMethods.pointee.xFileSize(file, &size) == SQLITE_OK ? Int(size) : .max
  }

  /// Reads bytes of one of them, with zeros after its end, as they lie there.
  func read(
    _ count: Int, at offset: Int, of file: UnsafeMutablePointer<sqlite3_file>
  ) throws(SQLiteError) -> [UInt8] {
    var code = SQLITE_OK
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { out, filled in
      code = file.pointee.pMethods.pointee.xRead(
        file, out.baseAddress, Int32(count), sqlite3_int64(offset))
      filled = count
    }
    // After the end of the file SQLite reads zeros and returns this code.
    guard code == SQLITE_OK || code == SQLITE_IOERR | 2 << 8 else {
      throw SQLiteError(code, on: handle)
    }
    return bytes
  }

  /// The first bytes of the file, fewer if it is shorter: no lock is taken, and SQLite itself reads nothing.
  public func firstBytes(_ count: Int) throws(SQLiteError) -> [UInt8] {
    guard let file = file(SQLITE_FCNTL_FILE_POINTER) else { return [] }
    return try read(min(count, Self.size(of: file)), at: 0, of: file)
  }

  /// As far as this connection knows: before its first read it knows of no log.
  var isLogEmpty: Bool { file(SQLITE_FCNTL_JOURNAL_POINTER).map(Self.size) ?? 0 == 0 }

  /// Whether everything was moved: a reader may pin the log, which is not an error.
  @discardableResult
  public func checkpoint(_ kind: Checkpoint) throws(SQLiteError) -> Bool {
    // Emptying an empty log would look like a write to other connections.
    if kind == .truncate, file(SQLITE_FCNTL_JOURNAL_POINTER).map(Self.size) == 0 { return true }
    let mode = kind == .passive ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE
    let code = sqlite3_wal_checkpoint_v2(handle, "main", mode, nil, nil)
    guard code & 0xff == SQLITE_OK || code & 0xff == SQLITE_BUSY else {
      throw SQLiteError(code, on: handle)
    }
    return code & 0xff == SQLITE_OK
  }
}
