internal import Glibc
internal import Base

/// The first 100 bytes of a file, looked at before SQLite reads it: a foreign or newer file is left without a trace.
struct DatabaseHeader: Equatable {
  static let size = 100

  var applicationID: Int64
  var userVersion: Int64
  /// The size of the database according to it; nil: not stated. A log beside it may hold the rest.
  var bytesDue: Int64?

  /// Nil: no database begins like that.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.size, bytes.starts(with: Array("SQLite format 3\0".utf8)) else {
      return nil
    }
    func number(_ place: Range<Int>) -> Int64 { bytes[place].reduce(0) { $0 << 8 | Int64($1) } }
    (applicationID, userVersion) = (number(68..<72), number(60..<64))
    if bytes[24..<28] == bytes[92..<96] {
      let pageSize = number(16..<18)
      bytesDue = number(28..<32) * (pageSize == 1 ? 65_536 : pageSize)
    }
  }

  enum Reading: Equatable {
    case missing
    /// `errno`
    case unreadable(Int32)
    case noDatabase
    case database(DatabaseHeader)
  }

  /// Not for a file that this process has open as a database: closing it here would release all locks that the process
  /// has on it.
  static func read(_ path: String) -> Reading {
    guard let bytes = FileBytes.first(size, of: path, flags: O_NONBLOCK) else {
      return errno == ENOENT ? .missing : .unreadable(errno)
    }
    return DatabaseHeader(bytes).map(Reading.database) ?? .noDatabase
  }
}
