/// Options that all transfers of an exchange share.
public struct TransportOptions: Sendable {
  /// The User-Agent field, since APIs want a name. Not empty.
  var userAgent: String
  public var issuers = TrustedIssuers()
  /// The most transfers at once, over all hosts; others wait. Downloads into a sink count separately from answers that
  /// are kept in memory.
  var connectionsMax = 16
  /// The same for each origin.
  var connectionsPerHostMax = 6
  /// For answers, instead of both: the caller limits them itself. Nil: as above.
  public var answersMax: Int?
  /// Offer HTTP/2 over TLS.
  var offersHTTP2 = true
  var proxies = ProxySettings.fromEnvironment()
  /// `host:port:address`, used instead of the name server. For tests.
  var resolveOverrides: [String] = []

  public init(userAgent: String) { self.userAgent = userAgent }

  /// With the program's own User-Agent.
  public init(version: String) {
    userAgent = "trawl/\(version) (mirrors paged web APIs into SQLite)"
  }

  /// The options for transfers that are kept in memory.
  var ofAnswers: TransportOptions {
    var copy = self
    copy.connectionsMax = answersMax ?? connectionsMax
    copy.connectionsPerHostMax = answersMax ?? connectionsPerHostMax
    return copy
  }
}
