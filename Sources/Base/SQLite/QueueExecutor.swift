internal import Dispatch

/// Runs an actor on its own queue, so that blocking calls (SQLite's) never hold a thread of the shared pool.
public final class QueueExecutor: SerialExecutor {
  private let queue: DispatchQueue

  public init(label: String) { queue = DispatchQueue(label: label) }

  /// Runs a blocking body, for callers that are not actors.
  public func run<Outcome: Sendable>(
    _ body: @escaping @Sendable () -> Outcome
  ) async -> Outcome {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: body()) }
    }
  }

  /// Runs a body after everything that is queued now.
  public func behindAll(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  public func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}

/// Runs tasks on an actor's queue as if they were the actor's: calling it needs no thread switch.
public final class QueueTasks: TaskExecutor {
  private let queue: QueueExecutor

  public init(of queue: QueueExecutor) { self.queue = queue }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.behindAll { [self] in
      job.runSynchronously(
        isolatedTo: queue.asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }
  }
}
