/// Why a request failed: kept with the page and shown in the report.
public enum Cause: String, Sendable, CaseIterable {
  /// The URL or a parameter cannot be built, or an address is refused; nothing was sent.
  case request
  /// No whole answer: DNS, TLS, reset, timeout, truncation.
  case network
  /// 4xx.
  case client
  /// 5xx.
  case server
  /// Any other unexpected status.
  case status
  /// A 2xx without the expected body.
  case empty
  /// The body is not as the job declares.
  case parse
  /// The database or a folder fails.
  case store
}
