internal import Base

/// The right to create the database, or to put another one in its place.
public final class CreationLock {
  private let lock: FileLock?

  /// Held for milliseconds while the file is made.
  public init(_ folder: DataFolder) throws(StoreError) {
    let path = try folder.folder("locks") + "/database"
    do { lock = try FileLock(path, waiting: nil) } catch { throw StoreError(lock: error, path) }
  }
}

extension StoreError {
  init(lock failure: FileFailure, _ path: String) {
    self =
      failure.action == .open
      ? StoreError(.cannotCreate, path, "the lock file cannot be opened: \(failure.words)")
      : StoreError(failure, on: path)
  }
}
