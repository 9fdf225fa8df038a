internal import Glibc

/// Which file lies under a path: equal until it is removed or replaced.
public struct FileIdentity: Sendable, Equatable {
  public let device: UInt64
  public let inode: UInt64
}

extension FileIdentity {
  /// Nil when nothing lies there.
  public init?(path: String) {
    guard let place = FilePlace(path: path) else { return nil }
    self = place.identity
  }

  public init?(descriptor: Int32) {
    guard let place = FilePlace(descriptor: descriptor) else { return nil }
    self = place.identity
  }

  init(_ facts: stat) {
    device = UInt64(truncatingIfNeeded: facts.st_dev)
    inode = UInt64(truncatingIfNeeded: facts.st_ino)
  }
}

/// Files that are open for writing, and whether their paths still lead to them. What is written to
/// a file that was removed goes nowhere, and no call says so.
public struct OpenedFiles: Sendable {
  /// The first path that leads elsewhere now.
  public struct Change: Sendable, Equatable {
    public var path: String
    /// Nothing lies there; otherwise another file does.
    public var isGone: Bool
  }

  private let files: [(path: String, identity: FileIdentity?)]

  /// Call it when all of them are open. A path where nothing lies yet is not watched. The order is
  /// that in which changes are looked for: what holds the others comes first.
  public init(_ paths: [String]) {
    files = paths.map { ($0, FileIdentity(path: $0)) }
  }

  public func change() -> Change? {
    for (path, _) in files {
      if let change = change(of: path) { return change }
    }
    return nil
  }

  public func change(of path: String) -> Change? {
    guard let identity = files.first(where: { $0.path == path })?.identity else { return nil }
    let now = FileIdentity(path: path)
    return now == identity ? nil : Change(path: path, isGone: now == nil)
  }
}
