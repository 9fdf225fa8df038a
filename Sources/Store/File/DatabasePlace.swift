internal import Base

/// Whether the files that a store writes are still in their folder: if a database, a log or a lock
/// is removed or replaced, everything written from then on is lost, and no call fails.
struct DatabasePlace {
  private let folder: DataFolder
  let files: OpenedFiles
  /// The lock of the job that this store writes for.
  var lock: JobLock?

  /// Call it once the database and its log are open.
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

  /// Whether the log may still be moved into the open database. Left beside another file in the database's place, it
  /// would be replayed into that one. Not if another process may be writing to a log of the same name.
  var mayMoveLog: Bool {
    // In a folder that was moved, all files are together as before.
    if files.change(of: folder.path) != nil { return true }
    return files.change(of: folder.databasePath + "-wal")?.isGone != false
      && files.change(of: folder.databasePath + "-shm") == nil
  }
}
