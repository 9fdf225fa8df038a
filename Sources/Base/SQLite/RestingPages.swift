internal import CSQLite

/// Reads a database file in place, without a copy: its log was moved into it, and a read lock keeps it unchanged. Uses
/// SQLite's own descriptor: closing another one would drop this process's locks on the file.
public final class RestingPages {
  private let connection: Connection
  private let file: UnsafeMutablePointer<sqlite3_file>
  /// The version that is read.
  public let version: DatabaseVersion

  /// Nil: it is in use.
  public init?(_ path: String) throws(SQLiteError) {
    connection = try Connection(path, .readWrite, waiting: .zero)
    // Only a connection that has read knows the log.
    let look = "SELECT count(*) FROM sqlite_schema"
    try connection.execute(look)
    guard try connection.checkpoint(.truncate) else { return nil }
    try connection.execute("BEGIN; \(look)")
    version = try DatabaseVersion(connection)
    // A reader that starts with an empty log reads the file alone, and keeps it unchanged.
    guard connection.isLogEmpty, let file = connection.file(SQLITE_FCNTL_FILE_POINTER) else {
      return nil
    }
    self.file = file
  }

  // The caller may keep the version, and with it the connection, but no lock.
  deinit { try? connection.execute("ROLLBACK") }

  public var size: Int { Connection.size(of: file) }

  /// Reads `count` bytes, with zeros after the end of the file.
  public func read(_ count: Int, at offset: Int) throws(SQLiteError) -> [UInt8] {
    try connection.read(count, at: offset, of: file)
  }
}
