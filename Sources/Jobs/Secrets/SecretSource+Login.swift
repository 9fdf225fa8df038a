public import Base

/// What a job's login needs. Its secrets are bound like those for tokens.
extension SecretSource {
  public struct Login: Sendable {
    /// With the secrets that exist.
    public var grant: TokenGrant
    public var terms: TokenRequest.Login
    public var begins: WebAddress
    /// Where these secrets were found.
    public var places: [String] = []
    /// The user must provide them first.
    public var missing: [NamedSecret] = []

    /// The secret that the login returns.
    public var brings: NamedSecret? {
      grant.request.secrets.first { $0.hole == terms.hole }
    }

    /// Whether a secret exists, or results from the login.
    public func spares(_ secret: NamedSecret) -> Bool {
      grant.request.secrets.contains(secret) && !missing.contains(secret)
    }
  }

  /// Nil: the job has no login.
  public func login(for job: Job) throws(SecretKeepingProblem) -> Login? {
    guard let request = job.authentication?.all.lazy.compactMap(\.token).first,
      let terms = request.login
    else { return nil }
    guard let address = request.address(behind: job.base), let home = job.tokenHome,
      let begins = request.loginAddress(behind: job.base)
    else { throw SecretKeepingProblem("the job \(job.name) has no address yet to log in at") }
    if let problem = request.loginProblem(behind: job.base) { throw SecretKeepingProblem(problem) }
    let bond = KeyBond(address.origin, tokensFor: job.base.origin)
    let meant = KeyBond(home, tokensFor: job.home)
    var login = Login(
      grant: TokenGrant(request, at: address, secrets: [:]), terms: terms, begins: begins)
    for secret in request.secrets where secret != login.brings {
      guard let found = first(secret, of: job) else {
        login.missing.append(secret)
        continue
      }
      login.grant.secrets[secret.hole] = try checked(found, secret, job, bond, meant, []).0
      login.places.append(found.place)
    }
    return login
  }
}

extension TokenRequest {
  /// Why its login must not begin; nil: no objection.
  func loginProblem(behind base: WebAddress) -> String? {
    guard let login, let token = address(behind: base)?.origin,
      let begins = loginAddress(behind: base)?.origin
    else { return nil }
    if let open = [token, begins].first(where: { !$0.isPrivate }) {
      return "a login goes over HTTPS, or stays on this machine, and \(open) does neither"
    }
    guard begins != token else { return nil }
    if login.grant == .device {
      return "login.begins (\(begins)) would get the secrets that are for \(token)"
    }
    guard let hole = client?.holes.first(where: { hole in secrets.contains { $0.hole == hole } })
    else { return nil }
    return "login.begins (\(begins)) would get \"{\(hole)}\", a secret that is for \(token);"
      + " a client's name is not secret: write it into the job file, or make it a parameter"
  }
}
