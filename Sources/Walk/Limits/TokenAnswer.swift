public import Base

/// An access token, as it came.
public struct AccessToken: Sendable {
  public var secret: Secret
  /// Nil: its lifetime is unknown.
  public var life: Duration?
  /// Replaces the secret that rotates.
  public var successor: Secret?
  /// The answer has another refresh token than was sent, but the job does not say that it rotates: the placeholder that
  /// it would fill, if known.
  public var strayHole: String?
  /// Any other value whose name suggests a token or a secret.
  public var others: [String]
}

/// Reads the answer to a token request. No message of it contains a secret.
public struct TokenAnswer: Sendable {
  private let job: String
  private let grant: TokenGrant
  private let judge: Judge
  private let screen: SecretScreen
  /// The secret was sent before this call, and what the server did with it is unknown.
  private let wasSent: Bool
  /// The job's secrets have served before: what says nothing of them may pass.
  var wasRead: Bool
  /// It belongs to a login, which says by itself how to log in again.
  private let isOfLogin: Bool

  public init(
    _ grant: TokenGrant, _ secrets: [String: Secret], of job: Job, wasSent: Bool = false,
    wasRead: Bool = false, isOfLogin: Bool = false, seen: SeenSecrets? = nil
  ) {
    self.grant = grant
    self.wasSent = wasSent
    self.wasRead = wasRead
    self.isOfLogin = isOfLogin
    self.job = job.word
    // The error table is for the API's answers.
    var plain = job
    plain.errors = []
    judge = Judge(plain)
    screen = SecretScreen(texts: secrets.values.map { $0.reveal() }, seen: seen)
    sent = secrets
  }

  private let sent: [String: Secret]

  /// OAuth's error codes.
  private static let kinds: Set<String> = [
    "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client",
    "unsupported_grant_type", "invalid_scope",
  ]
  /// Those that pass by themselves.
  private static let passingKinds: Set<String> = [
    "temporarily_unavailable", "server_error", "slow_down",
  ]

  private static let refusals: Set = [400, 403, 422]

  public func read(_ answer: Answer, attempt: Int) -> Judged<AccessToken> {
    let body = AnswerBody(answer)
    let root = body.document?.root
    if answer.kind == .content, let root, let token = token(in: root) { return token }
    let decision = judge.decide(answer, body, attempt: attempt)
    switch decision {
    case .retry(let after, let cause, let message)?:
      return .decision(.retry(after: after, cause: cause, message: screen.clean(message)))
    case .postpone(let until, let quota, let message)?:
      return .decision(.postpone(until: until, quota: quota, message: screen.clean(message)))
    default: break
    }
    let kind = root?["error"]?.string.flatMap { Self.kinds.contains($0) ? $0 : nil }
    let said = ServerWords.said(body).map { screen.clean($0) }
    if mayPass(answer, root, kind) {
      let words = said.map { " (\"\($0)\")" } ?? ""
      return .decision(
        .retry(
          after: nil, cause: answer.failure ?? .status,
          message:
            "\(place) answers \(answer.status) without a token\(words); if that lasts, see token of the job"
        ))
    }
    if kind != nil || answer.status == 400 || answer.status == 401 || answer.status == 403 {
      return .decision(refused(answer, kind, said, attempt: attempt))
    }
    guard answer.kind == .content || answer.kind == .noContent else {
      let words = said.map { ": \"\($0)\"" } ?? ""
      let keys = grant.request.login == nil ? "token.post" : "token.post, or token.login,"
      return .decision(
        .fatal(
          message:
            "\(place) answers \(answer.status) to the request for a token; see \(keys) of the job\(words)"
        ))
    }
    guard root?.isObject == true else {
      return .decision(
        .retry(
          after: nil, cause: .parse,
          message: "\(place) answers the request for a token with something that is not JSON"))
    }
    // Some servers refuse with status 200.
    if root?["error"]?.string != nil {
      return .decision(refused(answer, nil, said, attempt: attempt))
    }
    return .decision(
      .fatal(
        message:
          "\(place) answers \(answer.status) without a token at \"\(grant.request.at)\"; see token.at of the job"
      ))
  }

  /// Whether an answer without a token says nothing of the secrets: it names a trouble of the server, or the secrets
  /// have served before and it neither refuses them nor has an error code of OAuth: a proxy's page, or what a gateway
  /// answers while its service is replaced. Servers refuse with 401, and in words of their own with `refusals`, or with
  /// an error in status 200.
  private func mayPass(_ answer: Answer, _ root: JSONValue?, _ kind: String?) -> Bool {
    // What was sent is spent: sent again it may end the login.
    if successor(in: answer) != nil { return false }
    if let word = root?["error"]?.string, Self.passingKinds.contains(word) { return true }
    let isRefusal =
      answer.kind == .content
      ? root?["error"] != nil : isOfLogin || Self.refusals.contains(answer.status)
    return wasRead && kind == nil && answer.status != 401 && !(root?.isObject == true && isRefusal)
  }

  private var place: String { grant.address.origin.description + grant.address.path }

  // MARK: a token

  private func token(in root: JSONValue) -> Judged<AccessToken>? {
    guard let text = grant.request.at.first(in: root)?.string, !text.isEmpty else { return nil }
    guard text.utf8.count <= Secret.bytesMax, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      let message = "\(place) gives a token at \"\(grant.request.at)\" that no header can carry"
      // As for an answer without a token.
      return .decision(
        wasRead && successor(root) == nil
          ? .retry(after: nil, cause: .parse, message: message) : .fatal(message: message))
    }
    return .value(
      AccessToken(
        secret: Secret(text), life: life(in: root), successor: successor(root),
        strayHole: strayHole(root), others: Self.others(root)))
  }

  /// The next secret, which an answer may bring without a usable token. What a refusal has there, with status 200 too,
  /// may be any words, and must not replace a secret that still serves.
  public func successor(in answer: Answer) -> Secret? {
    guard answer.kind == .content, let root = AnswerBody(answer).document?.root,
      root["error"]?.isNull ?? true
    else { return nil }
    return successor(root)
  }

  private func successor(_ root: JSONValue) -> Secret? {
    let text = grant.request.rotation?.at.first(in: root)?.string
    return text.flatMap { $0.isEmpty ? nil : Secret($0) }
  }

  private static func others(_ value: JSONValue) -> [String] {
    value.elements.flatMap(others)
      + value.members.flatMap { member -> [String] in
        let name = (member.key.string ?? "").lowercased()
        // Not `refresh_token_status`, whose value may be any word of the records.
        let isSecret = ["token", "secret", "assertion"].contains { name.hasSuffix($0) }
        guard let text = member.value.string else { return others(member.value) }
        return isSecret ? [text] : []
      }
  }

  private func life(in root: JSONValue) -> Duration? {
    let value = grant.request.lasts.first(in: root)
    let seconds = value?.integer ?? value?.string.flatMap { Int64($0.trimmingBlanks) }
    guard let seconds, seconds > 0, seconds < Self.lifeMax else { return grant.request.life }
    return .seconds(seconds)
  }

  /// A year; a larger number is a time, not a lifetime.
  private static let lifeMax: Int64 = 366 * 86_400

  private func strayHole(_ root: JSONValue) -> String? {
    guard grant.request.rotation == nil, let text = root["refresh_token"]?.string, !text.isEmpty
    else { return nil }
    // For a login or client credentials it is irrelevant.
    guard grant.request.isByRefresh, !sent.values.contains(Secret(text)) else { return nil }
    return grant.request.secrets.map(\.hole).first { $0.holds("refresh") } ?? "…"
  }

  // MARK: a refusal

  /// Whether the server may have spent the secret unseen: an earlier try or run got no answer.
  public func mayBeSpent(at attempt: Int) -> Bool {
    grant.request.rotation != nil && (wasSent || attempt > 1)
  }

  private func refused(
    _ answer: Answer, _ kind: String?, _ said: String?, attempt: Int
  ) -> Decision {
    let words = [kind, said == kind ? nil : said.map { "\"\($0)\"" }].compactMap { $0 }
    let why = words.isEmpty ? "" : " (\(words.joined(separator: ": ")))"
    switch kind {
    case "invalid_grant":
      let cut =
        mayBeSpent(at: attempt)
        ? "; an earlier try had sent it, and its successor never came" : ""
      let spent = grant.request.rotation?.hole ?? grant.request.secrets.last?.hole ?? "the secret"
      return .keyRefused(
        message:
          "\(place) gives no token\(why): \"\(spent)\" was revoked, has lapsed or was spent before\(cut)\(cure)"
      )
    case "invalid_scope", "unsupported_grant_type", "invalid_request":
      return .fatal(
        message: "\(place) does not take the request for a token\(why); see token of the job")
    case nil where answer.status == 400:
      return .fatal(
        message: "\(place) answers 400 to the request for a token\(why); see token of the job")
    default:
      return .keyRefused(
        message:
          "\(place) \(isOfLogin ? "refuses the login" : "gives no token") (\(answer.status))\(why): the secrets are "
          + "wrong or were revoked\(cure)"
      )
    }
  }

  private var cure: String {
    if isOfLogin { return "" }
    if grant.request.login != nil { return ". To log in again, run: trawl key \(job)" }
    let page = grant.request.secrets.lazy.compactMap(\.page).last
    return page.map { ". Get a new one at \($0), then run: trawl key \(job)" }
      ?? ". Get a new one, then run: trawl key \(job)"
  }

  // MARK: what may be kept of it

  /// What a recording keeps of such an answer: that a token came, and its lifetime.
  public static func standIn(for answer: Answer, to request: TokenRequest) -> Answer {
    var answer = answer
    answer.fields = HeaderFields(
      answer.fields.all.filter { field in
        keptFields.contains { field.name.equalsIgnoringCase($0) }
      })
    let root = AnswerBody(answer).document?.root
    answer.body = root.map { standIn(for: $0, request).bytes.bytes } ?? []
    return answer
  }

  private static let keptFields = ["Date", "Content-Type", "Retry-After"]

  private static func standIn(for root: JSONValue, _ request: TokenRequest) -> FilledBody {
    var body = FilledBody.json(.object([]))
    for path in [request.at, request.rotation?.at].compactMap({ $0 })
    where path.first(in: root) != nil {
      body = body.setting(path.text, "-", isNumber: false)
    }
    if let seconds = request.lasts.first(in: root)?.integer {
      body = body.setting(request.lasts.text, String(seconds), isNumber: true)
    }
    // A standard error code, not a secret.
    if let kind = root["error"]?.string, kinds.union(passingKinds).contains(kind) {
      body = body.setting("error", kind, isNumber: false)
    }
    return body
  }
}

extension TokenRequest {
  /// Refresh tokens are the only grant that servers replace unasked.
  fileprivate var isByRefresh: Bool {
    switch body {
    case .form(let items):
      items.contains { $0.value.description.utf8.elementsEqual("refresh_token".utf8) }
    case .json(let value): value["grant_type"] == .text(Template([.text("refresh_token")]))
    case .none: false
    }
  }
}
