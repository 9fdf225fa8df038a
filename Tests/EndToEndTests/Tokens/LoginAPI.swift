import Glibc
import Base
import TestSupport

/// An API with login by code or browser. All its secrets contain the word `canary`.
final class LoginAPI: Sendable {
  struct Rules: Sendable {
    /// Polls before the user has authorised it.
    var pending = 0
    var givesRefresh = true
    /// Answers of the token server instead of its own.
    var tokens: [AnswerServer.Reply] = []
    /// The answer to the first request.
    var begins: AnswerServer.Reply?
    /// The API itself accepts no token any more.
    var refusesAll = false
  }

  private let state: Locked<Rules>
  let server: AnswerServer

  /// - Parameter heard: called with each path before its answer is sent.
  init(_ rules: Rules = Rules(), heard: @escaping @Sendable (String) -> Void = { _ in }) {
    let state = Locked(rules)
    self.state = state
    server = AnswerServer { call in
      heard(call.path)
      return state.withLock { Self.answer(call, &$0) }
    }
  }

  var origin: String { server.origin }
  func calls(_ path: String) -> [AnswerServer.Call] {
    server.calls.filter { $0.target.hasPrefix(path) }
  }
  func change(_ body: (inout Rules) -> Void) { state.withLock { body(&$0) } }

  private static func answer(
    _ call: AnswerServer.Call, _ rules: inout Rules
  ) -> AnswerServer.Reply {
    switch call.path {
    case "/oauth/device":
      return rules.begins
        ?? .json(
          """
          {"device_code": "canary-device", "user_code": "WDJB-MJHT", "expires_in": 600, "interval": 1,
           "verification_uri": "https://example.com/device"}
          """)
    case "/oauth/token":
      if !rules.tokens.isEmpty { return rules.tokens.removeFirst() }
      if call.body.holds("device_code"), rules.pending > 0 {
        rules.pending -= 1
        return .json("{\"error\": \"authorization_pending\"}", status: 400)
      }
      let refresh = rules.givesRefresh ? ", \"refresh_token\": \"canary-refresh-1\"" : ""
      return .json("{\"access_token\": \"canary-access\", \"expires_in\": 3600\(refresh)}")
    default:
      guard !rules.refusesAll, call.field("Authorization") == "Bearer canary-access" else {
        return .json("{\"message\": \"no\"}", status: 401)
      }
      return .json("{\"items\": [{\"id\": 1, \"title\": \"one\"}]}")
    }
  }

  // MARK: what a person has

  /// - Parameter more: members of the login.
  func job(
    _ grant: String, client: String = "canary-client", key: String = "", begins: String? = nil,
    more: String = ""
  ) -> String {
    let place = begins ?? "\(origin)/oauth/\(grant == "device" ? "device" : "page")"
    let secret = key.isEmpty ? "" : "client_secret: \"{key}\","
    return Shelf.job(
      base: origin, name: "shop",
      more: """
        auth: {
          to: "header:Authorization Bearer {secret}", secret: { \(key) refresh: "shop-refresh" },
          token: {
            post: "\(origin)/oauth/token",
            form: {
              grant_type: "refresh_token", client_id: "\(client)", \(secret)
              refresh_token: "{refresh}",
            },
            login: { grant: "\(grant)", begins: "\(place)", with: { scope: "read it" }, \(more) },
          },
        },
        """)
  }

  func run(_ home: Home, _ job: String) -> [String] {
    ["run", job, "--data", home.data, "--send-key-to", origin]
  }
}

/// What a returning browser does, byte by byte.
enum Browser {
  /// The parameters of the address that a login shows, and the port to return to.
  static func page(_ shown: String) -> (parameters: [String: String], port: Int)? {
    let line = shown.split(separator: "\n").first { $0.hasPrefix("  http://127.0.0.1") }
    guard let line else { return nil }
    let parameters = AnswerServer.Call(head: "GET \(line.dropFirst(2)) HTTP/1.1\r\n\r\n").parameters
    guard let back = parameters["redirect_uri"], let address = try? WebAddress(back) else {
      return nil
    }
    return (parameters, address.origin.port)
  }

  /// The listener's answer; nil: nobody listens. Empty: it closed without an answer.
  static func ask(_ port: Int, _ bytes: String) -> String? {
    guard let socket = Loopback.connect(to: port) else { return nil }
    defer { close(socket) }
    let sent = Array(bytes.utf8)
    guard send(socket, sent, sent.count, Int32(MSG_NOSIGNAL)) >= 0 else { return "" }
    var answer: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = recv(socket, &part, part.count, 0)
      if count <= 0 { return String(decoding: answer, as: UTF8.self) }
      answer += part[..<count]
    }
  }

  static func get(_ port: Int, _ target: String) -> String? {
    ask(port, "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
  }
}
