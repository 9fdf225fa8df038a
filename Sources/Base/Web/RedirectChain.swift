/// One request on its way through redirects: what is sent next. Each hop is a request of its own, to
/// be reserved, paced and counted like the first.
public struct RedirectChain: Sendable {
  /// Where a request does not say otherwise.
  static let hopsMax = 5

  /// To be sent now.
  public private(set) var request: Request
  private(set) var hops: [Hop] = []
  private let first: Request
  private var began: (at: Instant, spent: Duration)?

  public init(_ request: Request) {
    self.request = request
    first = request
  }

  /// Takes the answer to `request`. True when it leads on: `request` is then the next hop.
  public mutating func follow(_ answer: Answer) throws(ExchangeFailure) -> Bool {
    guard let target = answer.leadsTo else { return false }
    guard hops.count < first.limits.hopsMax else {
      throw ExchangeFailure(
        .tooManyHops, cause: .status, address: answer.address,
        sentence:
          "\(answer.address.origin)\(answer.address.path) was redirected more than "
          + "\(first.limits.hopsMax) times, perhaps in a circle. "
          + "Open the address in a browser and use the one it ends at.",
        status: answer.status)
    }
    guard first.body == nil else {
      throw ExchangeFailure(
        .refusedRedirect, cause: .status, address: answer.address,
        sentence: "\(answer.address.origin)\(answer.address.path) leads a POST on to "
          + "\(target.shown); it is not followed. Use the address that it leads to.",
        status: answer.status)
    }
    hops.append(Hop(status: answer.status, from: answer.address, to: target.shown))
    began = (began?.at ?? answer.sentAt, (began?.spent ?? .zero) + answer.duration)
    request = first
    request.address = target.address
    request.limits.totalTimeout = max(.zero, first.limits.totalTimeout - (began?.spent ?? .zero))
    if target.address.origin != first.address.origin {
      request.fields.removeAll { !Self.mayCrossOrigins($0.name) }
    }
    return true
  }

  /// The last answer, with the way that led to it.
  public func completed(_ answer: Answer) -> Answer {
    guard let began else { return answer }
    var answer = answer
    answer.hops = hops
    answer.sentAt = began.at
    answer.duration += began.spent
    return answer
  }

  /// What may follow a redirect to another origin. A list of what is known to be harmless, since no
  /// list of secret-looking names is ever whole.
  private static func mayCrossOrigins(_ name: String) -> Bool {
    [
      "accept", "accept-language", "accept-encoding", "user-agent", "cache-control", "pragma",
      "if-none-match", "if-modified-since",
    ].contains { name.equalsIgnoringCase($0) }
  }
}

/// Where a redirect leads. A server may have put the request's secret into it, so it prints only
/// the address that may be shown.
public struct RedirectTarget: Sendable, CustomStringConvertible, CustomReflectable {
  /// For the next request and nothing else.
  let address: WebAddress
  /// Without anything secret.
  public let shown: WebAddress

  public init(_ address: WebAddress, shown: WebAddress) {
    self.address = address
    self.shown = shown
  }

  public var description: String { shown.description }
  public var customMirror: Mirror { Mirror(self, children: ["shown": shown]) }
}
