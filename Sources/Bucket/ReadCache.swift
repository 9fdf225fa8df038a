internal import Glibc
internal import Base

/// A folder for commands that only read, kept at the head's state: it claims nothing, and lacks what a worker of the
/// same machine has not put yet.
public struct ReadCache: Sendable {
  let folder: BucketFolder
  let cache: String

  public init(_ folder: BucketFolder, cache: String) {
    self.folder = folder
    self.cache = cache
  }

  /// A folder with the files of one head; it stays as long as this object.
  public final class Version: Sendable {
    public let path: String
    /// Who may write to the folder now.
    public let holder: String?
    private let lock: FileLock

    fileprivate init(_ path: String, _ holder: String?, _ lock: FileLock) {
      (self.path, self.holder, self.lock) = (path, holder, lock)
    }
  }

  /// Nil: nothing was put yet.
  /// - Parameter wantsFiles: also fetches reports and other side files.
  public func refresh(wantsFiles: Bool) throws(BucketError) -> Version? {
    try CacheFile.makeFolder("\(cache)/read")
    let turn = try CacheFile.lock("\(cache)/read.lock", waiting: nil)
    defer { withExtendedLifetime(turn) {} }
    let found = try folder.following { (seen) throws(BucketError) -> Version? in
      try version(of: seen)
    }
    guard let found else {
      try folder.refuseHeadless(cache: cache)
      return nil
    }
    if wantsFiles, let found { try fetchFiles(for: found.path) }
    return found
  }

  private func version(of seen: BucketFolder.Seen) throws(BucketError) -> Version? {
    let head = seen.head
    guard let digest = head.files[Claim.database]?.digest else { return nil }
    let name = "\(head.seq)-\(digest.prefix(8))"
    let path = "\(cache)/read/\(name)"
    if !CacheFile.isThere("\(path)/\(Claim.database)") { try make(head, at: path) }
    guard let lock = try CacheFile.lock("\(path)/.lock", .shared, waiting: .zero) else {
      throw .disk(path, "it is locked")
    }
    removeOthers(than: name)
    return Version(path, seen.holder, lock)
  }

  private func make(_ head: Head, at path: String) throws(BucketError) {
    let draft = "\(cache)/read/.draft"
    FolderNames.removeAll(draft)
    try CacheFile.makeFolder(draft)
    let last = FolderNames.all(of: "\(cache)/read").filter { !$0.hasPrefix(".") }
      .max { Head.Piece.seq(of: "0-\($0)") ?? 0 < Head.Piece.seq(of: "0-\($1)") ?? 0 }
    for (name, file) in head.files {
      let old = last.map { "\(cache)/read/\($0)/\(name)" } ?? ""
      let known = PageNotes("\(old).notes")
      var begins: PageNotes?
      if let known, Head.missing(of: file, behind: known.now.digest) != nil {
        // A version is never written to.
        try PageFile.copy(old, to: "\(draft)/\(name)")
        let copied = try PageDigests(of: PageFile(reading: "\(draft)/\(name)"))
        if copied == known.now { begins = known }
      }
      let notes = try folder.restore(name, file, to: "\(draft)/\(name)", from: begins)
      try notes.write(to: "\(draft)/\(name).notes")
    }
    try CacheFile.move(draft, to: path)
  }

  /// All versions share one set of side files.
  private func fetchFiles(for version: String) throws(BucketError) {
    let root = "\(cache)/read/.files"
    try CacheFile.makeFolder(root)
    try SideFiles(folder: folder, root: root, noteFile: "\(root)/.notes").fetch()
    for name in SideFiles.folders where symlink("../.files/\(name)", "\(version)/\(name)") != 0 {
      guard errno == EEXIST else { throw .disk("\(version)/\(name)", SystemError.latest) }
    }
  }

  /// Removes versions that are not being read.
  private func removeOthers(than name: String) {
    for other in FolderNames.all(of: "\(cache)/read") where other != name && !other.hasPrefix(".") {
      let path = "\(cache)/read/\(other)"
      // One that cannot be locked is being read, or is removed another time.
      if let lock = try? CacheFile.lock("\(path)/.lock", waiting: .zero) {
        withExtendedLifetime(lock) { FolderNames.removeAll(path) }
      }
    }
  }
}
