internal import CSQLite

extension Connection {
  /// Copies a snapshot of a database, page by page, while others write. The copy must not exist yet.
  public static func copy(_ path: String, to other: String) throws(SQLiteError) {
    let source = try Connection(path, .readOnly)
    defer { source.close() }
    let target = try Connection(other, .create)
    defer { target.close() }
    try target.execute("PRAGMA synchronous = OFF")
    guard let backup = sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
      throw SQLiteError(sqlite3_errcode(target.handle), on: target.handle)
    }
    // In one step: a write in between would restart it.
    var code = sqlite3_backup_step(backup, -1)
    var tries: Int32 = 0
    while code & 0xff == SQLITE_BUSY || code & 0xff == SQLITE_LOCKED, tries < 100 {
      source.wait.pause(after: tries)
      tries += 1
      code = sqlite3_backup_step(backup, -1)
    }
    let end = sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE, end == SQLITE_OK else {
      throw SQLiteError(code == SQLITE_DONE ? end : code, on: target.handle)
    }
  }
}
