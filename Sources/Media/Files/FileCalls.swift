internal import CLinux
internal import Glibc
internal import Base

/// The calls whose order and failure decide what survives a crash. Tests replace them by recording
/// or failing ones; each behaves like the system call of its name and leaves its reason in errno.
struct FileCalls: Sendable {
  var write: @Sendable (Int32, UnsafeRawPointer, Int) -> Int
  var sync: @Sendable (Int32) -> Int32
  /// Syncs the whole file system of a folder.
  var syncAll: @Sendable (Int32) -> Int32
  /// Measures how long such a sync takes.
  var elapsed: @Sendable () -> Duration
  /// Never replaces: EEXIST if the new name is taken.
  var rename: @Sendable (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>) -> Int32

  static let system = FileCalls(
    write: { Glibc.write($0, $1, $2) },
    sync: { Glibc.fsync($0) },
    syncAll: { clinux_sync_all($0) },
    elapsed: Timekeeper.live.elapsed,
    rename: { renameNew($0, $1, $2, $3) })
}

/// If the file system's rename cannot refuse to replace, a second link and the removal of the first
/// do the same; a kill between the two leaves one more name of complete bytes in `.tmp`.
private func renameNew(
  _ from: Int32, _ oldName: UnsafePointer<CChar>, _ to: Int32, _ newName: UnsafePointer<CChar>
) -> Int32 {
  let renamed = clinux_rename_new(from, oldName, to, newName)
  guard renamed != 0, errno == EINVAL || errno == ENOSYS else { return renamed }
  guard linkat(from, oldName, to, newName, 0) == 0 else { return -1 }
  return unlinkat(from, oldName, 0)
}
