internal import Glibc

/// If Dispatch cannot start a thread, it silently retries for ever. So a run's number of threads is started once,
/// before Dispatch is used.
enum ThreadLimit {
  static let cure =
    "more threads or memory must be allowed: ulimit -u, ulimit -v, or TasksMax= and MemoryMax= of the unit"

  /// A run has a queue for each of its parts, two transfer loops and a resolver.
  private static let wanted = 16
  /// These get as much memory as Dispatch's threads; the others only count.
  private static let whole = 2

  static var isTooLow: Bool {
    let gate = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    defer { gate.deallocate() }
    pthread_mutex_init(gate, nil)
    // They stay until all have started.
    pthread_mutex_lock(gate)
    let small = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    pthread_attr_init(small)
    pthread_attr_setstacksize(small, 64 << 10)
    defer {
      pthread_attr_destroy(small)
      small.deallocate()
    }
    var started: [pthread_t] = []
    for number in 0..<wanted {
      var thread = pthread_t()
      guard pthread_create(&thread, number < whole ? nil : small, passGate, gate) == 0 else {
        break
      }
      started.append(thread)
    }
    pthread_mutex_unlock(gate)
    for thread in started { pthread_join(thread, nil) }
    pthread_mutex_destroy(gate)
    return started.count < wanted
  }
}

private func passGate(_ gate: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  let gate = gate?.assumingMemoryBound(to: pthread_mutex_t.self)
  if let gate, pthread_mutex_lock(gate) == 0 { pthread_mutex_unlock(gate) }
  return nil
}
