internal import CLinux
internal import Glibc

/// How names are kept inside their folder.
enum PathGuard: Equatable, Sendable {
  /// The kernel refuses links and ways out, at every component (openat2).
  case kernel
  /// The kernel does not support it, or forbids it (the errno). Every name that is opened is one
  /// component below an open folder, and O_NOFOLLOW covers a last component: the same guarantee,
  /// kept by our own code instead of the kernel.
  case oneComponent(code: Int32)

  /// Asks the kernel once, with a harmless open.
  static func probe(_ folder: Int32) -> PathGuard {
    let opened = clinux_open_beneath(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    guard opened < 0 else {
      close(opened)
      return .kernel
    }
    let code = errno
    return code == ENOSYS || code == EPERM || code == E2BIG || code == EINVAL
      ? .oneComponent(code: code) : .kernel
  }

  /// Opens one component; -1 and errno as openat(2).
  func open(_ folder: Int32, _ name: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32
  {
    // A signal, or a rename elsewhere during the lookup: both are temporary.
    for _ in 0..<16 {
      let opened: Int32
      switch self {
      case .kernel:
        opened = clinux_open_beneath(folder, name, flags | O_NOFOLLOW | O_CLOEXEC, mode)
      case .oneComponent:
        opened = openat(folder, name, flags | O_NOFOLLOW | O_CLOEXEC, mode)
      }
      if opened >= 0 || (errno != EINTR && errno != EAGAIN) { return opened }
    }
    return -1
  }
}
