internal import Base

/// The settings of all our connections: memory, the write-ahead log, and what survives a power cut
/// (`PRAGMA synchronous`).
enum ConnectionSettings {
  /// Pages in memory: the same for a small and a large database, so memory does not grow with it.
  static let cacheKilobytes = 8_192

  static func apply(
    to connection: Connection, for use: DatabaseFile.Use
  ) throws(SQLiteError) {
    try Functions.define(on: connection)
    try connection.setCache(kilobytes: cacheKilobytes)
    try useTemporaryFiles(false, on: connection)
    // SQLite before 3.41 considers its own JSON functions unsafe in a view. Nothing that a schema
    // may call has an effect outside the file: our functions are either for direct use only, or
    // innocuous.
    try connection.trustSchema()
    if use != .write { return }
    // A file that was copied or restored by other means may not be in WAL mode.
    if try connection.text("PRAGMA journal_mode") != "wal" { try connection.useLog() }
    try connection.keepLogFiles()
    // A log that a reader let grow past 32 MB is truncated afterwards.
    try connection.execute(
      "PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 33554432")
    try overwrite(false, on: connection)
  }

  /// Whether SQLite puts what a statement needs meanwhile into files without a name instead of memory: rewriting or
  /// overwriting much of the database takes as much again. Not inside a transaction.
  static func useTemporaryFiles(_ isOn: Bool, on connection: Connection) throws(SQLiteError) {
    try connection.execute("PRAGMA temp_store = \(isOn ? "FILE" : "MEMORY")")
  }

  /// Whether deleted content is also overwritten in the file. Some systems build SQLite so that it
  /// always is: then merely freed pages are written, logged and copied back. A reset overwrites.
  static func overwrite(_ isOn: Bool, on connection: Connection) throws(SQLiteError) {
    try connection.execute("PRAGMA secure_delete = \(isOn ? "ON" : "OFF")")
  }
}
