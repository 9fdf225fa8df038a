internal import Glibc
internal import Base

/// Small files of the cache, which may be lost: they are fetched again.
enum CacheFile {
  static func write(_ bytes: [UInt8], to path: String) throws(BucketError) {
    do throws(FileFailure) {
      let file = try AtomicFile(path, waiting: .seconds(10))
      try file.write(bytes)
      try file.place(syncsFolder: false)
    } catch {
      throw .disk(path, error.words)
    }
  }

  static func makeFolder(_ path: String) throws(BucketError) {
    // Only the owner may enter it, unlike a data folder.
    if let failed = FolderNames.make(path) { throw .disk(failed, SystemError.latest) }
  }

  static func lock(
    _ path: String, _ kind: FileLock.Kind = .exclusive, waiting: Duration?
  ) throws(BucketError) -> FileLock? {
    do throws(FileFailure) {
      return try FileLock(path, kind, waiting: waiting)
    } catch {
      throw .disk(path, error.words)
    }
  }

  static func remove(_ path: String) { unlink(path) }

  static func move(_ path: String, to other: String) throws(BucketError) {
    guard rename(path, other) == 0 else { throw .disk(other, SystemError.latest) }
  }

  static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
