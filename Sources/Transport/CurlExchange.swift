public import Base

/// The real network behind `Exchange`: two libcurl loops, each on a thread of its own. Bodies that go
/// into a sink come by the second, so that a slow disk, or downloads that take all their places, never
/// hold up an API's pages. It never tries again by itself; `Crawl` decides that.
public final class CurlExchange: Exchange {
  private let answers: LoopThread
  private let downloads: LoopThread
  /// Easy handles that are alive; zero when everything was given back.
  let census = Locked(0)

  public init(_ options: TransportOptions, timekeeper: Timekeeper = .live) throws {
    let issuers = try options.issuers.loaded()
    answers = try LoopThread(options.ofAnswers, issuers, timekeeper, census)
    downloads = try LoopThread(options, issuers, timekeeper, census)
  }

  public func send(
    _ request: Request, into sink: (any BodySink)? = nil
  ) async throws(ExchangeFailure) -> Answer {
    let mailbox = (sink == nil ? answers : downloads).mailbox
    let id = mailbox.newID()
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation {
        (continuation: CheckedContinuation<Result<Answer, ExchangeFailure>, Never>) in
        let order = Order(id: id, request: request, sink: sink, continuation: continuation)
        guard mailbox.post(.order(order)) else {
          let shown = SecretScreen(request.credential, seen: request.seen).clean(request.address)
          continuation.resume(
            returning: .failure(
              ExchangeFailure(
                .closed, cause: .network, address: shown, sentence: Sentences.closed(shown),
                wasSent: false)))
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

  public var downloadExecutor: (any TaskExecutor)? { downloads.executor }
  public var answerExecutor: (any TaskExecutor)? { answers.executor }

  /// Ends every transfer with `.closed` and the threads with them.
  public func close() async {
    await answers.close()
    await downloads.close()
  }
}
