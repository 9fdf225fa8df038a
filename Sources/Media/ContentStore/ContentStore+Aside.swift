internal import Glibc

/// Wrong bytes are never deleted, and never keep a digest's name.
extension ContentStore {
  static let asideName = ".aside"
  private static let namesMax = 10_000

  /// Moves an entry of any kind to `media/.aside`. Returns the folders to sync: none if another
  /// process moved it first.
  func moveAside(
    _ name: UnsafePointer<CChar>, from folder: Folder
  ) throws(MediaError) -> [Folder] {
    let (aside, isNew) = try media.makeFolder(Self.asideName)
    for number in 0..<Self.namesMax {
      let taken = String(cString: name)
      let free = number == 0 ? taken : "\(taken).\(number)"
      if calls.rename(folder.fd, name, aside.fd, free) == 0 {
        return isNew ? [folder, aside, media] : [folder, aside]
      }
      if errno == ENOENT { return [] }
      guard errno == EEXIST else { throw MediaError("set aside", folder.path(of: name)) }
    }
    throw MediaError(kind: .io, action: "set aside", path: folder.path(of: name), code: EEXIST)
  }
}
