internal import Glibc

/// An unfinished file. It is removed with this object unless it was moved to its place. Used by one
/// thread at a time: the one that writes it, then the one that settles it.
final class TemporaryFile: @unchecked Sendable {
  // Sendable: its state is passed on, never shared, as said above.
  /// -1 once it is closed.
  private(set) var fd: Int32
  let name: String
  let home: TemporaryFolder
  private let calls: FileCalls
  /// Our file still exists under the name.
  private var isThere = true

  init(named name: String, in home: TemporaryFolder, calls: FileCalls) throws(MediaError) {
    fd = try home.folder.openFile(name, O_RDWR | O_CREAT | O_EXCL)
    self.name = name
    self.home = home
    self.calls = calls
    // The process's umask may have removed a group permission, which is not intended here.
    guard fchmod(fd, Folder.fileMode) == 0 else {
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
        // A write of zero bytes gives no reason; it can only be a full disk.
        throw MediaError("write", path, code: written == 0 ? ENOSPC : errno)
      }
    }
  }

  func write(_ bytes: [UInt8]) throws(MediaError) {
    try bytes.withUnsafeBufferPointer { (bytes) throws(MediaError) in
      try write(UnsafeRawBufferPointer(bytes))
    }
  }

  /// The file has its final name; nothing is left to remove.
  func moved() {
    isThere = false
    close()
  }

  /// Everything is written; it keeps its name.
  func close() {
    if fd >= 0 { Glibc.close(fd) }
    fd = -1
  }

  /// Closes the file, and removes it unless it was moved. A name that cannot be removed is left to
  /// the next sweep.
  func discard() {
    if isThere { unlinkat(home.folder.fd, name, 0) }
    moved()
  }
}
