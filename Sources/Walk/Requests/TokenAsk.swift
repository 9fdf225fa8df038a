public import Base

/// Requests for an access token, and for the login before it. They contain secrets: never shown.
public enum TokenAsk {
  public typealias Word = (name: String, value: String)

  /// - Parameters:
  ///   - secrets: by placeholder.
  ///   - login: the parameters of a login, instead of those that renew it.
  ///   - address: where to send it; nil: to the token server.
  public static func request(
    _ grant: TokenGrant, _ secrets: [String: Secret], login: [Word]? = nil,
    to address: WebAddress? = nil, allowsLoopback: Bool
  ) throws(StepProblem) -> Request {
    let value = value(grant, secrets)
    // Some servers answer with a form unless JSON is requested.
    var fields = [HeaderField("Accept", "application/json")]
    var kept = Array(secrets.values)
    if let basic = grant.request.basic {
      guard let user = basic.user.filled(value), let password = basic.password.filled(value) else {
        throw StepProblem("a value of the token's user or password is missing")
      }
      let pair = Base64.encoded(Array("\(user):\(password)".utf8))
      fields.append(HeaderField("Authorization", "Basic \(pair)"))
      kept.append(Secret(pair))
    }
    var request = Request(
      address ?? grant.address, fields: fields,
      rule: AddressRule(trusted: [grant.address.origin], allowsLoopback: allowsLoopback))
    request.body = try body(grant, value, login).bytes
    request.token = grant.request
    request.secrets = kept
    request.limits.bodyBytesMax = bodyBytesMax
    return request
  }

  /// The page where a browser's login begins.
  public static func page(
    _ grant: TokenGrant, at address: WebAddress, _ words: [Word]
  ) throws(StepProblem) -> WebAddress {
    guard let client = grant.request.client?.filled(value(grant, grant.secrets)) else {
      throw StepProblem("the token's client_id is missing")
    }
    return ([("response_type", "code"), ("client_id", client)] + words)
      .reduce(address) { $0.setting($1.0, $1.1) }
  }

  /// Fills a hole.
  private static func value(_ grant: TokenGrant, _ secrets: [String: Secret]) -> (String) -> String?
  {
    { hole in secrets[hole]?.reveal() ?? grant.request.values[hole] }
  }

  /// Nil: a renewal, or none needed.
  private static func body(
    _ grant: TokenGrant, _ value: (String) -> String?, _ login: [Word]?
  ) throws(StepProblem) -> FilledBody {
    guard let login else { return try FilledBody(grant.request.body, value) }
    // A login's result does not exist yet.
    let body = try FilledBody(grant.request.body) { hole in
      value(hole) ?? (hole == grant.request.login?.hole ? "" : nil)
    }
    guard case .form(let pairs) = body else { return body }
    return .form(pairs.filter { !["grant_type", "refresh_token"].contains($0.name) } + login)
  }

  private static let bodyBytesMax = 1_000_000
}
