internal import Glibc

/// A value shared by threads, with its own lock: the only kind of lock around a value in Trawl. It is a POSIX mutex
/// because the thread sanitiser understands it: the standard library's lock waits on futexes, for which correct
/// programs are reported. It also misjudges a value without a size, such as `()`, which has the object's own address: use
/// `false`.
public final class Locked<Value>: @unchecked Sendable {
  // Sendable: `value` is touched only inside `withLock`, which holds the mutex.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var value: Value

  public init(_ value: Value) {
    self.value = value
    mutex.initialize(to: pthread_mutex_t())
    let made = pthread_mutex_init(mutex, nil)
    precondition(made == 0, "a plain mutex needs no resource that could be missing: \(made)")
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs the body with exclusive access; the body must not lock the same value again.
  public func withLock<Outcome, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Outcome
  ) throws(Failure) -> Outcome {
    let locked = pthread_mutex_lock(mutex)
    precondition(locked == 0, "the mutex is whole and held by no thread that waits for itself")
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
