internal import Glibc

/// The state of a file, apart from its name. It differs once the file was written, moved or replaced: the kernel
/// records the change time, and Linux's own file systems let no program set it.
public struct FilePlace: Sendable, Equatable {
  public let identity: FileIdentity
  /// Bytes.
  public let size: Int64
  /// Nanoseconds since 1970. Programs can set it.
  public let written: Int64
  /// Nanoseconds since 1970: the last change of the bytes, permissions or names.
  public let changed: Int64
}

extension FilePlace {
  /// Nil if there is no such file.
  public init?(path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    self.init(facts)
  }

  public init?(descriptor: Int32) {
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { return nil }
    self.init(facts)
  }

  private init(_ facts: stat) {
    self.init(
      identity: FileIdentity(facts), size: Int64(facts.st_size),
      written: Self.nanoseconds(facts.st_mtim), changed: Self.nanoseconds(facts.st_ctim))
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
