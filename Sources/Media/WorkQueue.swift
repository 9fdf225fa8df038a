internal import Glibc
internal import Base

/// A few threads for blocking calls: Swift's own pool has only as many as there are processors and
/// must never wait for a disk. The threads end when the queue is released.
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

  /// Runs the body for 0..<count, in parallel on as many threads as there may be. None begins after
  /// one has failed.
  func forEach<Failure: Error>(
    _ count: Int, atOnce: Int = .max, _ body: @escaping @Sendable (Int) throws(Failure) -> Void
  ) async throws(Failure) {
    let progress = Locked<(next: Int, failure: Failure?)>((0, nil))
    await withTaskGroup { group in
      for _ in 0..<min(count, threadsMax, atOnce) {
        group.addTask {
          await self.run {
            while true {
              let index = progress.withLock { progress in
                defer { progress.next += 1 }
                return progress.failure == nil && progress.next < count ? progress.next : nil
              }
              guard let index else { return }
              do throws(Failure) { try body(index) } catch {
                progress.withLock { $0.failure = $0.failure ?? error }
              }
            }
          }
        }
      }
    }
    if let failure = progress.withLock({ $0.failure }) { throw failure }
  }
}

/// The queue of jobs and its threads, which hold this and not the `WorkQueue`.
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
  /// - Parameter waits: false: until the line is empty.
  func work(waits: Bool = true) {
    while let job = next(waits: waits) { job() }
  }

  private func next(waits: Bool) -> (@Sendable () -> Void)? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while jobs.isEmpty, waits, !isClosed {
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
    // No more threads are available: the running ones do the work, and if there are none, this one
    // does.
    held.release()
    pthread_mutex_lock(mutex)
    threads -= 1
    let isAlone = threads == 0
    pthread_mutex_unlock(mutex)
    if isAlone { work(waits: false) }
  }

}

private func workerMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let context { Unmanaged<WorkLine>.fromOpaque(context).takeRetainedValue().work() }
  return nil
}
