internal import Glibc
internal import Base

/// The first 100 bytes of a file, read without SQLite: a foreign or newer file is not even opened
/// by SQLite.
struct DatabaseHeader: Equatable {
  var applicationID: Int64
  var userVersion: Int64

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

  static func read(_ path: String) -> Reading {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return errno == ENOENT ? .missing : .unreadable(errno) }
    defer { close(file) }
    var header = [UInt8](repeating: 0, count: 100)
    let count = Glibc.read(file, &header, header.count)
    guard count >= 0 else { return .unreadable(errno) }
    guard count == 100, header.starts(with: Array("SQLite format 3\0".utf8)) else {
      return .noDatabase
    }
    func number(at offset: Int) -> Int64 {
      header[offset..<offset + 4].reduce(0) { $0 << 8 | Int64($1) }
    }
    return .database(
      DatabaseHeader(applicationID: number(at: 68), userVersion: number(at: 60)))
  }
}
