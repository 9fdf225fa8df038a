public import Base

extension Exchange {
  /// Sends a request and follows its redirects, as the code that reserves requests does.
  public func follow(
    _ request: Request, into sink: (any BodySink)? = nil
  ) async throws(ExchangeFailure) -> Answer {
    var chain = RedirectChain(request)
    while true {
      let answer = try await send(chain.request, into: sink)
      if try chain.follow(answer) { continue }
      return chain.completed(answer)
    }
  }
}
