internal import Glibc

/// A file that is written as a draft beside its place, synced, and only then renamed: a kill leaves no half file, and
/// the old one stays until then. The draft is locked while it is written; an unlocked one was left by a kill, and the
/// next writer removes it.
public final class AtomicFile {
  /// The suffix of a draft: `<path>.partial`, unless a file of that name would have a meaning there.
  public static let ending = ".partial"
  /// How often another process may rename its file into place between our open and our lock.
  private static let triesMax = 100

  public let path: String
  public let draft: String
  private let lock: FileLock
  public private(set) var isPlaced = false

  public var descriptor: Int32 { lock.descriptor }

  /// - Parameters:
  ///   - mode: the permissions of a new file, whatever the umask.
  ///   - keepsMode: a replaced file keeps its permissions.
  ///   - waiting: how long to wait while another process writes the file.
  public init(
    _ path: String, draft: String? = nil, mode: UInt32 = FileRights.file, keepsMode: Bool = true,
    waiting: Duration = .zero
  ) throws(FileFailure) {
    self.path = path
    self.draft = draft ?? path + Self.ending
    lock = try Self.begin(self.draft, waiting)
    var old = stat()
    let mode = keepsMode && stat(path, &old) == 0 ? old.st_mode & 0o777 : mode
    // Some file systems have no permissions: fine, except for a file that only its owner may read.
    guard fchmod(descriptor, mode) == 0 || mode & 0o077 != 0 else { throw FileFailure(.open) }
  }

  private static func begin(_ draft: String, _ waiting: Duration) throws(FileFailure) -> FileLock {
    for _ in 0..<triesMax {
      var file = open(draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
      let isNew = file >= 0
      if !isNew, errno == EEXIST {
        file = open(draft, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
        if file < 0, errno == ENOENT { continue }
      }
      guard file >= 0 else { throw FileFailure(.open) }
      guard let lock = try FileLock(owning: file, waiting: waiting) else { break }
      // A draft that was put in place during the wait is the finished file.
      guard lock.isOn(draft) else { continue }
      if isNew { return lock }
      guard unlink(draft) == 0 else { throw FileFailure(.open) }
    }
    throw FileFailure(.wait, EWOULDBLOCK)
  }

  /// Removes a draft that a kill left, but none that is being written. False: none was removed.
  @discardableResult
  public static func removeLeft(draft: String) -> Bool {
    let file = open(draft, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
    // If this fails the draft stays, and the next writer tries again.
    guard file >= 0, let lock = try? FileLock(owning: file), lock.isOn(draft) else { return false }
    return unlink(draft) == 0
  }

  deinit { if !isPlaced { unlink(draft) } }

  public func write(_ bytes: [UInt8]) throws(FileFailure) {
    try Self.write(bytes, to: descriptor)
  }

  /// - Parameter syncsFolder: false if more files of the folder follow and the last one syncs it.
  public func place(
    as other: String? = nil, syncsFolder: Bool = true, _ faults: FaultPoint = .none
  ) throws(FileFailure) {
    let path = other ?? path
    guard fsync(descriptor) == 0 else { throw FileFailure(.write) }
    faults.reach(.beforeDraftRename)
    guard rename(draft, path) == 0 else { throw FileFailure(.place) }
    isPlaced = true
    faults.reach(.afterDraftRename)
    if syncsFolder { try Self.syncFolder(of: path) }
  }

  /// Makes the names in the folder survive a power cut.
  public static func syncFolder(of path: String) throws(FileFailure) {
    let file = open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file >= 0 else { throw FileFailure(.syncFolder) }
    defer { close(file) }
    // EINVAL: the file system cannot sync folders.
    guard fsync(file) == 0 || errno == EINVAL else { throw FileFailure(.syncFolder) }
  }

  /// The folder that a file lies in.
  public static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Writes all bytes to an open file.
  public static func write(_ bytes: [UInt8], to descriptor: Int32) throws(FileFailure) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      // A write of 0 bytes sets no errno.
      guard count > 0 else { throw FileFailure(.write, count == 0 ? EIO : errno) }
      sent += count
    }
  }
}
