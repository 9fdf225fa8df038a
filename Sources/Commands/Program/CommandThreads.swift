internal import Dispatch

/// Threads for commands, which lock files, sync reports and write to terminals that may be stopped. Swift's own pool
/// has only one thread for each processor: one that waited for a disk would delay requests. These threads may block;
/// others are added then.
final class CommandThreads: TaskExecutor {
  static let shared = CommandThreads()

  private let queue = DispatchQueue(label: "trawl.commands", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
