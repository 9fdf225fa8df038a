internal import Glibc
internal import Base

/// A stored file that is open for reading; closed with this object. One thread at a time.
struct FileReading: ~Copyable {
  let fd: Int32
  let byteCount: Int
  fileprivate let path: String

  deinit { close(fd) }

  /// Opens only a regular file. Never waits: a pipe with that name does not block the open.
  static func open(
    _ name: UnsafePointer<CChar>, in folder: Folder
  ) throws(MediaError) -> FileReading {
    let fd = try folder.openFile(name, O_RDONLY | O_NONBLOCK)
    var facts = stat()
    guard fstat(fd, &facts) == 0 else {
      let code = errno
      close(fd)
      throw MediaError("look at", folder.path(of: name), code: code)
    }
    guard facts.st_mode & S_IFMT == S_IFREG else {
      close(fd)
      throw MediaError(kind: .unsafe, action: "read", path: folder.path(of: name))
    }
    return FileReading(fd: fd, byteCount: Int(facts.st_size), path: folder.path(of: name))
  }

  /// All bytes, up to the size that it had when it was opened.
  func bytes() throws(MediaError) -> [UInt8] {
    guard let bytes = FileBytes.first(byteCount, from: fd) else { throw MediaError("read", path) }
    return bytes
  }

  /// The next bytes; 0 at the end.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
    // Tries again after a signal; none is sent without end.
    for _ in 0..<1_000 {
      let count = Glibc.read(fd, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      guard errno == EINTR else { break }
    }
    throw MediaError("read", path)
  }

  /// The digest of all bytes, read so that the disk checks them too.
  /// - Parameter take: gets them, piece by piece.
  mutating func digest(
    _ take: (UnsafeRawBufferPointer) throws(MediaError) -> Void = { _ in }
  ) throws(MediaError) -> SHA256Digest {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)
    defer { buffer.deallocate() }
    var hasher = SHA256Hasher()
    while true {
      let count = try read(into: buffer)
      if count > 0 {
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        hasher.add(bytes)
        try take(bytes)
        continue
      }
      guard let digest = hasher.finish() else {
        throw MediaError(kind: .noDigest, action: "verify", path: path)
      }
      return digest
    }
  }
}
