internal import Glibc

/// The content of a file.
public enum FileBytes {
  /// Its first bytes, at most `most`; nil, with `errno`, if it cannot be read.
  public static func first(_ most: Int, of path: String, flags: Int32 = 0) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC | flags)
    guard file >= 0 else { return nil }
    defer {
      let code = errno
      close(file)
      errno = code
    }
    return first(most, from: file)
  }

  /// The same of an open file, from its current place on.
  public static func first(_ most: Int, from file: Int32) -> [UInt8]? {
    withUnsafeTemporaryAllocation(byteCount: min(most, 1 << 16), alignment: 1) { chunk in
      var bytes: [UInt8] = []
      while bytes.count < most {
        let count = read(file, chunk.baseAddress, min(chunk.count, most - bytes.count))
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { return nil }
        if count == 0 { break }
        bytes += chunk[..<count]
      }
      return bytes
    }
  }
}
