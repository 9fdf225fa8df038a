import Base
import TestSupport
import Testing

@Suite("A request for a token that brings none", .prompt)
struct TokenErrorTests {
  private let home = Home()

  @Test(
    "says why, and what mends it, with no secret in it",
    arguments: [
      (
        .json(
          "{\"error\": \"invalid_grant\", \"error_description\": \"no canary-refresh-0 here\"}",
          status: 400), 77, "was revoked, has lapsed or was spent before"
      ),
      (
        .json("{\"error\": \"invalid_client\"}", status: 401), 77,
        "the secrets are wrong or were revoked"
      ),
      (
        .json("{\"error\": \"invalid_scope\"}", status: 400), 1,
        "does not take the request for a token (invalid_scope)"
      ),
      (
        .json("{\"error\": \"bad_refresh_token\"}"), 77,
        "gives no token (200) (\"bad_refresh_token\")"
      ),
      (
        .json("{\"token\": \"canary-access-9\"}"), 1,
        "without a token at \"access_token\"; see token.at"
      ),
      (.json("{}", ["Retry-After: 7200"], status: 429), 75, "asks for a wait"),
      (.json("{}", status: 404), 1, "see token.post"),
      (.json("{\"access_token\": \"canary access\"}"), 1, "that no header can carry"),
      (
        .init(status: 307, fields: ["Location: /login?r=canary%2Drefresh-0&s=Y2FuYXJ5LWtleQ=="]), 1,
        "/login?r=***&s=***"
      ),
      (
        .init(status: 302, fields: ["Location: http://127.0.0.1:1/?s=canary-key"]), 1,
        "leads to http://127.0.0.1:1 with the key in the address"
      ),
      (
        .init(status: 302, fields: ["Location: http://canary-key.example/"]), 1,
        "leads to http://*** with the key in the address"
      ),
    ] as [(AnswerServer.Reply, Int32, String)])
  func told(reply: AnswerServer.Reply, status: Int32, words: String) async throws {
    let api = TokenAPI()
    api.script(reply)
    let job = api.shop(home)
    let ended = await home.run(api.arguments(home, job), ends: status, saying: words)
    #expect(!ended.errors.holds("canary"), "\(ended.errors)")
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
    api.script(.init(status: 302, fields: ["Location: /login?with=Basic%20\(pair)"]))
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
    let refused = AnswerServer.Reply.json("{\"error\": \"invalid_grant\"}", status: 400)
    let words = "an earlier try had sent it"
    let api = TokenAPI(.init(rotates: true))
    let job = api.shop(home, more: "rotates: { refresh: \"refresh_token\" }")
    // A definite refusal uses up nothing, and the next one depends on nothing before it.
    for reply in [.json("{\"error\": \"invalid_client\"}", status: 401), refused] {
      api.script(reply)
      let ended = await home.run(api.arguments(home, job))
      #expect(ended.status == 77 && !ended.errors.holds(words), "\(ended.errors)")
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
    let nobody = AnswerServer { _ in .json("{}") }
    let gone = nobody.origin
    nobody.stop()
    let text = api.job().pieces(around: "\(api.origin)/oauth").joined(separator: "\(gone)/oauth")
    let job = home.write(text, to: "shop.json5")
    await home.run(api.arguments(home, job, ["--send-key-to", gone]), ends: 69, saying: gone)
    let failed = try Tables(path: "\(home.data)/ledger.db").texts("SELECT host FROM trawl_breakers")
    #expect(failed == [gone])
  }

  @Test("is tried again where that may help")
  func triedAgain() async throws {
    let api = TokenAPI()
    api.script(
      .json("{\"error\": \"temporarily_unavailable\"}", status: 400), .json("<html>"))
    let job = api.shop(home)
    let ended = await home.run(api.arguments(home, job))
    #expect(ended.status == 0 && api.given == 1, "\(ended.errors)")
  }

  @Test(
    "and is a proxy's is tried again where the secrets have served: it says nothing of them",
    arguments: [
      AnswerServer.Reply.json("<h1>Just a moment...</h1>", status: 403),
      AnswerServer.Reply(status: 302, fields: ["Location: /login"]),
      AnswerServer.Reply.json("{\"error\": \"no such route\"}", status: 404),
    ])
  func oddNight(reply: AnswerServer.Reply) async throws {
    let api = TokenAPI()
    let job = api.shop(home)
    await home.run(api.arguments(home, job), ends: 0)
    api.script(reply)
    await home.run(api.arguments(home, job), ends: 0)
    #expect(api.given == 2)
  }
}
