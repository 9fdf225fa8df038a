internal import Base
public import Media
public import Store

/// The last step of forgetting: removes image files of forgotten records and rewrites the database. What a kill leaves
/// undone is done by the next `forget` or run.
public struct Wiping: Sendable {
  let store: RecordStore
  let content: ContentStore?

  public init(_ store: RecordStore, _ content: ContentStore?) {
    (self.store, self.content) = (store, content)
  }

  /// - Returns: the process that still reads an older state; nil: nothing is left to do.
  public func finish() async throws -> String? {
    guard let files = try await store.unwipedFiles() else { return nil }
    let images = files.compactMap { StoredImage($0) }
    if let content {
      // No row refers to them, so even a file that was just written goes, and so does what a kill left without a name.
      let limit = Instant(seconds: .max / 1_000_000)
      _ = try await content.perform { store throws(MediaError) in
        _ = try store.sweep()
        try store.deleteAside()
        return try store.delete(images, unlessTouchedSince: limit)
      }
    }
    return try await store.wipe()
  }
}
