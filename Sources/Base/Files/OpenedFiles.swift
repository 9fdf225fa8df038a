internal import Glibc

/// The identity of the file at a path: equal until it is removed or replaced.
public struct FileIdentity: Sendable, Equatable {
  public let device: UInt64
  public let inode: UInt64
}

extension FileIdentity {
  /// Nil if there is no such file.
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

/// Files that are open for writing, and whether their paths still lead to them. Writes to a removed file succeed but
/// are lost.
public struct OpenedFiles: Sendable {
  /// The first path that leads elsewhere now.
  public struct Change: Sendable, Equatable {
    public var path: String
    /// No file is there any more; otherwise another one is.
    public var isGone: Bool
  }

  private let files: [(path: String, identity: FileIdentity?)]

  /// Call it when all of them are open. A path without a file is not watched. Changes are looked for in this order: put
  /// what holds the others first.
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
