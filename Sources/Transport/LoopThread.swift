internal import CCurl
internal import Glibc
internal import Base

/// One transfer loop and its thread, which ends with `close` or when this object is released.
final class LoopThread: Sendable {
  let mailbox: Mailbox
  let executor: LoopExecutor
  private let thread: Locked<pthread_t?>

  init(
    _ options: TransportOptions, _ issuers: TrustedIssuers.Loaded, _ timekeeper: Timekeeper,
    _ census: Locked<Int>
  ) throws(TransportShortage) {
    guard isCurlReady, let multi = curl_multi_init() else {
      throw TransportShortage(description: "libcurl cannot be started: there is no memory left")
    }
    mailbox = Mailbox(waking: multi)
    executor = LoopExecutor(mailbox)
    let loop = TransferLoop(multi, mailbox, executor, options, issuers, timekeeper, census)
    var started = pthread_t()
    // The thread owns the loop from here on.
    let context = Unmanaged.passRetained(loop)
    let result = pthread_create(&started, nil, runTransferLoop, context.toOpaque())
    guard result == 0 else {
      context.release()
      curl_multi_cleanup(multi)
      let reason = SystemError.words(for: result)
      throw TransportShortage(description: "no thread for transfers can be started: \(reason)")
    }
    thread = Locked(started)
  }

  deinit {
    mailbox.beginClosing()
    if let thread = takeThread() { pthread_detach(thread) }
  }

  func close() async {
    await mailbox.close()
    // The loop has ended, so this only waits for the thread to return.
    if let thread = takeThread() { pthread_join(thread, nil) }
  }

  private func takeThread() -> pthread_t? {
    thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
  }
}

/// Too little memory or too few threads for this process.
public struct TransportShortage: Error, Sendable, CustomStringConvertible {
  public let description: String
}

/// Done once for the process and never undone, since other threads might still use it.
private let isCurlReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

private func runTransferLoop(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  // Signals go to the program's own threads; and OpenSSL's writes to a closed socket fail instead of raising SIGPIPE.
  var all = sigset_t()
  sigfillset(&all)
  pthread_sigmask(SIG_SETMASK, &all, nil)
  if let context { Unmanaged<TransferLoop>.fromOpaque(context).takeRetainedValue().run() }
  return nil
}

/// Runs tasks on the thread of a transfer loop; after the loop has ended, on the shared pool.
final class LoopExecutor: TaskExecutor {
  private let mailbox: Mailbox

  init(_ mailbox: Mailbox) { self.mailbox = mailbox }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if !mailbox.post(.job(job)) { globalConcurrentExecutor.enqueue(job) }
  }
}
