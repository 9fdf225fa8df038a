internal import Glibc
internal import Base

/// What pages are read from.
protocol PageSource {
  var path: String { get }
  var size: Int { get }
  /// This many bytes, or fewer where the file ends.
  func read(_ count: Int, at offset: Int) throws(BucketError) -> [UInt8]
}

/// A database of the cache that is not being written.
struct RestingFile: PageSource {
  let path: String
  private let pages: RestingPages
  var version: DatabaseVersion { pages.version }

  /// Nil: it is being written.
  init?(_ path: String) {
    // If it cannot be opened now, the copy that is made instead reports it.
    guard let pages = try? RestingPages(path) else { return nil }
    (self.path, self.pages) = (path, pages)
  }

  var size: Int { pages.size }

  func read(_ count: Int, at offset: Int) throws(BucketError) -> [UInt8] {
    do throws(SQLiteError) {
      return try pages.read(min(count, size - offset), at: offset)
    } catch {
      throw .disk(path, error.message)
    }
  }
}

/// A file that is read and written by pages.
final class PageFile: PageSource {
  let path: String
  private let descriptor: Int32

  convenience init(reading path: String) throws(BucketError) { try self.init(path, O_RDONLY) }
  convenience init(making path: String) throws(BucketError) {
    try self.init(path, O_RDWR | O_CREAT | O_TRUNC)
  }
  convenience init(changing path: String) throws(BucketError) { try self.init(path, O_RDWR) }

  private init(_ path: String, _ flags: Int32) throws(BucketError) {
    self.path = path
    descriptor = open(path, flags | O_CLOEXEC | O_NOFOLLOW, FileRights.file)
    guard descriptor >= 0 else { throw .disk(path, SystemError.latest) }
  }

  deinit { close(descriptor) }

  var size: Int {
    var facts = stat()
    return fstat(descriptor, &facts) == 0 ? Int(facts.st_size) : 0
  }

  func read(_ count: Int, at offset: Int) throws(BucketError) -> [UInt8] {
    var failed = false
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { out, filled in
      while filled < count {
        let got = pread(
          descriptor, out.baseAddress! + filled, count - filled, off_t(offset + filled))
        if got < 0, errno == EINTR { continue }
        failed = got < 0
        if got <= 0 { break }
        filled += got
      }
    }
    if failed { throw .disk(path, SystemError.latest) }
    return bytes
  }

  func write(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(BucketError) {
    var done = 0
    while done < bytes.count {
      let count = bytes.dropFirst(done).withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset + done))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .disk(path, SystemError.latest) }
      done += count
    }
  }

  func cut(to size: Int) throws(BucketError) {
    guard ftruncate(descriptor, off_t(size)) == 0 else { throw .disk(path, SystemError.latest) }
  }

  func sync() throws(BucketError) {
    guard fsync(descriptor) == 0 else { throw .disk(path, SystemError.latest) }
  }

  /// Byte for byte.
  static func copy(_ path: String, to other: String) throws(BucketError) {
    let (source, target) = (try PageFile(reading: path), try PageFile(making: other))
    let size = source.size
    for at in stride(from: 0, to: size, by: 1_048_576) {
      try target.write(try source.read(min(1_048_576, size - at), at: at)[...], at: at)
    }
  }
}
