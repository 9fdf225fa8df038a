public import Base

/// How the error table and the defaults classify an answer or a failure that is not a page.
public enum Decision: Sendable, Equatable {
  /// Repeat the request, after the server's wait if it asked for one.
  case retry(after: Duration?, cause: Cause, message: String)
  /// Not before a time (nil: when the quota resets).
  case postpone(until: Instant?, quota: String?, message: String)
  /// Needs a person; the run ends.
  case fatal(message: String)
  /// The key is missing, wrong or lacks rights: no other request would succeed.
  case keyRefused(message: String)
  /// No page, and no retry can help: the walk decides what it means for the list.
  case trouble(TroubleKind, cause: Cause, message: String)

  public var message: String {
    switch self {
    case .retry(_, _, let message), .postpone(_, _, let message), .fatal(let message),
      .keyRefused(let message), .trouble(_, _, let message):
      message
    }
  }
}

/// What a reader makes of an answer.
public enum Judged<Value: Sendable>: Sendable {
  case value(Value)
  /// By the job's error table, or the defaults.
  case decision(Decision)
}

/// Decides what an answer that may not be a page, or a failure without an answer, means: by the job's error table, then
/// by defaults for any API.
public struct Judge: Sendable {
  private let rules: [ErrorRule]
  private let quotas: [Quota]
  /// The job declares how its requests authenticate.
  private let knowsKey: Bool
  private let wasRead: Bool
  /// An "invalid_token" in a body means the key: no page and no record is requested by a token.
  private let meansKey: Bool

  /// - Parameter wasRead: the list was read before, with the job's key if it has one.
  public init(_ job: Job, _ stream: Stream? = nil, wasRead: Bool = false) {
    self.wasRead = wasRead
    rules = (stream?.errors ?? []) + job.errors
    quotas = job.quotas
    knowsKey = job.authentication != nil
    meansKey =
      knowsKey && stream.map { $0.pager.nextPage == nil && $0.parent == nil } ?? false
  }

  /// Nil: it may be read as a page (or is a 304). Some APIs report errors in a 2xx.
  /// - Parameter attempt: from 1; a wait from the job's table doubles with each try.
  public func decide(_ answer: Answer, _ body: AnswerBody, attempt: Int = 1) -> Decision? {
    let signs = LimitSigns(answer)
    if let rule = rules.first(where: { $0.holds(for: answer, body) }) {
      // The reader makes an empty page of it.
      if rule.action == .empty { return nil }
      return decision(rule, answer, signs, ServerWords.clause(body), attempt: attempt)
    }
    switch answer.kind {
    case .content, .noContent, .notModified: return nil
    case .accepted:
      return .retry(
        after: signs.retryAfter, cause: .status,
        message: "\(Self.place(answer)) is still at work on the answer (202)")
    case .failed(let cause):
      return standard(answer, body, cause, signs, attempt: attempt)
    }
  }

  /// A network fault may be temporary; a refusal is final.
  public static func decide(_ failure: ExchangeFailure) -> Decision {
    if failure.mayPass {
      return .retry(after: nil, cause: failure.cause, message: failure.sentence)
    }
    switch failure.kind {
    // These fail only this request; any other transport failure counts against the host.
    case .tooLarge: return .trouble(.unreadable, cause: failure.cause, message: failure.sentence)
    case .tooManyHops, .refusedRedirect:
      return .trouble(.refused, cause: failure.cause, message: failure.sentence)
    default: return .fatal(message: failure.sentence)
    }
  }

  /// A 2xx that is not a page: truncated, HTML, or another form. It may be temporary, except on the first answer of a
  /// new list: then the job file is wrong, and someone awaits the message. If it speaks of a limit, it is a 429.
  /// - Parameter isFirst: nothing of the list was ever read.
  public func decide(
    _ trouble: PageTrouble, _ answer: Answer, _ body: AnswerBody, attempt: Int, isFirst: Bool
  ) -> Decision {
    if trouble == .noContent {
      return .trouble(.nothing, cause: .empty, message: trouble.sentence)
    }
    if trouble.isOfAnotherShape, Self.speaksOfLimit(answer, body) {
      return limited(answer, body, trouble.cause, LimitSigns(answer), attempt: attempt)
    }
    return isFirst && trouble.isOfAnotherShape
      ? .trouble(.refused, cause: trouble.cause, message: trouble.sentence)
      : .retry(after: nil, cause: trouble.cause, message: trouble.sentence)
  }

  // MARK: the job's table

  private func decision(
    _ rule: ErrorRule, _ answer: Answer, _ signs: LimitSigns, _ said: String, attempt: Int
  ) -> Decision {
    let message: String
    // The server's wait is exact; the table's is a guess, used if the server names none.
    let asked = signs.wait.flatMap { $0 > .zero ? $0 : nil }
    switch rule.action {
    // A burst limit, not the limit of the rule's message.
    case .defer where asked.map { $0 < rule.wait ?? .zero } ?? false:
      message = Self.asksForWait(answer)
    // These pass by themselves and need no person.
    case .retry, .defer:
      let isGood = (200..<300).contains(answer.status)
      message = rule.message ?? Self.words(rule, answer, signs) + (isGood ? said : "")
    default: message = (rule.message ?? Self.words(rule, answer, signs)) + said
    }
    let cause = answer.failure ?? .status
    switch rule.action {
    case .retry:
      // Doubles with each try.
      let own = rule.wait.map { $0 * (1 << min(max(attempt - 1, 0), 6)) }
      return .retry(after: asked ?? own ?? signs.wait, cause: cause, message: message)
    case .defer:
      let wait = asked ?? rule.wait ?? signs.wait
      return .postpone(
        until: wait.map { answer.receivedAt + $0 },
        quota: rule.quota ?? quota(named: signs.longestSpent?.name), message: message)
    // 401 concerns the key, whatever the rule says.
    case .fatal where answer.status == 401, .key: return .keyRefused(message: message)
    case .fatal: return .fatal(message: message)
    case .skip: return .trouble(.absent, cause: cause, message: message)
    case .end, .empty:
      return .trouble(rule.isCap ? .cap : .ended, cause: .client, message: message)
    case .restart: return .trouble(.restart, cause: .client, message: message)
    case .gap: return .trouble(.gap, cause: .client, message: message)
    }
  }

  // MARK: defaults

  /// A 429 that names no time. The two waits outlast a limit of a second or a minute; a third 429 means a longer limit,
  /// so the API gets a rest.
  public static let tooMany = 429
  private static let blindWaits = [Duration.seconds(2), .seconds(60)]
  public static let blindRest = Duration.seconds(15 * 60)

  private func standard(
    _ answer: Answer, _ body: AnswerBody, _ cause: Cause, _ signs: LimitSigns, attempt: Int
  ) -> Decision {
    let place = Self.place(answer)
    let said = ServerWords.clause(body)
    let isTooMany = answer.status == Self.tooMany || Self.speaksOfLimit(answer, body)
    switch answer.status {
    case _ where Self.refusesToken(answer, meansKey ? body : .blank):
      return .keyRefused(
        message: "\(place) answers \(answer.status): "
          + (knowsKey
            ? "the key is missing, wrong or expired\(said)"
            : "it wants a key, and the job says nothing of one (auth)\(said)"))
    case 404, 410:
      return .trouble(
        .absent, cause: cause, message: "\(place) is not there (\(answer.status))")
    case 451:
      return .trouble(
        .absent, cause: cause, message: "\(place) is blocked for legal reasons (451)")
    case _ where isTooMany: return limited(answer, body, cause, signs, attempt: attempt)
    case 403:
      if let limit = limit(answer, signs) { return limit }
      let what = knowsKey ? "this key may not read it; see its rights" : "it may not be read"
      let message = "\(place) answers 403: \(what)\(said)"
      // It may be temporary: one 403 says nothing of a key that could read the list.
      if wasRead { return .trouble(.refused, cause: cause, message: message) }
      return knowsKey ? .keyRefused(message: message) : .fatal(message: message)
    case 408, 421, 425, 500..<600:
      return .retry(
        after: signs.retryAfter, cause: cause, message: "\(place) answers \(answer.status)")
    case 400..<500:
      return .trouble(
        .refused, cause: cause,
        message:
          "\(place) answers \(answer.status): it does not take this request; see the job file\(said)"
      )
    default:
      return .trouble(
        .refused, cause: cause,
        message: "\(place) answers \(answer.status), which is not a response to a request")
    }
  }

  /// Too many requests.
  private func limited(
    _ answer: Answer, _ body: AnswerBody, _ cause: Cause, _ signs: LimitSigns, attempt: Int
  ) -> Decision {
    if let limit = limit(answer, signs) { return limit }
    // For other statuses than 429 the server's own words are shown.
    let why =
      answer.status == Self.tooMany
      ? "too many requests" : "a limit is reached\(ServerWords.clause(body))"
    let message = "\(Self.place(answer)) answers \(answer.status): \(why)"
    return attempt <= Self.blindWaits.count
      ? .retry(after: Self.blindWaits[max(attempt, 1) - 1], cause: cause, message: message)
      : .postpone(until: answer.receivedAt + Self.blindRest, quota: nil, message: message)
  }

  /// A spent quota or a server's wait, if the header shows one.
  private func limit(_ answer: Answer, _ signs: LimitSigns) -> Decision? {
    let spent = signs.longestSpent
    guard spent != nil || signs.retryAfter != nil else { return nil }
    let quota = quota(named: spent?.name)
    return .postpone(
      until: signs.wait.map { answer.receivedAt + $0 }, quota: quota,
      message: spent == nil
        ? Self.asksForWait(answer)
        : "\(Self.place(answer)) says that the quota is used up (\(answer.status))")
  }

  /// The job's quota by the server's name.
  private func quota(named name: String?) -> String? {
    guard let name else { return nil }
    return quotas.first { ($0.serverName ?? $0.name).utf8.elementsEqual(name.utf8) }?.name
  }
}
