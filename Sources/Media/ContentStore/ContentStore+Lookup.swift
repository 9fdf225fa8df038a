internal import Glibc
public import Base

/// Looking up, reading and removing. All of it blocks.
extension ContentStore {
  /// Opens a stored file; nil if it does not exist.
  func open(_ digest: SHA256Digest, _ kind: ImageKind) throws(MediaError) -> FileReading? {
    guard let folder = try media.folder(StoredImage.folderName(digest.folder)) else { return nil }
    do {
      return try FileReading.open(StoredImage.fileName(digest, kind), in: folder)
    } catch {
      if error.kind == .missing { return nil }
      throw error
    }
  }

  /// All bytes of a stored file, up to this limit; nil if it does not exist or is larger.
  public func bytes(
    _ digest: SHA256Digest, _ kind: ImageKind, max: Int
  ) throws(MediaError) -> [UInt8]? {
    guard let file = try open(digest, kind), file.byteCount <= max else { return nil }
    return try file.bytes()
  }

  public struct Deletion: Equatable, Sendable {
    public var deleted = 0
    public var bytes = 0
    /// Touched since: a row may be about to refer to them.
    public var kept = 0
  }

  /// Removes files that no row refers to any more, unless they were stored, or found again by a
  /// download, since the given time. Settling holds the other side of the lock, so that no file can
  /// be found again between the check of its time and its removal. Not synced: after a power cut a
  /// file may be back, which the next collection removes again.
  public func delete(
    _ images: [StoredImage], unlessTouchedSince limit: Instant
  ) throws(MediaError) -> Deletion {
    var deletion = Deletion()
    for image in images {
      let lock = try media.lock(.exclusive)
      defer { withExtendedLifetime(lock) {} }
      guard let folder = try media.folder(image.folderName),
        let facts = try folder.entry(image.fileName)
      else {
        if keeper != nil {
          try removeKept(image)
          deletion.deleted += 1
          deletion.bytes += image.byteCount
        }
        continue
      }
      if facts.touchedAt >= limit {
        deletion.kept += 1
        continue
      }
      try removeKept(image)
      if try folder.remove(image.fileName) {
        deletion.deleted += 1
        deletion.bytes += Int(facts.st_size)
      }
    }
    return deletion
  }
}

extension stat {
  /// When the bytes were written, or last downloaded again.
  var touchedAt: Instant {
    Instant(milliseconds: Int64(st_mtim.tv_sec) * 1000 + Int64(st_mtim.tv_nsec) / 1_000_000)
  }
}
