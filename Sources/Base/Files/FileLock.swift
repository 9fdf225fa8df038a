internal import Glibc

/// A lock on a file or folder, for as long as this object is there. The kernel takes it back when the process
/// dies, however it dies, so no lock is ever stale; no program that is started inherits it.
public final class FileLock: Sendable {
  public enum Kind: Sendable { case shared, exclusive }

  public let descriptor: Int32

  /// Makes the file where there is none. Nil: another process held it for longer than the wait.
  /// - Parameter waiting: nil waits as long as it takes.
  public convenience init?(
    _ path: String, _ kind: Kind = .exclusive, mode: UInt32 = FileRights.file,
    waiting: Duration? = .zero
  ) throws(FileFailure) {
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode)
    guard file >= 0 else { throw FileFailure(.open) }
    try self.init(owning: file, kind, waiting: waiting)
  }

  /// Locks what is open, and closes it in the end, also where it is not locked.
  public init?(
    owning descriptor: Int32, _ kind: Kind = .exclusive, waiting: Duration? = .zero
  ) throws(FileFailure) {
    self.descriptor = descriptor
    guard try Self.take(descriptor, kind, waiting: waiting) else { return nil }
  }

  deinit {
    // By itself, since a child that is being born just now holds the open file a moment longer.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  private static let interval = Duration.milliseconds(10)

  /// Locks what is open, until it is closed. False: another process held it for longer than the wait.
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

  /// Whether the file that is locked is still the one that another process would lock.
  public func isOn(_ path: String) -> Bool {
    FileIdentity(path: path) == FileIdentity(descriptor: descriptor)
  }
}
