internal import Glibc

/// How much room there is, and how much is taken. Blocks.
extension ContentStore {
  public struct Space: Equatable, Sendable {
    /// What a process without privileges may still write.
    public var freeBytes: Int
    var totalBytes: Int
    /// Files that may still be made; nil where the file system does not count them.
    var freeFiles: Int?
  }

  public func space() throws(MediaError) -> Space {
    var facts = statvfs()
    guard fstatvfs(media.fd, &facts) == 0 else { throw MediaError("measure", media.path) }
    let block = Int(clamping: facts.f_frsize)
    return Space(
      freeBytes: Int(clamping: facts.f_bavail).multipliedWithCap(by: block),
      totalBytes: Int(clamping: facts.f_blocks).multipliedWithCap(by: block),
      freeFiles: facts.f_files == 0 ? nil : Int(clamping: facts.f_favail))
  }

  struct Totals: Equatable, Sendable {
    var files = 0
    var bytes = 0
  }

  /// Counts the stored files by looking at each: a second for some 200,000. The rows know it faster.
  func totals() throws(MediaError) -> Totals {
    var totals = Totals()
    for byte in UInt8.min...UInt8.max {
      guard let folder = try media.folder(StoredImage.folderName(byte)) else { continue }
      try folder.eachName { (name) throws(MediaError) in
        guard let facts = try folder.entry(name), facts.st_mode & S_IFMT == S_IFREG else { return }
        totals.files += 1
        totals.bytes += Int(facts.st_size)
      }
    }
    return totals
  }
}

extension Int {
  /// Some file systems claim more than can be counted.
  fileprivate func multipliedWithCap(by other: Int) -> Int {
    let (product, overflows) = multipliedReportingOverflow(by: other)
    return overflows ? .max : product
  }
}
