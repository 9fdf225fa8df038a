internal import Dispatch

/// Where commands run. They lock files, sync reports and write to terminals that may be stopped,
/// and Swift's own pool has only as many threads as there are processors: one that waits for a disk
/// there would keep requests from going on. These threads may block; when they do, others come.
final class CommandThreads: TaskExecutor {
  static let shared = CommandThreads()

  private let queue = DispatchQueue(label: "trawl.commands", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
