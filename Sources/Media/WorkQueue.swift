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

  /// Runs the body for 0..<count, in parallel on as many threads as find work: each wakes the next
  /// one before it begins, so that short work wakes few of them and long work all. None begins
  /// after one has failed.
  func forEach<Failure: Error>(
    _ count: Int, atOnce: Int = .max, _ body: @escaping @Sendable (Int) throws(Failure) -> Void
  ) async throws(Failure) {
    guard count > 0 else { return }
    let failure = Locked<Failure?>(nil)
    await withCheckedContinuation { continuation in
      let round = Round(of: count, threadsMax: min(threadsMax, atOnce)) { index in
        guard failure.withLock({ $0 == nil }) else { return }
        do throws(Failure) { try body(index) } catch { failure.withLock { $0 = $0 ?? error } }
      } end: {
        continuation.resume()
      }
      Self.call(to: round, line)
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
  }

  private static func call(to round: Round, _ line: WorkLine) {
    line.add {
      guard let first = round.enter() else { return }
      if first.callsAnother { call(to: round, line) }
      round.work(from: first.index)
    }
  }
}

/// One body for many indices, and the threads that share them.
private final class Round: Sendable {
  private let count: Int
  private let threadsMax: Int
  private let body: @Sendable (Int) -> Void
  private let end: @Sendable () -> Void
  private let progress = Locked((next: 0, done: 0, threads: 0))

  init(
    of count: Int, threadsMax: Int, _ body: @escaping @Sendable (Int) -> Void,
    end: @escaping @Sendable () -> Void
  ) {
    self.count = count
    self.threadsMax = threadsMax
    self.body = body
    self.end = end
  }

  /// A thread's first index, and whether there is work for another thread; nil if all is taken.
  func enter() -> (index: Int, callsAnother: Bool)? {
    progress.withLock {
      guard $0.next < count else { return nil }
      $0.next += 1
      $0.threads += 1
      return ($0.next - 1, $0.next < count && $0.threads < threadsMax)
    }
  }

  func work(from first: Int) {
    var index: Int? = first
    while let taken = index {
      body(taken)
      let isLast: Bool
      (index, isLast) = progress.withLock { progress in
        progress.done += 1
        guard progress.next < count else { return (nil, progress.done == count) }
        progress.next += 1
        return (progress.next - 1, false)
      }
      if isLast { end() }
    }
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
    // No more threads are available: the running ones do the work, and if there are none, this one
    // does.
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
