internal import Base
internal import Walk

/// Requests with an access token. It is requested at first need, again shortly before it expires, and once for a
/// request that the API refuses, by a request like any other.
extension Requester {
  enum Authorised<Value: Sendable>: Sendable {
    case request(Request)
    case ended(Outcome<Value>)
  }

  /// With a token in its credential, if that needs one.
  func authorised<Value>(_ request: Request, _ call: Call<Value>) async -> Authorised<Value> {
    guard let credential = request.credential, let grant = credential.grant,
      credential.origins.contains(request.address.origin)
    else { return .request(request.withoutGrant()) }
    if let secret = tokens.current(at: time.elapsed()) {
      return .request(request.carrying(secret))
    }
    // Lists in flight share one token.
    guard await tokens.turn.enter() else { return .ended(.stopped(halt)) }
    defer { tokens.turn.leave() }
    if let secret = tokens.current(at: time.elapsed()) {
      return .request(request.carrying(secret))
    }
    switch await token(grant, call) {
    case .value(let secret): return .request(request.carrying(secret))
    // Without a token the API gives nothing.
    case .givenUp(_, let message, _): return .ended(.unreachable(message: message))
    // It brought no token, so nothing is mapped.
    case let other: return .ended(other.flatMap { _ in .stopped(halt) })
    }
  }

  private func token<Value>(_ grant: TokenGrant, _ call: Call<Value>) async -> Outcome<Secret> {
    guard let keeper = grant.keeper else { return await fetch(grant, grant.secrets, nil, call) }
    do throws(SecretKeepingProblem) {
      var turn = try keeper.takeTurn()
      while turn == nil {
        if let stop = stopReason(call.booking) { return .stopped(stop) }
        // After a signal the loop ends by `stopReason`.
        try? await time.sleep(Self.turnOfSecrets)
        turn = try keeper.takeTurn()
      }
      guard let turn else { return .decided(.keyRefused(message: keeper.place), nil) }
      try turn.begin()
      var secrets = grant.secrets
      secrets[turn.secret.hole] = turn.secret.value
      return await fetch(grant, secrets, turn, call)
    } catch {
      return .decided(.keyRefused(message: Self.unkept(error)), nil)
    }
  }

  /// How often we check whether another process is done with a rotating secret.
  private static let turnOfSecrets = Duration.milliseconds(100)

  private static func unkept(_ problem: SecretKeepingProblem) -> String {
    "a secret that is spent by its use cannot be kept: \(problem)"
  }

  private func fetch<Value>(
    _ grant: TokenGrant, _ secrets: [String: Secret], _ turn: (any SecretTurn)?, _ call: Call<Value>
  ) async -> Outcome<Secret> {
    guard case .api(let quotas, _, let breaker) = call.booking else {
      return .decided(.fatal(message: "a picture needs no token"), nil)
    }
    let origin = grant.address.origin
    let request: Request
    do throws(StepProblem) {
      request = try TokenAsk.request(
        grant, secrets,
        allowsLoopback: call.request.rule.allowsLoopback || origin.isLoopback)
    } catch {
      return .decided(.fatal(message: error.sentence), nil)
    }
    seen.note(secrets.values.map { $0.reveal() })
    let answers = TokenAnswer(
      grant, secrets, of: quotas.job, wasSent: turn?.wasSent ?? false, seen: seen)
    // Failures of a separate token server do not count against the API.
    let own =
      origin == quotas.job.base.origin
      ? breaker
      : HostBreaker(ledger, host: origin, failuresMax: options.breakerMax)
    let attempts = Locked(0)
    let ask = Call<AccessToken>(
      request: request,
      booking: .api(quotas, spends: quotas.job.oneOfEach, own), patience: call.patience,
      label: call.label, name: "the access token", tally: call.tally
    ) { number in
      attempts.withLock { $0 = number }
      return Attempt { answer in
        switch answers.read(answer, attempt: number) {
        case .token(let token): .value(token)
        case .decision(let decision): .decision(decision)
        }
      }
    }
    // In the place that the call already has.
    let outcome = await attemptAll(ask)
    if case .decided = outcome, !answers.mayBeSpent(at: attempts.withLock { $0 }) {
      // The server refused the secret: nothing was spent. A mark that stays would say too much.
      try? turn?.keep(nil)
    }
    return kept(outcome, turn)
  }

  /// The secret is durable before its use: a kill from here on costs a token at most.
  private func kept(_ outcome: Outcome<AccessToken>, _ turn: (any SecretTurn)?) -> Outcome<Secret> {
    outcome.flatMap { token in
      seen.note(
        [token.secret, token.successor].compactMap { $0?.reveal() } + token.others)
      do throws(SecretKeepingProblem) {
        faults.reach(.beforeSecretKept)
        try turn?.keep(token.successor)
        faults.reach(.afterSecretKept)
      } catch {
        return .decided(.keyRefused(message: Self.unkept(error)), nil)
      }
      if let hole = token.strayHole {
        recorder.warn(
          "the answer that brought the access token has another refresh token, and the job does not say that"
            + " it rotates; if the next run is refused, token needs rotates: { \(hole): \"refresh_token\" },"
            + " and you a new refresh token")
      }
      tokens.take(token.secret, life: token.life, at: time.elapsed())
      return .value(token.secret)
    }
  }

  /// Whether the request is worth a retry with another token: once per call.
  /// - Parameter isLast: it was tried with two tokens already.
  func isWorthAnotherToken(
    _ answer: Answer, _ decision: Decision?, _ request: Request, isLast: Bool
  ) -> Bool {
    guard let credential = request.credential, credential.isByToken else { return false }
    var isRefused = false
    if case .keyRefused? = decision { isRefused = true }
    guard isRefused || answer.status == 401 && !isLast else {
      tokens.noteService(of: credential.secret)
      return false
    }
    return !isLast
      && tokens.refuse(credential.secret, isCertain: isRefused, at: time.elapsed())
  }
}

extension Request {
  /// Its credential with a token, in place of the secrets that tokens are requested with.
  fileprivate func carrying(_ token: Secret) -> Request {
    var copy = self
    copy.credential?.secret = token
    copy.credential?.grant = nil
    copy.credential?.isByToken = true
    return copy
  }

  /// For an origin that gets no token.
  fileprivate func withoutGrant() -> Request {
    guard credential?.grant != nil else { return self }
    var copy = self
    copy.credential = nil
    return copy
  }
}
