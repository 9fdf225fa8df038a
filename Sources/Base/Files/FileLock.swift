internal import Glibc

/// A lock on a file or folder for the lifetime of this object. The kernel releases it when the process dies, however it
/// dies, so no lock is ever stale; child programs do not inherit it.
public final class FileLock: Sendable {
  public enum Kind: Sendable { case shared, exclusive }

  public let descriptor: Int32

  /// Creates the file if there is none. Nil: another process held it for longer than the wait.
  /// - Parameter waiting: nil waits forever.
  public convenience init?(
    _ path: String, _ kind: Kind = .exclusive, mode: UInt32 = FileRights.file,
    waiting: Duration? = .zero
  ) throws(FileFailure) {
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode)
    guard file >= 0 else { throw FileFailure(.open) }
    try self.init(owning: file, kind, waiting: waiting)
  }

  /// Locks an open file and closes it in the end, even if it could not be locked.
  public init?(
    owning descriptor: Int32, _ kind: Kind = .exclusive, waiting: Duration? = .zero
  ) throws(FileFailure) {
    self.descriptor = descriptor
    guard try Self.take(descriptor, kind, waiting: waiting) else { return nil }
  }

  deinit {
    // Explicitly, since a child that is just being started keeps the file open a moment longer.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  private static let interval = Duration.milliseconds(10)

  /// Locks an open file until it is closed. False: another process held it for longer than the wait.
  public static func take(
    _ descriptor: Int32, _ kind: Kind = .exclusive, waiting: Duration? = .zero
  ) throws(FileFailure) -> Bool {
    let asks = waiting == nil ? 0 : LOCK_NB
    var left = waiting ?? .zero
    while flock(descriptor, (kind == .shared ? LOCK_SH : LOCK_EX) | asks) != 0 {
      switch errno {
      case EINTR: continue
      case EWOULDBLOCK where left > .zero:
        usleep(10_000)
        left -= interval
      case EWOULDBLOCK: return false
      case let code: throw FileFailure(.lock, code)
      }
    }
    return true
  }

  /// Whether a process holds an exclusive lock on a file. Takes a shared one for an instant, to find out.
  public static func isHeld(_ path: String) -> Bool {
    let file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { return false }
    // On a file system without locks no writer can hold one.
    do { return try FileLock(owning: file, .shared) == nil } catch { return false }
  }

  /// Whether the path still leads to the locked file, so that another process would lock the same one.
  public func isOn(_ path: String) -> Bool {
    FileIdentity(path: path) == FileIdentity(descriptor: descriptor)
  }
}
