internal import Dispatch

/// Runs an actor on a queue of its own, so that calls that may block (SQLite's) never hold a
/// thread of the shared pool.
public final class QueueExecutor: SerialExecutor {
  private let queue: DispatchQueue

  public init(label: String) { queue = DispatchQueue(label: label) }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  public func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
