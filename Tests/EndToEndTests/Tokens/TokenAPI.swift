import Glibc
import Base
import TestSupport

/// An API with access tokens, and the server that issues them: a token serves a number of requests, and a refresh token
/// only one. All its secrets contain the word `canary`.
final class TokenAPI: Sendable {
  struct Rules: Sendable {
    var rotates = false
    /// Requests that a token serves; nil: any number.
    var servesMax: Int?
    /// The stated lifetime of each token, in seconds.
    var life: Int? = 3600
    var pages = 5
    /// The API itself refuses every token.
    var refusesAll = false
    /// Paths that refuse one token, and then fail.
    var failing = "nothing"
    /// A text that the records repeat.
    var echo = ""
    /// Further members of an answer that brings a token.
    var more = ""
    /// What the API answers to a token that serves no more.
    var refusal = (body: "{\"message\": \"token expired\"}", status: 401)
  }

  private struct State {
    var rules: Rules
    var refresh = "canary-refresh-0"
    var given = 0
    /// Tokens that other runs have requested.
    var givenElsewhere = 0
    var failures = 0
    /// The number of requests with each token.
    var served: [String: Int] = [:]
    var spent: [String] = []
    var script: [AnswerServer.Reply] = []
  }

  private let state: Locked<State>
  let server: AnswerServer

  /// - Parameters:
  ///   - onToken: called when a token is requested, after the one that was sent is used up.
  ///   - onPage: called before each answer of the API itself.
  init(
    _ rules: Rules = Rules(), onToken: @escaping @Sendable () -> Void = {},
    onPage: @escaping @Sendable () -> Void = {}
  ) {
    let state = Locked(State(rules: rules))
    self.state = state
    server = AnswerServer { call in
      guard call.target == "/oauth/token" else {
        onPage()
        return state.withLock { Self.page(call, &$0) }
      }
      let reply = state.withLock { Self.token(call, &$0) }
      onToken()
      return reply
    }
  }

  var origin: String { server.origin }
  /// Issued tokens.
  var given: Int { state.withLock { $0.given } }
  /// Refresh tokens in the order in which they were sent.
  var spent: [String] { state.withLock { $0.spent } }
  var refresh: String { state.withLock { $0.refresh } }
  var pageRequests: Int { server.calls.count { $0.target.hasPrefix("/v1/") } }

  /// Answers the next token requests with these.
  func script(_ replies: AnswerServer.Reply...) { state.withLock { $0.script += replies } }
  func change(_ body: @escaping (inout Rules) -> Void) { state.withLock { body(&$0.rules) } }

  /// Another run has requested a token: that ends those before it.
  func spendElsewhere() {
    state.withLock { state in
      state.givenElsewhere += 1
      state.refresh = "canary-refresh-elsewhere-\(state.givenElsewhere)"
      state.served = [:]
    }
  }

  private static func value(_ name: String, _ call: AnswerServer.Call) -> String? {
    call.body.split(separator: "&").first { $0.hasPrefix("\(name)=") }
      .map { String($0.dropFirst(name.utf8.count + 1)) }
  }

  private static func token(_ call: AnswerServer.Call, _ state: inout State) -> AnswerServer.Reply {
    let refresh = value("refresh_token", call)
    if let refresh { state.spent.append(refresh) }
    if !state.script.isEmpty { return state.script.removeFirst() }
    let basic = Base64.encoded(Array("canary-id:canary-key".utf8))
    let isKnown =
      value("client_id", call) == "canary-id" && value("client_secret", call) == "canary-key"
      || call.field("Authorization") == "Basic \(basic)"
    guard isKnown else { return .json("{\"error\": \"invalid_client\"}", status: 401) }
    guard refresh == nil || refresh == state.refresh else {
      return .json(
        "{\"error\": \"invalid_grant\", \"error_description\": \"the token is spent\"}",
        status: 400)
    }
    state.given += 1
    let access = "canary-access-\(state.given)"
    state.served[access] = 0
    var members = ["\"access_token\": \"\(access)\"", "\"token_type\": \"bearer\""]
    if let life = state.rules.life { members.append("\"expires_in\": \(life)") }
    if refresh != nil, state.rules.rotates {
      state.refresh = "canary-refresh-\(state.given)"
      members.append("\"refresh_token\": \"\(state.refresh)\"")
    }
    if !state.rules.more.isEmpty { members.append(state.rules.more) }
    return .json("{\(members.joined(separator: ", "))}")
  }

  private static func page(_ call: AnswerServer.Call, _ state: inout State) -> AnswerServer.Reply {
    let rules = state.rules
    if call.target.holds(rules.failing) {
      state.failures += 1
      return .json("{}", status: state.failures == 1 ? 401 : 500)
    }
    let access = String((call.field("Authorization") ?? "").dropFirst("Bearer ".count))
    let count = (state.served[access] ?? 0) + 1
    let isKnown = state.served[access] != nil
    state.served[access] = count
    guard !rules.refusesAll, isKnown, rules.servesMax.map({ count <= $0 }) ?? true else {
      return .json(rules.refusal.body, status: rules.refusal.status)
    }
    let page = max(1, call.number("page") ?? 1)
    let items = (page * 2 - 1...page * 2).map {
      "{\"id\": \($0), \"title\": \"\(rules.echo) \(access)\"}"
    }
    let shown = page > rules.pages ? "" : items.joined(separator: ", ")
    return .json("{\"items\": [\(shown)]}")
  }

  // MARK: what a person has

  static let rotating = "rotates: { refresh: \"refresh_token\" }"
  /// What a key file says behind its secret.
  var bond: String { "\norigin \(origin) for tokens of \(origin)\n" }

  static let form = """
    form: {
      grant_type: "refresh_token", client_id: "{id}", client_secret: "{key}",
      refresh_token: "{refresh}",
    },
    """

  static let secrets = #"id: "shop-id", key: "shop-key", refresh: "shop-refresh""#

  func job(
    name: String = "shop", secrets: String = secrets, form: String = form, more: String = "",
    base: String? = nil
  ) -> String {
    Shelf.job(
      base: base ?? origin, pages: "by: \"number\", to: \"?page\"", name: name,
      more: """
        auth: {
          to: "header:Authorization Bearer {secret}",
          secret: { \(secrets) },
          token: { post: "\(origin)/oauth/token", \(form) \(more) },
        },
        """)
  }

  /// Writes the secrets as `trawl key` does.
  func keep(_ home: Home) {
    let folder = "\(home.settings)/trawl/keys"
    home.makeFolder(folder)
    chmod(folder, 0o700)
    for (hole, text) in held { home.write(text + bond, to: "\(folder)/shop-\(hole)", mode: 0o600) }
  }

  /// The secrets as they are now, by their names in the job.
  var held: [(String, String)] {
    [("id", "canary-id"), ("key", "canary-key"), ("refresh", refresh)]
  }

  /// Writes its job file, and the secrets as `trawl key` does.
  func shop(_ home: Home, more: String = "") -> String {
    keep(home)
    return home.write(job(more: more), to: "shop.json5")
  }

  func arguments(_ home: Home, _ job: String, _ more: [String] = []) -> [String] {
    ["run", job, "--data", home.data, "--send-key-to", origin] + more
  }
}
