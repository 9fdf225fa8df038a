internal import Base

/// The kernel's table of file locks. It is read instead of testing the file: opening and closing a
/// file would release the locks that SQLite holds on it in this process.
enum KernelLocks {
  struct Lock: Hashable {
    /// By `flock`; otherwise by `fcntl`, as SQLite locks.
    var isOfFile: Bool
    var isForWriting: Bool
    /// Zero or less for a process of another container.
    var process: Int
    var inode: UInt64
  }

  /// All locks; nil if the table cannot be read, as in a service's sandbox.
  ///
  /// The kernel returns a long table in pieces and continues by position: a lock that is released
  /// between two pieces makes it skip another one, which is held all the time. A lock that one
  /// reading misses is in the next.
  static func all() -> Set<Lock>? {
    var found: Set<Lock> = []
    for _ in 0..<readings {
      // At most 4 MB, some 50,000 locks.
      guard let bytes = FileBytes.first(4_000_000, of: "/proc/locks") else { return nil }
      let lines = bytes.split(separator: UInt8(ascii: "\n"))
      found.formUnion(lines.compactMap(lock))
      if lines.count < linesOfOnePiece { break }
    }
    return found
  }

  private static let readings = 5
  /// A line is longer than 40 bytes, and a piece a page of 4 KB.
  private static let linesOfOnePiece = 50

  /// `1: FLOCK  ADVISORY  WRITE 4711 fe:01:131073 0 EOF`. The device is ignored: some file systems
  /// report a different one to stat.
  private static func lock(_ line: ArraySlice<UInt8>) -> Lock? {
    let words = line.split(separator: UInt8(ascii: " "))
    func word(_ index: Int) -> String { String(decoding: words[index], as: UTF8.self) }
    guard words.count >= 8, word(1) != "->", let process = Int(word(4)),
      let device = words[5].lastIndex(of: UInt8(ascii: ":")),
      let inode = UInt64(String(decoding: words[5][device...].dropFirst(), as: UTF8.self))
    else { return nil }
    return Lock(
      isOfFile: word(1) == "FLOCK", isForWriting: word(3) == "WRITE", process: process,
      inode: inode)
  }
}
