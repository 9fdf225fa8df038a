/// What all transfers of one exchange share.
public struct TransportOptions: Sendable {
  /// The User-Agent field: APIs ask for a name. Not empty.
  var userAgent: String
  public var issuers = TrustedIssuers()
  /// Transfers under way at once, over all hosts; the others wait their turn. Downloads into a sink
  /// are counted apart from answers that are kept in memory.
  var connectionsMax = 16
  /// The same for one origin.
  var connectionsPerHostMax = 6
  /// Of answers, in place of both: the caller bounds them itself. Nil: as above.
  public var answersMax: Int?
  /// Offer HTTP/2 over TLS.
  var offersHTTP2 = true
  var proxy = ProxySource.environment
  /// `host:port:address`, answered instead of the name server. For tests.
  var resolveOverrides: [String] = []

  public init(userAgent: String) { self.userAgent = userAgent }

  /// With the program's own User-Agent.
  public init(version: String) {
    userAgent = "trawl/\(version) (mirrors paged web APIs into SQLite)"
  }

  enum ProxySource: Sendable {
    /// http_proxy, https_proxy, all_proxy and no_proxy, as curl reads them.
    case environment
    case direct
    case given(ProxySettings)
  }

  /// For the transfers that are kept in memory.
  var ofAnswers: TransportOptions {
    var copy = self
    copy.connectionsMax = answersMax ?? connectionsMax
    copy.connectionsPerHostMax = answersMax ?? connectionsPerHostMax
    return copy
  }
}
