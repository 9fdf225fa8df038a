internal import Glibc
internal import Base

/// The right to put a database where there is none, or another one in its place.
public final class CreationLock {
  private let file: CInt

  public init(_ folder: DataFolder) throws(StoreError) {
    let path = try folder.folder("locks") + "/database"
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, DataFolder.fileMode)
    guard file >= 0 else {
      throw StoreError(
        .cannotCreate, path, "the lock file cannot be opened: \(SystemError.latest)")
    }
    // Held for milliseconds by whoever makes the file; a signal only repeats the wait.
    while flock(file, LOCK_EX) != 0 {
      guard errno == EINTR else {
        let words = SystemError.latest
        close(file)
        throw StoreError(.cannotCreate, path, "it cannot be locked: \(words)")
      }
    }
  }

  deinit { close(file) }
}
