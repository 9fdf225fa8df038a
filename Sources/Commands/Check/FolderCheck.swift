internal import Glibc
internal import Base
internal import Crawl

/// The data folder: exists, is ours, and has room.
struct FolderCheck {
  let location: DataLocation

  var findings: [Finding] {
    var facts = stat()
    guard stat(location.folder, &facts) == 0 else { return [missing] }
    guard facts.st_mode & S_IFMT == S_IFDIR else {
      return [.problem("folder", "\(location.folder) is not a folder", .cannotCreate)]
    }
    return [permissions(facts), space]
  }

  /// The first run creates it, if it can.
  private var missing: Finding {
    guard errno == ENOENT else {
      return .problem(
        "folder", "\(location.folder) cannot be looked at: \(SystemError.latest)",
        .cannotCreate)
    }
    var facts = stat()
    var above = location.folder
    while above != "/", above != ".", access(above, F_OK) != 0 {
      guard lstat(above, &facts) != 0 else {
        return .problem(
          "folder", "\(above) is a symbolic link that leads nowhere",
          cure: "make what it leads to, or choose another with --data DIR", .cannotCreate)
      }
      above = AtomicFile.folder(of: above)
    }
    guard access(above, W_OK) == 0 else {
      return .problem(
        "folder", "\(location.folder) cannot be made: no permission to write in \(above)",
        cure: "choose another with --data DIR", .cannotCreate)
    }
    return .fine("folder", "\(location.folder) is not there yet; the first run makes it")
  }

  private func permissions(_ facts: stat) -> Finding {
    let mode = facts.st_mode & 0o7777
    let shown = "\(location.folder), mode \(String(mode, radix: 8))"
    if mode & 0o002 != 0 {
      return .problem(
        "folder", "\(shown): everyone can write in it",
        cure: "chmod o-w \(ShellWord.quoted(location.folder))")
    }
    if access(location.folder, W_OK) != 0 {
      return .note("folder", "\(shown): to be read only; runs need to write in it")
    }
    return .fine("folder", shown)
  }

  private var space: Finding {
    var facts = statvfs()
    guard statvfs(location.folder, &facts) == 0 else {
      return .problem("space", "cannot be read: \(SystemError.latest)")
    }
    let free = FreeSpace.bytes(facts.f_bavail, of: facts.f_frsize)
    let least = CrawlOptions().imageFreeBytesMin
    guard free >= least else {
      return .problem(
        "space", "only \(Wording.bytes(free)) are free",
        cure: "make room: images are not fetched below \(Wording.bytes(least))")
    }
    return .fine("space", "\(Wording.bytes(free)) free")
  }
}
