internal import Glibc
internal import Base

/// A file that is written as `<path>.partial` and gets its name when it is whole: a kill leaves no
/// half of it, and what lay there before stays until then. What a killed one left is used again.
final class DraftFile {
  let path: String
  let draft: String
  private let file: CInt
  private let faults: FaultPoint
  private var isPlaced = false

  /// How often another one may put its file in place between our look and our lock.
  private static let triesMax = 8
  private static let companions = ["-journal", "-wal", "-shm"]

  /// - Parameter rights: of a new file; one that is replaced keeps those it has.
  init(
    for path: String, rights: UInt32 = FileRights.file, _ faults: FaultPoint = .none
  ) throws(StoreError) {
    self.path = path
    self.faults = faults
    draft = path + ".partial"
    file = try Self.lock(draft, for: path)
    Self.removeCompanions(of: draft)
    var old = stat()
    let mode = stat(path, &old) == 0 ? old.st_mode & 0o777 : rights
    guard ftruncate(file, 0) == 0, fchmod(file, mode) == 0 else {
      throw StoreError(.cannotCreate, draft, "it cannot be begun: \(SystemError.latest)")
    }
  }

  /// The lock is on the file itself. Whoever waits for one that was put in place meanwhile would hold
  /// the finished file: then the name leads elsewhere.
  private static func lock(_ draft: String, for path: String) throws(StoreError) -> CInt {
    for _ in 0..<triesMax {
      let file = open(draft, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, FileRights.file)
      guard file >= 0 else {
        throw StoreError(.cannotCreate, path, "it cannot be made: \(SystemError.latest)")
      }
      guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
        close(file)
        throw StoreError(.busy, path, "another process is writing it just now")
      }
      if FileIdentity(path: draft) == FileIdentity(descriptor: file) { return file }
      close(file)
    }
    throw StoreError(.busy, path, "other processes are writing it just now")
  }

  deinit {
    if !isPlaced {
      unlink(draft)
      Self.removeCompanions(of: draft)
    }
    close(file)
  }

  /// All connections to it must be closed.
  func place(as other: String? = nil) throws(StoreError) {
    try sync()
    let path = other ?? path
    faults.reach(.beforeDraftRename)
    guard rename(draft, path) == 0 else {
      throw StoreError(.cannotWrite, path, "it cannot be put in place: \(SystemError.latest)")
    }
    isPlaced = true
    faults.reach(.afterDraftRename)
    try Self.syncFolder(of: path)
  }

  func sync() throws(StoreError) {
    guard fsync(file) == 0 else {
      throw StoreError(.cannotWrite, path, "it cannot be written: \(SystemError.latest)")
    }
  }

  var byteCount: Int64 {
    FilePlace(descriptor: file)?.size ?? 0
  }

  static func syncFolder(of path: String) throws(StoreError) {
    let folder = self.folder(of: path)
    let file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file >= 0, fsync(file) == 0 else {
      let words = SystemError.latest
      if file >= 0 { close(file) }
      throw StoreError(.cannotWrite, folder, "the folder cannot be synced: \(words)")
    }
    close(file)
  }

  static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  static func removeCompanions(of path: String) {
    for end in companions { unlink(path + end) }
  }
}
