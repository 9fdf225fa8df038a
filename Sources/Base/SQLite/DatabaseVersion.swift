/// Shows whether a database has changed since this was made, by SQLite's own `data_version`.
public final class DatabaseVersion {
  private let connection: Connection
  private let number: Int64?

  public convenience init(_ path: String) throws(SQLiteError) {
    try self.init(Connection(path, .readWrite))
  }

  init(_ connection: Connection) throws(SQLiteError) {
    self.connection = connection
    number = try connection.integer(Self.question)
  }

  deinit { connection.close() }

  private static let question = "PRAGMA data_version"

  /// False also if another file is at the path now.
  public var isCurrent: Bool {
    // False if SQLite cannot tell.
    guard !connection.hasMoved, let now = try? connection.integer(Self.question) else {
      return false
    }
    return now == number
  }
}
