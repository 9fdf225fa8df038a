public import Base

/// The real network behind `Exchange`: two libcurl loops, each on its own thread. Bodies for a sink use the second one,
/// so that a slow disk, or downloads that use all its connections, never delay an API's pages. It never retries;
/// `Crawl` decides that.
public final class CurlExchange: Exchange {
  private let answers: LoopThread
  private let downloads: LoopThread
  /// Live easy handles; zero when everything was released.
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
          continuation.resume(returning: .failure(Journey(order, at: .zero).closed))
          return
        }
        // A cancellation before the order was posted found nothing to cancel, so it is posted again.
        if Task.isCancelled { _ = mailbox.post(.cancel(id)) }
      }
    } onCancel: {
      _ = mailbox.post(.cancel(id))
    }
    return try outcome.get()
  }

  public var downloadExecutor: (any TaskExecutor)? { downloads.executor }
  public var answerExecutor: (any TaskExecutor)? { answers.executor }

  /// Ends all transfers with `.closed`, and the threads.
  public func close() async {
    await answers.close()
    await downloads.close()
  }
}
