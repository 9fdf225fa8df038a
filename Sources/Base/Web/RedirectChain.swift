/// One request on its way through redirects. Each hop is a request of its own, to be reserved, paced and counted like
/// the first.
public struct RedirectChain: Sendable {
  /// The next request to send.
  public private(set) var request: Request
  private(set) var hops: [Hop] = []
  private let first: Request
  private var began: (at: Instant, spent: Duration)?

  public init(_ request: Request) {
    self.request = request
    first = request
  }

  /// Takes the answer to `request`. True if it is a redirect: `request` is then the next hop.
  public mutating func follow(_ answer: Answer) throws(ExchangeFailure) -> Bool {
    guard let target = answer.leadsTo else { return false }
    guard hops.count < first.limits.hopsMax else {
      let wantsCookies = target.shown == answer.address || answer.fields["Set-Cookie"] != nil
      throw ExchangeFailure(
        .tooManyHops, cause: .status, address: answer.address,
        sentence:
          "\(answer.address.origin)\(answer.address.path) was redirected more than "
          + "\(first.limits.hopsMax) times, perhaps in a circle. "
          + (wantsCookies
            ? "It seems to want cookies, which Trawl does not keep."
            : "Open the address in a browser and use the one it ends at."),
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

  /// The last answer, with the hops before it.
  public func completed(_ answer: Answer) -> Answer {
    guard let began else { return answer }
    var answer = answer
    answer.hops = hops
    answer.sentAt = began.at
    answer.duration += began.spent
    return answer
  }

  /// Fields that may follow a redirect to another origin. Harmless ones are listed, since no list of secret names is
  /// complete.
  private static func mayCrossOrigins(_ name: String) -> Bool {
    [
      "accept", "accept-language", "accept-encoding", "user-agent", "cache-control", "pragma",
      "if-none-match", "if-modified-since",
    ].contains { name.equalsIgnoringCase($0) }
  }
}

/// The target of a redirect. A server may have put the request's secret into it, so printing shows only the clean
/// address.
public struct RedirectTarget: Sendable, CustomStringConvertible, CustomReflectable {
  /// Only for the next request.
  let address: WebAddress
  /// Without secrets.
  public let shown: WebAddress

  public init(_ address: WebAddress, shown: WebAddress) {
    self.address = address
    self.shown = shown
  }

  public var description: String { shown.description }
  public var customMirror: Mirror { Mirror(self, children: ["shown": shown]) }
}
