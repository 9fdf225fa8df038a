internal import Base
internal import Walk

/// Requests with an access token. It is requested at first need, again shortly before it expires, and once for a
/// request that the API refuses, by a request like any other.
extension Requester {
  /// With a token in its credential, if that needs one.
  func authorised<Value>(_ request: Request, _ call: Call<Value>) async -> Outcome<Request> {
    guard let credential = request.credential, let grant = credential.grant,
      credential.origins.contains(request.address.origin)
    else { return .value(request.withoutGrant()) }
    if let secret = tokens.current(at: time.elapsed()) {
      return .value(request.carrying(secret))
    }
    // Lists in flight share one token.
    guard await tokens.turn.enter() else { return .stopped(halt) }
    defer { tokens.turn.leave() }
    if let secret = tokens.current(at: time.elapsed()) {
      return .value(request.carrying(secret))
    }
    let outcome = await token(grant, call)
    // Without a token the API gives nothing.
    if case .givenUp(_, let message, _) = outcome { return .unreachable(message: message) }
    return outcome.flatMap { .value(request.carrying($0)) }
  }

  private func token<Value>(_ grant: TokenGrant, _ call: Call<Value>) async -> Outcome<Secret> {
    guard let keeper = grant.keeper else { return await fetch(grant, grant.secrets, nil, call) }
    do throws(SecretKeepingProblem) {
      while true {
        if let turn = try keeper.takeTurn() {
          try turn.begin()
          var secrets = grant.secrets
          secrets[turn.secret.hole] = turn.secret.value
          return await fetch(grant, secrets, turn, call)
        }
        if let stop = stopReason(call.booking) { return .stopped(stop) }
        // After a signal the loop ends by `stopReason`.
        try? await time.sleep(Self.turnOfSecrets)
      }
    } catch {
      return Self.unkept(error, in: keeper.place)
    }
  }

  /// How often we check whether another process is done with a rotating secret.
  private static let turnOfSecrets = Duration.milliseconds(100)

  private static func unkept(_ problem: SecretKeepingProblem, in place: String) -> Outcome<Secret> {
    let message = "a secret that is spent by its use cannot be kept: \(problem)"
    return problem.isInWriting
      ? .broken(LedgerError(.cannotWrite, place, message))
      : .decided(.keyRefused(message: message), nil)
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
    let answers = TokenAnswer(
      grant, secrets, of: quotas.job, wasSent: turn?.wasSent ?? false, wasRead: call.wasRead,
      seen: seen)
    // Failures of a separate token server do not count against the API.
    let own = origin == quotas.job.base.origin ? breaker : HostBreaker(ledger, host: origin)
    let last = Locked<(number: Int, status: Int?, successor: Secret?)>((0, nil, nil))
    let ask = Call<AccessToken>(
      request: request,
      booking: .api(quotas, spends: quotas.job.oneOfEach, own), patience: call.patience,
      label: call.label, name: "the access token", tally: call.tally, wasRead: call.wasRead
    ) { number in
      last.withLock { $0 = (number, nil, nil) }
      return Attempt { answer in
        let successor = answers.successor(in: answer)
        last.withLock { ($0.status, $0.successor) = (answer.status, successor) }
        return answers.read(answer, attempt: number)
      }
    }
    // In the place that the call already has.
    let outcome = await attemptAll(ask)
    guard let turn, let keeper = grant.keeper else { return taken(outcome) }
    let tried = last.withLock { $0 }
    do throws(SecretKeepingProblem) {
      switch outcome {
      case .value(let token):
        try keep(token.successor, turn)
        tokens.note(token.successor ?? turn.secret.value, in: keeper)
      // Without a usable token, too, an answer may bring the successor.
      case .decided where tried.successor != nil: try keep(tried.successor, turn)
      case .decided(_, let failure)
      where failure.map({ !$0.wasSent }) ?? (400..<500).contains(tried.status ?? 0):
        // The server refused the secret: nothing was spent. A mark that stays would say too much.
        if !answers.mayBeSpent(at: tried.number) { try? turn.keep(nil) }
      default: break
      }
    } catch {
      return Self.unkept(error, in: keeper.place)
    }
    return taken(outcome)
  }

  /// The secret is durable before its use: a kill from here on costs a token at most.
  private func keep(
    _ successor: Secret?, _ turn: any SecretTurn
  ) throws(SecretKeepingProblem) {
    if let successor { seen.note([successor.reveal()]) }
    faults.reach(.beforeSecretKept)
    try turn.keep(successor)
    faults.reach(.afterSecretKept)
  }

  private func taken(_ outcome: Outcome<AccessToken>) -> Outcome<Secret> {
    outcome.flatMap { token in
      seen.note([token.secret.reveal()] + token.others)
      if let hole = token.strayHole {
        recorder.warn(
          "the answer that brought the access token has another refresh token, and the job does not say that"
            + " it rotates; if the next run is refused, add rotates: { \(hole): \"refresh_token\" } to token,"
            + " and store a new refresh token")
      }
      tokens.take(token.secret, life: token.life, at: time.elapsed())
      return .value(token.secret)
    }
  }

  /// Whether the request is worth a retry with another token: once per call, and again beside a run whose tokens end
  /// this run's.
  /// - Parameter refusals: how many tokens were refused for this call before.
  func isWorthAnotherToken(
    _ answer: Answer, _ decision: Decision?, _ request: Request, refusals: Int
  ) -> Bool {
    guard let credential = request.credential, credential.isByToken else { return false }
    var isRefused = false
    if case .keyRefused? = decision { isRefused = true }
    guard isRefused || refusals == 0 && Judge.refusesToken(answer, AnswerBody(answer)) else {
      tokens.noteService(of: credential.secret)
      return false
    }
    if refusals > 0, refusals > AccessTokens.overtakenMax || !tokens.isOvertaken() { return false }
    return tokens.refuse(credential.secret, isCertain: isRefused, at: time.elapsed())
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
