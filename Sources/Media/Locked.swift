internal import Glibc

/// A value behind a lock of its own. A plain pthread mutex, because the thread sanitiser sees it.
final class Locked<Value>: @unchecked Sendable {
  // Sendable: `value` is touched only between lock and unlock.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var value: Value

  init(_ value: Value) {
    self.value = value
    mutex.initialize(to: pthread_mutex_t())
    let made = pthread_mutex_init(mutex, nil)
    precondition(made == 0, "a lock cannot be made: \(made)")
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func withLock<Outcome, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Outcome
  ) throws(Failure) -> Outcome {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
