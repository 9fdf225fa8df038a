internal import Glibc

/// A file system of a few megabytes in memory, mounted for one test. Needs permission to mount.
public final class SmallDisk: Sendable {
  /// Whether this process may mount: usually only root may.
  public static let isPossible = SmallDisk(bytes: 1 << 20) != nil

  private let folder = ScratchFolder()
  public var path: String { "\(folder.path)/disk" }

  public init?(bytes: Int) {
    mkdir("\(folder.path)/disk", 0o755)
    guard mount("tmpfs", "\(folder.path)/disk", "tmpfs", 0, "size=\(bytes)") == 0 else {
      return nil
    }
  }

  deinit { umount2(path, Int32(MNT_DETACH)) }

  /// Changes the size of the disk itself: filling it would take memory.
  public func resize(leaving room: Int) {
    var facts = statvfs()
    guard statvfs(path, &facts) == 0 else { return }
    let used = Int(facts.f_blocks - facts.f_bfree) * Int(facts.f_frsize)
    let result = mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT), "size=\(used + room)")
    precondition(result == 0, "no other size of the small disk: errno \(errno)")
  }

  /// Fills the disk up to the given room.
  public func fill(leaving room: Int) {
    unlink("\(path)/filler")
    var facts = statvfs()
    guard statvfs(path, &facts) == 0 else { return }
    let free = Int(facts.f_bavail) * Int(facts.f_frsize)
    let file = open("\(path)/filler", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    precondition(file >= 0, "no file on the small disk: errno \(errno)")
    posix_fallocate(file, 0, max(1, free - room))
    close(file)
  }

  /// Frees the room again.
  public func makeRoom() { unlink("\(path)/filler") }
}
