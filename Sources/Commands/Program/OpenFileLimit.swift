internal import Glibc

/// Large images are open files until a group of them is durable, and several jobs may run side by side.
enum OpenFileLimit {
  private static let wanted: rlim_t = 16_384

  /// Raises what a process may have open to what it may ask for. The usual 1,024 are so few for the
  /// sake of programs that use select(2); neither we nor libcurl do.
  static func raise() {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < wanted else { return }
    limit.rlim_cur = min(wanted, limit.rlim_max)
    // Where it is refused, fewer images are kept open at a time.
    _ = setrlimit(resource, &limit)
  }
}
