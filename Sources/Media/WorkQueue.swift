internal import Base

/// Threads for blocking calls: Swift's own pool must never wait for a disk.
final class WorkQueue: Sendable {
  private let threadsMax: Int

  init(threadsMax: Int) { self.threadsMax = threadsMax }

  /// Runs the body once on a thread of its own.
  func run<Outcome: Sendable>(_ body: @escaping @Sendable () -> Outcome) async -> Outcome {
    await withCheckedContinuation { continuation in
      let call = { @Sendable in continuation.resume(returning: body()) }
      // If no more threads are available, this one does the work.
      if !BlockingThread.start(call) { call() }
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
