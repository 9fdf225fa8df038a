internal import Base

/// A database, read and changed as by any user.
public struct Database: Sendable {
  private let path: String

  public init(_ path: String) { self.path = path }

  /// Rows as text, their values joined by `|`.
  public func rows(_ sql: String, null: String = "NULL") throws -> [String] {
    let connection = try Connection(path, .readOnly)
    defer { connection.close() }
    // As the shell of SQLite does: the functions of JSON in a view.
    try connection.trustSchema()
    return try connection.rows(sql) { row in
      (0..<row.columnCount).map { row.text($0) ?? null }.joined(separator: "|")
    }
  }

  /// Leaves its log beside it, as if the program had it open.
  public func change(_ sql: String) throws {
    let connection = try Connection(path, .readWrite)
    defer { connection.close() }
    try connection.keepLogFiles()
    try connection.execute(sql)
  }
}
