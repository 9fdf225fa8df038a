internal import CCurl
internal import Glibc
public import Model

/// The real network behind `Exchange`: libcurl on a thread of its own. It never tries again by
/// itself; `Crawl` decides that.
public final class CurlExchange: Exchange {
  private let mailbox: Mailbox
  private let thread: Locked<pthread_t?>
  /// Easy handles that are alive; zero when everything was given back.
  let census = Locked(0)

  public init(_ options: TransportOptions, timekeeper: Timekeeper = .live) throws {
    try options.check()
    let issuers = try options.issuers.loaded()
    guard isCurlReady, let multi = curl_multi_init() else {
      throw TransportOptions.Problem(description: "libcurl cannot be started: no memory left.")
    }
    mailbox = Mailbox(waking: multi)
    let loop = TransferLoop(
      multi, mailbox, options, issuers, timekeeper, census)
    var started = pthread_t()
    // The thread takes the loop over; nobody else keeps it.
    let context = Unmanaged.passRetained(loop)
    let result = pthread_create(&started, nil, runTransferLoop, context.toOpaque())
    guard result == 0 else {
      context.release()
      curl_multi_cleanup(multi)
      let reason = SystemError.words(for: result)
      throw TransportOptions.Problem(description: "No thread for transfers: \(reason).")
    }
    thread = Locked(started)
  }

  deinit {
    mailbox.beginClosing()
    if let thread = takeThread() { pthread_detach(thread) }
  }

  public func send(
    _ request: Request, into sink: (any BodySink)? = nil
  ) async throws(ExchangeFailure) -> Answer {
    let id = mailbox.newID()
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation {
        (continuation: CheckedContinuation<Result<Answer, ExchangeFailure>, Never>) in
        let order = Order(id: id, request: request, sink: sink, continuation: continuation)
        guard mailbox.post(.order(order)) else {
          let shown = SecretScreen(request.credential).clean(request.address)
          continuation.resume(
            returning: .failure(
              ExchangeFailure(
                .closed, cause: .network, address: shown, sentence: Sentences.closed(shown))))
          return
        }
        // A cancellation before the order was posted left a letter that found nothing to cancel.
        if Task.isCancelled { _ = mailbox.post(.cancel(id)) }
      }
    } onCancel: {
      _ = mailbox.post(.cancel(id))
    }
    return try outcome.get()
  }

  /// Ends every transfer with `.closed` and the thread with them.
  public func close() async {
    await mailbox.close()
    // The thread has said its last word, so this waits for its return only.
    if let thread = takeThread() { pthread_join(thread, nil) }
  }

  private func takeThread() -> pthread_t? {
    thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
  }
}

/// Done once for the process and never undone: other threads might still be inside.
private let isCurlReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

private func runTransferLoop(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  // Signals go to the program's own threads; and OpenSSL's writes to a closed socket then end in
  // an error instead of SIGPIPE.
  var all = sigset_t()
  sigfillset(&all)
  pthread_sigmask(SIG_SETMASK, &all, nil)
  if let context { Unmanaged<TransferLoop>.fromOpaque(context).takeRetainedValue().run() }
  return nil
}
