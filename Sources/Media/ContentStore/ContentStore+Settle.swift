internal import Glibc

/// From memory or the temporary folder to the final name, durably.
extension ContentStore {
  /// How many files of a group are synced one by one at most: each is an open descriptor until then.
  private static let openFilesOfGroupMax = 256

  /// Makes finished images durable under their names: the files are written and synced, then
  /// renamed, then the folders are synced; many files are synced by one sync of their file system
  /// in each step. Only when this returns may rows name them.
  ///
  /// An error acknowledges none of the group. Complete files that already have their name stay, and
  /// are found again when the same bytes arrive. After a failed sync nothing more is settled.
  public func settle(_ group: [FinishedImage]) async throws(MediaError) -> [SettledImage] {
    var settled: [SettledImage] = []
    settled.reserveCapacity(group.count)
    var rest = group[...]
    while !rest.isEmpty {
      let syncsAll = syncsAll(of: rest.count)
      let part = Array(rest.prefix(syncsAll ? rest.count : partMax))
      rest = rest.dropFirst(part.count)
      let done = try await Settlement(of: part, in: self, syncsAll: syncsAll).run()
      try await keep(done)
      settled += done
    }
    return settled
  }

  private var partMax: Int { min(openFilesMax, Self.openFilesOfGroupMax) }
}

/// An image that survives a power cut.
public struct SettledImage: Equatable, Sendable {
  public enum Placement: String, Sendable {
    case new
    /// The same bytes were already stored.
    case known
    /// The file with this name had other bytes, a damaged copy: it was set aside.
    case mended
  }

  public var image: StoredImage
  public var placement: Placement
}

/// Wrong bytes are deleted only when something is forgotten, and never stay under a digest's name.
extension ContentStore {
  static let asideName = ".aside"
  private static let namesMax = 10_000

  /// Moves an entry, of whatever kind, to `media/.aside`. Returns the folders to sync: none if
  /// another process moved it first.
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

  /// Deletes the files that were set aside: no row says whose they were.
  public func deleteAside() throws(MediaError) {
    guard let aside = try media.folder(Self.asideName) else { return }
    var found: [String] = []
    try aside.eachName { (name) throws(MediaError) in
      guard let facts = try aside.entry(name), facts.st_mode & S_IFMT != S_IFDIR else { return }
      found.append(String(cString: name))
    }
    for name in found { try aside.remove(name) }
  }
}
