public import Base

/// The request of an access token. It holds secrets, and is shown to nobody.
public enum TokenAsk {
  /// - Parameter secrets: by their holes.
  public static func request(
    _ grant: TokenGrant, _ secrets: [String: Secret], allowsLoopback: Bool
  ) throws(StepProblem) -> Request {
    func value(_ hole: String) -> String? { secrets[hole]?.reveal() }
    let token = grant.request
    // Some servers answer in a form unless JSON is asked for.
    var fields = [HeaderField("Accept", "application/json")]
    if let basic = token.basic {
      guard let user = basic.user.filled(value), let password = basic.password.filled(value) else {
        throw StepProblem("a value of the token's user or password is missing")
      }
      let pair = Base64.encoded(Array("\(user):\(password)".utf8))
      fields.append(HeaderField("Authorization", "Basic \(pair)"))
    }
    var request = Request(
      grant.address, fields: fields,
      rule: AddressRule(trusted: [grant.address.origin], allowsLoopback: allowsLoopback))
    request.body = try FilledBody(token.body, value).bytes
    request.token = token
    request.limits.bodyBytesMax = bodyBytesMax
    return request
  }

  private static let bodyBytesMax = 1_000_000
}
