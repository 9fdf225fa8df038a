internal import Base

/// Secrets that obtain a token involve two servers: one sees them, the other gets the token. A secret's file names
/// both, so that no job file misdirects either.
extension SecretSource {
  func token(
    of auth: Authentication, _ request: TokenRequest, for job: Job, _ target: Origin,
    _ alsoTo: Set<Origin>
  ) -> SecretOutcome {
    guard let address = request.address(behind: job.base), let home = job.tokenHome else {
      return .refused("the job \(job.name) has no address yet to request a token from")
    }
    let bond = KeyBond(address.origin, tokensFor: target)
    let problem = Self.problem(with: bond, alsoTo) ?? request.loginProblem(behind: job.base)
    if let problem { return .refused(problem) }
    let meant = KeyBond(home, tokensFor: job.home)
    var grant = TokenGrant(request, at: address, secrets: [:])
    var origins = alsoTo
    var places: [String] = []
    for secret in request.secrets {
      guard let found = found(secret, of: job, rotates: request.rotates(secret.hole)) else {
        return missing(
          secret, isOptional: auth.isOptional, job, address.origin, byLogin: request.login != nil)
      }
      if secret.hole == request.login?.hole, found.found.isForRequests {
        // A login returned only an access token.
        return plain(found.found, secret, at: auth.place, for: job, target, alsoTo)
      }
      let (first, owned): (Secret, KeyBond)
      do {
        (first, owned) = try checked(found.found, secret, job, bond, meant, alsoTo)
      } catch { return .refused(error.description) }
      origins.formUnion(owned.tokensFor.map { [$0] } ?? [])
      grant.secrets[secret.hole] = found.successor ?? first
      places.append(found.found.place)
      guard request.rotates(secret.hole) else { continue }
      guard let folder = folder(for: found.found) else {
        return .refused(
          "the secret \"\(secret.name)\" (\(found.found.place)) is spent by its use, and there is no folder to keep"
            + " the next one in: set STATE_DIRECTORY, or HOME")
      }
      grant.keeper = RotatingSecret(
        folder: KeyFolder(path: folder), hole: secret.hole,
        name: Self.file(of: secret, found.found), bond: owned, first: first,
        follows: found.found.isInKeyFolder ? nil : RotatingSecret.digest(of: first))
    }
    var credential = Credential(place: auth.place, secret: Secret(""), origins: origins)
    credential.grant = grant
    return .found(credential, place: places.joined(separator: ", "))
  }

  /// Neither this machine nor an unencrypted connection without the user's consent.
  private static func problem(with bond: KeyBond, _ alsoTo: Set<Origin>) -> String? {
    for origin in [bond.origin, bond.tokensFor].compactMap({ $0 }) where !alsoTo.contains(origin) {
      if origin.isLoopback {
        return
          "the job requests its token from \(origin), this machine itself, which gets no secret; to allow that:"
          + " --send-key-to \(origin)"
      }
      if origin.scheme == "http" {
        return
          "a secret would travel unencrypted to \(origin); to allow that: --send-key-to \(origin)"
      }
    }
    return nil
  }

  /// A secret that may go where the job sends it, with its bond; or why it may not.
  /// - Parameters:
  ///   - bond: what the job would do with it now.
  ///   - meant: the bond according to the job file.
  func checked(
    _ found: Found, _ secret: NamedSecret, _ job: Job, _ bond: KeyBond, _ meant: KeyBond,
    _ alsoTo: Set<Origin>
  ) throws(SecretKeepingProblem) -> (Secret, KeyBond) {
    let name = "the secret \"\(secret.name)\" (\(found.place))"
    func refused(_ why: String) -> SecretKeepingProblem { SecretKeepingProblem("\(name) \(why)") }
    let parts: KeyText.Parts
    do { parts = try found.text.get() } catch { throw refused("is refused: \(error)") }
    let isForTokens = bond.tokensFor != nil
    if let own = parts.bond, (own.tokensFor != nil) != isForTokens {
      throw refused(
        isForTokens
          ? "is stored as an API key, but the job \(job.name) would use it to request tokens;"
            + " to allow that: trawl key \(job.word)"
          : "is kept for requesting tokens, and the job \(job.name) would send the secret itself; name another"
            + " one in the job file")
    }
    // If a user's value is part of the server's name, the user must have confirmed the whole name.
    let isChosen = job.texts.base != nil || isForTokens && job.texts.token != nil
    if isChosen, parts.bond == nil, !found.isGivenForJob,
      isForTokens || !alsoTo.contains(bond.origin)
    {
      throw refused(
        "does not say which server it is for; to bind it to \(bond): trawl key \(job.word)")
    }
    let owner = owner(of: secret, found).map { KeyBond($0, tokensFor: isForTokens ? $0 : nil) }
    let allowed = parts.bond ?? owner ?? meant
    for (one, other) in [(bond.origin, allowed.origin), (bond.tokensFor, allowed.tokensFor)] {
      guard let one, one != other, !alsoTo.contains(one) else { continue }
      let use = isForTokens ? "use it at" : "send it to"
      throw refused(
        "is for \(allowed), and the job \(job.name) would \(use) \(bond); to allow that: --send-key-to \(one)"
      )
    }
    return (parts.secret, allowed)
  }

  // MARK: successors

  /// A secret, and its successor if it was used up.
  private func found(
    _ secret: NamedSecret, of job: Job, rotates: Bool
  ) -> (found: Found, successor: Secret?)? {
    guard let found = first(secret, of: job) else { return nil }
    guard rotates, !found.isInKeyFolder, let folder = folder(for: found),
      case .success(let first) = found.text,
      let next = file("\(folder)/\(Self.file(of: secret, found))", in: folder)
    else { return (found, nil) }
    // An unusable successor is reported: the first is used up.
    guard case .success(let parts) = next.text else { return (next, nil) }
    // The user may have replaced the first one.
    return (found, parts.follows == RotatingSecret.digest(of: first.secret) ? parts.secret : nil)
  }

  private static func file(of secret: NamedSecret, _ found: Found) -> String {
    found.isInKeyFolder ? secret.name : "\(secret.name).next"
  }

  /// A service's credentials folder is read-only; its state folder is its own.
  private func folder(for found: Found) -> String? {
    if found.isInKeyFolder { return keyFolder }
    return stateFolder ?? keyFolder
  }
}
