/// Tells the images that a page was committed, or that no more will come. One listener.
final class PageSignal: Sendable {
  private let continuation: AsyncStream<Void>.Continuation
  let pages: AsyncStream<Void>

  init() {
    // One remembered signal is enough: the listener then takes all that is due.
    (pages, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func pageCommitted() { continuation.yield() }

  func end() { continuation.finish() }
}
