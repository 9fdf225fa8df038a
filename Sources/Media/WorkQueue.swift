internal import Glibc
internal import Model

/// A few threads for calls that block: Swift's own pool has only as many as there are processors
/// and must never wait for a disk. The threads end when the queue is let go of.
final class WorkQueue: Sendable {
  private let line: WorkLine
  private let threadsMax: Int

  init(threadsMax: Int) {
    self.threadsMax = threadsMax
    line = WorkLine(threadsMax: threadsMax)
  }

  deinit { line.close() }

  /// Runs the body once on one of the threads.
  func run<Outcome: Sendable>(_ body: @escaping @Sendable () -> Outcome) async -> Outcome {
    await withCheckedContinuation { continuation in
      line.add { continuation.resume(returning: body()) }
    }
  }

  /// Runs the body for 0..<count, as many side by side as there are threads.
  func forEach(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
    guard count > 0 else { return }
    await withCheckedContinuation { continuation in
      let progress = Locked((next: 0, done: 0))
      for _ in 0..<min(count, threadsMax) {
        line.add {
          while let index = progress.withLock({ Self.next(&$0, of: count) }) {
            body(index)
            let isLast = progress.withLock {
              $0.done += 1
              return $0.done == count
            }
            if isLast { continuation.resume() }
          }
        }
      }
    }
  }

  private static func next(_ progress: inout (next: Int, done: Int), of count: Int) -> Int? {
    guard progress.next < count else { return nil }
    progress.next += 1
    return progress.next - 1
  }
}

/// The line of work and its threads, which hold it and not the queue.
private final class WorkLine: @unchecked Sendable {
  // Sendable: everything below is touched only under `mutex`.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let arrival = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private let threadsMax: Int
  private var jobs: [@Sendable () -> Void] = []
  private var threads = 0
  private var idle = 0
  private var isClosed = false

  init(threadsMax: Int) {
    self.threadsMax = threadsMax
    mutex.initialize(to: pthread_mutex_t())
    arrival.initialize(to: pthread_cond_t())
    let made = (pthread_mutex_init(mutex, nil), pthread_cond_init(arrival, nil))
    precondition(made == (0, 0), "a lock cannot be made: \(made)")
  }

  deinit {
    pthread_cond_destroy(arrival)
    pthread_mutex_destroy(mutex)
    arrival.deallocate()
    mutex.deallocate()
  }

  func add(_ job: @escaping @Sendable () -> Void) {
    pthread_mutex_lock(mutex)
    jobs.append(job)
    let starts = idle < jobs.count && threads < threadsMax
    if starts { threads += 1 }
    pthread_cond_signal(arrival)
    pthread_mutex_unlock(mutex)
    if starts { start() }
  }

  func close() {
    pthread_mutex_lock(mutex)
    isClosed = true
    pthread_cond_broadcast(arrival)
    pthread_mutex_unlock(mutex)
  }

  /// A thread's main: jobs until the queue is closed and the line empty.
  func work() {
    while let job = next() { job() }
  }

  private func next() -> (@Sendable () -> Void)? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while jobs.isEmpty, !isClosed {
      idle += 1
      pthread_cond_wait(arrival, mutex)
      idle -= 1
    }
    return jobs.isEmpty ? nil : jobs.removeFirst()
  }

  private func start() {
    var thread = pthread_t()
    let held = Unmanaged.passRetained(self)
    let made = pthread_create(&thread, nil, workerMain, held.toOpaque())
    guard made != 0 else {
      pthread_detach(thread)
      return
    }
    // No more threads are to be had: those that run do the work, and without any, this one does.
    held.release()
    pthread_mutex_lock(mutex)
    threads -= 1
    let isAlone = threads == 0
    pthread_mutex_unlock(mutex)
    if isAlone { drain() }
  }

  private func drain() {
    while true {
      pthread_mutex_lock(mutex)
      let job = jobs.isEmpty ? nil : jobs.removeFirst()
      pthread_mutex_unlock(mutex)
      guard let job else { return }
      job()
    }
  }
}

private func workerMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let context { Unmanaged<WorkLine>.fromOpaque(context).takeRetainedValue().work() }
  return nil
}
