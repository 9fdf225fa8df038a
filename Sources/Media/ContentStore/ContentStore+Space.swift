internal import Glibc

extension ContentStore {
  /// How much a process without privileges may still write. Blocks.
  public func freeBytes() throws(MediaError) -> Int {
    var facts = statvfs()
    guard fstatvfs(media.fd, &facts) == 0 else { throw MediaError("measure", media.path) }
    // Some file systems report more than can be counted.
    let (bytes, overflows) = Int(clamping: facts.f_bavail)
      .multipliedReportingOverflow(by: Int(clamping: facts.f_frsize))
    return overflows ? .max : bytes
  }
}
