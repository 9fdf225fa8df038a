internal import Glibc

/// An unfinished file. It goes away with this object unless it was moved to its place. Used by one
/// thread at a time: the one that writes it, then the one that settles it.
final class TemporaryFile: @unchecked Sendable {
  // Sendable: `isMoved` and the descriptor are handed on, never shared, as said above.
  let fd: Int32
  let name: String
  let home: TemporaryFolder
  private let calls: FileCalls
  private var isOpen = true
  private var isMoved = false

  init(named name: String, in home: TemporaryFolder, calls: FileCalls) throws(MediaError) {
    fd = try home.folder.openFile(name, O_RDWR | O_CREAT | O_EXCL)
    self.name = name
    self.home = home
    self.calls = calls
    // The process's umask may have taken a right of the group's by the way, and not on purpose.
    if fchmod(fd, Folder.fileMode) != 0 {
      let code = errno
      discard()
      throw MediaError("chmod", path, code: code)
    }
  }

  deinit { discard() }

  var path: String { home.folder.path(of: name) }

  /// Writes all of it; allocates nothing.
  func write(_ bytes: UnsafeRawBufferPointer) throws(MediaError) {
    var at = 0
    while at < bytes.count, let start = bytes.baseAddress {
      let written = calls.write(fd, start + at, bytes.count - at)
      if written > 0 {
        at += written
      } else if written < 0, errno == EINTR {
        continue
      } else {
        // A write of nothing names no reason; there is none but a disk that takes no more.
        throw MediaError("write", path, code: written == 0 ? ENOSPC : errno)
      }
    }
  }

  /// The name has become another; nothing is left to remove.
  func moved() {
    isMoved = true
    discard()
  }

  /// Closes, and removes unless moved. A name that cannot be removed is left to the next sweep.
  func discard() {
    guard isOpen else { return }
    isOpen = false
    if !isMoved { unlinkat(home.folder.fd, name, 0) }
    close(fd)
  }
}
