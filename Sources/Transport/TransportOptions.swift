/// Options that all transfers of an exchange share.
public struct TransportOptions: Sendable {
  /// The User-Agent field, since APIs want a name. Not empty.
  let userAgent: String
  public var issuers = TrustedIssuers()
  /// The most transfers at once, over all hosts; others wait. Downloads into a sink count separately from answers that
  /// are kept in memory.
  var connectionsMax = 16
  /// The same for each origin.
  var connectionsPerHostMax = 6
  /// For answers, instead of both: the caller limits them itself. Nil: as above.
  public var answersMax: Int?
  var proxies = ProxySettings.fromEnvironment()
  /// `host:port:address`, used instead of the name server. For tests.
  var resolveOverrides: [String] = []

  /// - Parameter version: the program's own.
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
