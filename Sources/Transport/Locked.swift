internal import Glibc

/// A value behind a POSIX mutex. The standard library's mutex would do, but the thread sanitizer
/// does not see its futexes and reports correct programs.
///
/// `@unchecked Sendable`: the value is reached only inside `withLock`, which holds the mutex.
final class Locked<Value>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var value: Value

  init(_ value: Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    let result = pthread_mutex_init(mutex, nil)
    precondition(result == 0, "a plain mutex needs no resource that could be missing")
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let locked = pthread_mutex_lock(mutex)
    precondition(locked == 0, "the mutex is initialised and never locked twice by one thread")
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
