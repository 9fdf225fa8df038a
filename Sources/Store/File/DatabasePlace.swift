internal import Base

/// Whether what a store writes still lies where its folder says: a database, a log or a lock that
/// was removed or replaced takes everything that is written from then on, and no call fails.
struct DatabasePlace {
  private let folder: DataFolder
  let files: OpenedFiles
  /// Of the job that this store writes for.
  var lock: JobLock?

  /// Call it when the database and its log are open.
  init(_ folder: DataFolder) {
    self.folder = folder
    files = OpenedFiles([folder.path, folder.databasePath] + Self.log(of: folder))
  }

  private static func log(of folder: DataFolder) -> [String] {
    ["-wal", "-shm"].map { folder.databasePath + $0 }
  }

  func check() throws(StoreError) {
    if let change = files.change() {
      throw StoreError(.cannotWrite, change.path, message(change))
    }
    if let lock, !lock.isInPlace {
      throw StoreError(
        .cannotWrite, lock.path,
        "the lock file was removed or replaced during the run, so that another run of the job may "
          + "have begun; this one stops. Nothing is lost: run again, and let nothing else tidy the "
          + "data folder")
    }
  }

  private func message(_ change: OpenedFiles.Change) -> String {
    switch change.path {
    case folder.path:
      return "the data folder was moved, removed or replaced while it was open, and what was "
        + "stored went with it: put it back, or name its new place with --data, and run again"
    case folder.databasePath where change.isGone:
      return "the database was moved or removed while it was open, and what was stored went with "
        + "it: put it back while nothing runs, or run again to begin a new one"
    case folder.databasePath:
      return "another file was put in the place of the database while it was open, and what was "
        + "stored is not in it: run again, and exchange the file only while nothing runs"
    default:
      return "this part of the database was removed or replaced while it was open, so that what "
        + "was stored last may be missing: look with `trawl prove`, run again, and copy or remove "
        + "the database's files only together, while nothing runs"
    }
  }

  /// Whether the log may still be moved into the database that is open, which then leaves an empty
  /// one: beside another file in the database's place it would be played into that. Not where
  /// somebody else may be writing to a log of the same name.
  var mayMoveLog: Bool {
    // In a folder that was moved, all of it lies together as before.
    if files.change(of: folder.path) != nil { return true }
    return files.change(of: folder.databasePath + "-wal")?.isGone != false
      && files.change(of: folder.databasePath + "-shm") == nil
  }
}
