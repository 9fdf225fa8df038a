/// Runs tasks on the thread of a transfer loop. Once the loop has ended, they go on where any task runs.
final class LoopExecutor: TaskExecutor {
  private let mailbox: Mailbox

  init(_ mailbox: Mailbox) { self.mailbox = mailbox }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if !mailbox.post(.job(job)) { globalConcurrentExecutor.enqueue(job) }
  }
}
