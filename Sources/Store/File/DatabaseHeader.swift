internal import Glibc
internal import Base

/// The first 100 bytes of a file, looked at before SQLite reads it: a foreign or newer file is left without a trace.
struct DatabaseHeader: Equatable {
  static let size = 100

  var applicationID: Int64
  var userVersion: Int64

  /// Nil: no database begins like that.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.size, bytes.starts(with: Array("SQLite format 3\0".utf8)) else {
      return nil
    }
    func number(at offset: Int) -> Int64 {
      bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int64($1) }
    }
    (applicationID, userVersion) = (number(at: 68), number(at: 60))
  }

  enum Reading: Equatable {
    case missing
    /// `errno`
    case unreadable(Int32)
    case noDatabase
    case database(DatabaseHeader)
  }

  /// The size of a database according to its header; nil: not stated, or a log beside it may hold the rest.
  static func bytesDue(of path: String) -> Int64? {
    guard FilePlace(path: path + "-wal") == nil, let header = FileBytes.first(100, of: path),
      header.count == 100, header[24..<28] == header[92..<96]
    else { return nil }
    func number(_ place: Range<Int>) -> Int64 {
      header[place].reduce(0) { $0 << 8 | Int64($1) }
    }
    let size = number(16..<18)
    return number(28..<32) * (size == 1 ? 65_536 : size)
  }

  /// Not for a file that this process has open as a database: closing it here would release all locks that the process
  /// has on it.
  static func read(_ path: String) -> Reading {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return errno == ENOENT ? .missing : .unreadable(errno) }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: size)
    let count = Glibc.read(file, &bytes, size)
    guard count >= 0 else { return .unreadable(errno) }
    guard count == size, let header = DatabaseHeader(bytes) else { return .noDatabase }
    return .database(header)
  }
}
