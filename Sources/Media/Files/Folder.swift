internal import Glibc
internal import Base

/// A folder that is kept open. Everything in it is reached by one component relative to the
/// descriptor, so that swapping a folder for a link cannot lead elsewhere.
final class Folder: Sendable {
  static let fileMode = FileRights.file
  static let folderMode = FileRights.folder

  let fd: Int32
  /// Relative to the data folder, for messages.
  let path: String

  private init(fd: Int32, path: String) {
    self.fd = fd
    self.path = path
  }

  deinit { close(fd) }

  /// The data folder. Its own path may hold links: systemd makes one for a dynamic user.
  convenience init(dataFolder: String) throws(MediaError) {
    let fd = Glibc.open(dataFolder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard fd >= 0 else { throw MediaError("open", dataFolder) }
    self.init(fd: fd, path: "")
  }

  /// Opens one component below the folder, never through a link; -1 and errno as openat(2).
  private func openPart(_ name: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t = 0) -> Int32 {
    while true {
      let opened = openat(fd, name, flags | O_NOFOLLOW | O_CLOEXEC, mode)
      if opened >= 0 || errno != EINTR { return opened }
    }
  }

  func path(of name: UnsafePointer<CChar>) -> String {
    let text = String(cString: name)
    return path.isEmpty ? text : "\(path)/\(text)"
  }

  /// Nil if there is none.
  func folder(_ name: String) throws(MediaError) -> Folder? {
    let fd = openPart(name, O_RDONLY | O_DIRECTORY)
    guard fd >= 0 else {
      if errno == ENOENT { return nil }
      throw MediaError("open", path(of: name))
    }
    return Folder(fd: fd, path: path(of: name))
  }

  /// The folder, created if missing; then the parent must be synced.
  func makeFolder(_ name: String) throws(MediaError) -> (folder: Folder, isNew: Bool) {
    if let folder = try folder(name) { return (folder, false) }
    // Without the group bit: a sandbox may forbid it here, and the parent's is inherited anyway.
    let isNew = mkdirat(fd, name, Self.folderMode & 0o777) == 0
    guard isNew || errno == EEXIST else { throw MediaError("create", path(of: name)) }
    guard let folder = try folder(name) else {
      throw MediaError(kind: .missing, action: "open", path: path(of: name), code: ENOENT)
    }
    if isNew { try folder.setFolderMode() }
    return (folder, isNew)
  }

  /// Waits as long as others hold it.
  func lock(_ kind: FileLock.Kind) throws(MediaError) -> FileLock? {
    // A separate descriptor for the same folder: a lock belongs to one.
    let fd = openPart(".", O_RDONLY | O_DIRECTORY)
    guard fd >= 0 else { throw MediaError("open", path) }
    do { return try FileLock(owning: fd, kind, waiting: nil) } catch {
      throw MediaError("lock", path, code: error.code)
    }
  }

  func openFile(_ name: UnsafePointer<CChar>, _ flags: Int32) throws(MediaError) -> Int32 {
    let file = openPart(name, flags, flags & O_CREAT == 0 ? 0 : Self.fileMode)
    guard file >= 0 else {
      throw MediaError(flags & O_CREAT == 0 ? "open" : "create", path(of: name))
    }
    return file
  }

  /// The entry with this name, a link itself and not its target; nil if there is none.
  func entry(_ name: UnsafePointer<CChar>) throws(MediaError) -> stat? {
    var facts = stat()
    guard fstatat(fd, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 else {
      if errno == ENOENT { return nil }
      throw MediaError("look at", path(of: name))
    }
    return facts
  }

  /// False if there was nothing.
  @discardableResult
  func remove(_ name: UnsafePointer<CChar>, isFolder: Bool = false) throws(MediaError) -> Bool {
    guard unlinkat(fd, name, isFolder ? AT_REMOVEDIR : 0) != 0 else { return true }
    if errno == ENOENT { return false }
    throw MediaError("remove", path(of: name))
  }

  /// Names as stored, which need not be text. `.` and `..` are left out.
  func eachName(_ visit: (UnsafePointer<CChar>) throws(MediaError) -> Void) throws(MediaError) {
    let own = openPart(".", O_RDONLY | O_DIRECTORY)
    guard own >= 0 else { throw MediaError("list", path) }
    guard let listing = fdopendir(own) else {
      let code = errno
      close(own)
      throw MediaError("list", path, code: code)
    }
    defer { closedir(listing) }
    while true {
      errno = 0
      guard let entry = readdir(listing) else {
        guard errno == 0 else { throw MediaError("list", path) }
        return
      }
      let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name) ?? 0
      let name = (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
      if strcmp(name, ".") == 0 || strcmp(name, "..") == 0 { continue }
      try visit(name)
    }
  }

  /// Best effort for the group bit, strict for the rest.
  func setFolderMode() throws(MediaError) {
    var facts = stat()
    guard fstat(fd, &facts) == 0 else { throw MediaError("look at", path) }
    if facts.st_mode & 0o7777 == Self.folderMode || fchmod(fd, Self.folderMode) == 0 { return }
    // A sandbox without the right to set the group bit: fine if the rest is as it should be.
    if facts.st_mode & 0o777 == Self.folderMode & 0o777 { return }
    guard fchmod(fd, Self.folderMode & 0o777) == 0 else { throw MediaError("chmod", path) }
  }
}
