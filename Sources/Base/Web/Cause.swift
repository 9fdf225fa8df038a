/// Why a request did not bring what it should: kept with the page and shown in the report.
public enum Cause: String, Sendable, CaseIterable, Codable {
  /// The URL or a parameter cannot be built, or an address is refused; nothing was sent.
  case request
  /// No whole answer: DNS, TLS, reset, timeout, cut.
  case network
  /// 4xx.
  case client
  /// 5xx.
  case server
  /// Any other unexpected status.
  case status
  /// A 2xx without a body where one is due.
  case empty
  /// The body is not what the job says.
  case parse
  /// The database or a folder refuses.
  case store
}
