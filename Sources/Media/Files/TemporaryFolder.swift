internal import Glibc
internal import Base

/// `media/.tmp/<pid>-<n>`: where one process keeps its unfinished files. A lock on the folder shows
/// whether the process lives: the kernel releases it however the process dies.
final class TemporaryFolder: Sendable {
  static let parentName = ".tmp"
  private static let triesMax = 1_000

  let folder: Folder
  private let parent: Folder
  private let name: String

  private init(_ folder: Folder, name: String, in parent: Folder) {
    self.folder = folder
    self.name = name
    self.parent = parent
  }

  deinit {
    // Anything that is not empty or cannot be removed stays for the sweep of the next run.
    unlinkat(parent.fd, name, AT_REMOVEDIR)
  }

  static func make(in media: Folder) throws(MediaError) -> TemporaryFolder {
    let parent = try media.makeFolder(parentName).folder
    for number in 0..<triesMax {
      let name = "\(getpid())-\(number)"
      guard mkdirat(parent.fd, name, Folder.folderMode & 0o777) == 0 else {
        if errno == EEXIST { continue }
        throw MediaError("create", parent.path(of: name))
      }
      // A sweep of another process may remove the folder before it is locked: then the next one is
      // tried.
      guard let folder = try parent.folder(name), folder.lockIfFree(),
        try folder.isStill(name, in: parent)
      else { continue }
      return TemporaryFolder(folder, name: name, in: parent)
    }
    throw MediaError(kind: .io, action: "create a folder in", path: parent.path, code: EEXIST)
  }

  /// Removes what dead processes left; touches nothing of live ones. Returns how many files.
  static func sweep(in media: Folder) throws(MediaError) -> Int {
    var count = 0
    guard let parent = try media.folder(parentName) else { return count }
    try parent.eachName { (raw) throws(MediaError) in
      let name = String(cString: raw)
      guard isOurs(name), let folder = try parent.folder(name), folder.lockIfFree() else { return }
      try folder.eachName { (file) throws(MediaError) in
        if try folder.remove(file) { count += 1 }
      }
      try parent.remove(name, isFolder: true)
    }
    return count
  }

  /// Only names of our form: digits, a hyphen, digits.
  private static func isOurs(_ name: String) -> Bool {
    let parts = name.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return parts.count == 2
      && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { (48...57).contains($0) } }
  }
}

extension Folder {
  /// A folder that cannot be locked counts as locked.
  fileprivate func lockIfFree() -> Bool { (try? FileLock.take(fd)) == true }

  fileprivate func isStill(_ name: String, in parent: Folder) throws(MediaError) -> Bool {
    var own = stat()
    guard fstat(fd, &own) == 0 else { throw MediaError("look at", path) }
    guard let named = try parent.entry(name) else { return false }
    return named.st_ino == own.st_ino && named.st_dev == own.st_dev
  }
}
