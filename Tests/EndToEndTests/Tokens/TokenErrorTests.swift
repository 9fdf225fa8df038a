import Base
import TestSupport
import Testing

@Suite("A request for a token that brings none", .prompt)
struct TokenErrorTests {
  private let home = Home()

  private static func refusal(
    _ code: String, _ more: String = "", status: Int = 400
  ) -> AnswerServer.Reply {
    .json("{\"error\": \"\(code)\"\(more)}", status: status)
  }

  private static func leading(to place: String, status: Int = 302) -> AnswerServer.Reply {
    .init(status: status, fields: ["Location: \(place)"])
  }

  private static let answers: [(Int32, String, AnswerServer.Reply)] = [
    (
      77, "was revoked, has lapsed or was spent before",
      refusal("invalid_grant", #", "error_description": "no canary-refresh-0 here""#)
    ),
    (77, "the secrets are wrong or were revoked", refusal("invalid_client", status: 401)),
    (1, "does not take the request for a token (invalid_scope)", refusal("invalid_scope")),
    (
      77, #"gives no token (200) ("bad_refresh_token")"#,
      refusal("bad_refresh_token", status: 200)
    ),
    (
      1, #"without a token at "access_token"; see token.at"#,
      .json(#"{"token": "canary-access-9"}"#)
    ),
    (75, "asks for a wait", .json("{}", ["Retry-After: 7200"], status: 429)),
    (1, "see token.post", .json("{}", status: 404)),
    (1, "that no header can carry", .json(#"{"access_token": "canary access"}"#)),
    (
      1, "/login?r=***&s=***",
      leading(to: "/login?r=canary%2Drefresh-0&s=Y2FuYXJ5LWtleQ==", status: 307)
    ),
    (
      1, "leads to http://127.0.0.1:1 with the key in the address",
      leading(to: "http://127.0.0.1:1/?s=canary-key")
    ),
    (
      1, "leads to http://*** with the key in the address",
      leading(to: "http://canary-key.example/")
    ),
  ]

  @Test("says why, and what mends it, with no secret in it", arguments: answers)
  func told(status: Int32, words: String, reply: AnswerServer.Reply) async throws {
    let api = TokenAPI()
    api.script(reply)
    let job = api.shop(home)
    await home.run(api.arguments(home, job), ends: status, saying: words, without: "canary")
    #expect(api.pageRequests == 0 && api.server.calls.count == 1)
    if home.holds(home.database) {
      let found = await home.shell("grep -rlaF canary \"$D\"")
      #expect(found.output.isEmpty, "\(found.output)")
    }
  }

  @Test("shows its encoded user and password nowhere, not where the server leads with them")
  func basic() async throws {
    let api = TokenAPI()
    let pair = Base64.encoded(Array("canary-id:canary-key".utf8))
    api.script(Self.leading(to: "/login?with=Basic%20\(pair)"))
    api.keep(home)
    let job = home.write(
      api.job(
        secrets: "id: \"shop-id\", key: \"shop-key\"",
        form: "form: { grant_type: \"client_credentials\" }, basic: \"{id}:{key}\","),
      to: "shop.json5")
    await home.run(
      api.arguments(home, job), ends: 1, saying: "/login?with=Basic%20***; it is not followed")
    #expect(api.server.calls.first?.field("Authorization") == "Basic \(pair)")
  }

  @Test("says that its refresh token may be spent where an earlier try was not answered, else not")
  func mayBeSpent() async throws {
    let refused = Self.refusal("invalid_grant")
    let words = "an earlier try had sent it"
    let api = TokenAPI(.init(rotates: true))
    let job = api.shop(home, more: TokenAPI.rotating)
    // A definite refusal uses up nothing, and the next one depends on nothing before it.
    for reply in [Self.refusal("invalid_client", status: 401), refused] {
      api.script(reply)
      await home.run(api.arguments(home, job), ends: 77, without: words)
    }
    api.script(.json("{}", status: 502), refused)
    for _ in 1...2 {
      await home.run(api.arguments(home, job), ends: 77, saying: words)
      api.script(refused)
    }
  }

  @Test("is held against the server that gives tokens, and not against the API")
  func otherServer() async throws {
    let api = TokenAPI()
    api.keep(home)
    let dead = DeadPort()
    let gone = dead.origin
    let text = api.job().pieces(around: "\(api.origin)/oauth").joined(separator: "\(gone)/oauth")
    let job = home.write(text, to: "shop.json5")
    await home.run(api.arguments(home, job, ["--send-key-to", gone]), ends: 69, saying: gone)
    let failed = try Tables(path: "\(home.data)/ledger.db").texts("SELECT host FROM trawl_breakers")
    #expect(failed == [gone])
    // Nobody else has had its port until here.
    withExtendedLifetime(dead) {}
  }

  @Test("is tried again where that may help")
  func triedAgain() async throws {
    let api = TokenAPI()
    api.script(Self.refusal("temporarily_unavailable"), .json("<html>"))
    let job = api.shop(home)
    await home.run(api.arguments(home, job), ends: 0)
    #expect(api.given == 1)
  }

  @Test(
    "and is a proxy's is tried again where the secrets have served: it says nothing of them",
    arguments: [
      .json("<h1>Just a moment...</h1>", status: 403),
      .init(status: 302, fields: ["Location: /login"]),
      .json("{\"error\": \"no such route\"}", status: 404),
    ] as [AnswerServer.Reply])
  func oddNight(reply: AnswerServer.Reply) async throws {
    let api = TokenAPI()
    let job = api.shop(home)
    await home.run(api.arguments(home, job), ends: 0)
    api.script(reply)
    await home.run(api.arguments(home, job), ends: 0)
    #expect(api.given == 2)
  }
}
