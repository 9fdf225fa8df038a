internal import Base
public import Media
public import Store

extension RecordStore {
  /// The last step of forgetting: removes image files of forgotten records and rewrites the database. What a kill
  /// leaves undone is done by the next `forget` or run.
  /// - Returns: the process that still reads an older state; nil: nothing is left to do.
  public nonisolated func wipe(with content: ContentStore) async throws -> String? {
    guard let files = try await unwipedFiles() else { return nil }
    let images = files.compactMap { StoredImage($0) }
    // No row refers to them, so even a file that was just written goes, and so does what a kill left without a name.
    let limit = Instant(seconds: .max / 1_000_000)
    _ = try await content.perform { store throws(MediaError) in
      _ = try store.sweep()
      try store.deleteAside()
      return try store.delete(images, unlessTouchedSince: limit)
    }
    return try await wipe()
  }
}
