import Base
import Walk
import Testing

@Suite("An answer without a usable token")
struct TokenAnswerTests {
  private static func answers(wasRead: Bool = false) throws -> TokenAnswer {
    var request = TokenRequest(
      place: "/token", body: .none, secrets: [NamedSecret("refresh", name: "shop-refresh")],
      at: try JSONPath("access_token"), lasts: try JSONPath("expires_in"))
    request.rotation = TokenRequest.Rotation("refresh", at: try JSONPath("refresh_token"))
    let grant = TokenGrant(
      request, at: try WebAddress("https://api.example/token"), secrets: [:])
    return TokenAnswer(
      grant, [:], of: try FakeJob.job(try FakeJob.stream(.single)), wasRead: wasRead)
  }

  private static func decided(_ status: Int, _ body: String, wasRead: Bool) throws -> String {
    let answer = try AnswerRow("", status, [], body, .page).answer()
    return switch try answers(wasRead: wasRead).read(answer, attempt: 1) {
    case .value: "token"
    case .decision(.retry): "retry"
    case .decision(.keyRefused): "key"
    case .decision(.fatal): "fatal"
    case .decision(let other): "\(other)"
    }
  }

  @Test(
    "is temporary where it says nothing of secrets that have served, and else wants a person",
    arguments: [
      (403, "<html>", "key"), (400, "<html>", "fatal"), (404, "<html>", "fatal"),
      (405, "", "fatal"),
      (302, "", "fatal"), (200, "{}", "fatal"), (200, #"{"message": "maintenance"}"#, "fatal"),
      (404, #"{"error": "no such route"}"#, "fatal"),
      (200, #"{"access_token": "a\nb"}"#, "fatal"),
    ] as [(Int, String, String)])
  func odd(status: Int, body: String, atFirst: String) throws {
    #expect(try Self.decided(status, body, wasRead: true) == "retry")
    #expect(try Self.decided(status, body, wasRead: false) == atFirst)
  }

  @Test(
    "is what it says it is, whether lists were read before or not",
    arguments: [
      (400, #"{"error": "temporarily_unavailable"}"#, "retry"),
      (400, #"{"error": "slow_down"}"#, "retry"), (200, #"{"error": "server_error"}"#, "retry"),
      (400, #"{"error": "invalid_grant"}"#, "key"), (400, #"{"error": "invalid_scope"}"#, "fatal"),
      (200, #"{"error": "bad_refresh_token"}"#, "key"), (401, "<html>", "key"),
      (403, #"{"message": "Wrong password"}"#, "key"),
      (400, #"{"error": "invalid_client"}"#, "key"),
      (400, #"{"message": "Bad Request"}"#, "fatal"), (422, #"{"error": "revoked"}"#, "fatal"),
      // The secret that was sent is spent, and must not be sent again.
      (200, #"{"refresh_token": "next"}"#, "fatal"),
      (200, #"{"access_token": "a\nb", "refresh_token": "next"}"#, "fatal"),
    ] as [(Int, String, String)], [false, true])
  func told(one: (Int, String, String), wasRead: Bool) throws {
    #expect(try Self.decided(one.0, one.1, wasRead: wasRead) == one.2, "\(one.0) \(one.1)")
  }

  @Test(
    "that refuses the secret says where the next one comes from",
    arguments: [
      (nil, false, "Get a new one, then run: trawl key shop"),
      (
        "https://api.example/keys", false,
        "Get a new one at https://api.example/keys, then run: trawl key shop"
      ),
      ("https://api.example/keys", true, "To log in again, run: trawl key shop"),
    ] as [(String?, Bool, String)])
  func cure(page: String?, isByLogin: Bool, said: String) throws {
    var request = TokenRequest(
      place: "/token", body: .none,
      secrets: [NamedSecret("refresh", name: "shop-refresh", page: page)],
      at: try JSONPath("access_token"), lasts: try JSONPath("expires_in"))
    if isByLogin { request.login = TokenRequest.Login(.device, at: "/device", hole: "refresh") }
    let grant = TokenGrant(
      request, at: try WebAddress("https://api.example/token"), secrets: [:])
    let answers = TokenAnswer(grant, [:], of: try FakeJob.job(try FakeJob.stream(.single)))
    let answer = try AnswerRow("", 400, [], #"{"error": "invalid_grant"}"#, .page).answer()
    guard case .decision(let decision) = answers.read(answer, attempt: 1) else {
      Issue.record("a token")
      return
    }
    #expect(decision.message.hasSuffix("or was spent before. \(said)"), "\(decision.message)")
  }

  @Test(
    "of a server that replaces the refresh token unasked names the secret that it would fill",
    arguments: [
      (.form([QueryItem("grant_type", Template([.text("refresh_token")]))]), "new", "refresh"),
      (
        .json(.object([.init("grant_type", .text(Template([.text("refresh_token")])))])), "new",
        "refresh"
      ),
      (.form([QueryItem("grant_type", Template([.text("refresh_token")]))]), "sent", nil),
      (.form([QueryItem("grant_type", Template([.text("client_credentials")]))]), "new", nil),
    ] as [(BodyTemplate, String, String?)])
  func stray(body: BodyTemplate, came: String, hole: String?) throws {
    let request = TokenRequest(
      place: "/token", body: body, secrets: [NamedSecret("refresh", name: "shop-refresh")],
      at: try JSONPath("access_token"), lasts: try JSONPath("expires_in"))
    let grant = TokenGrant(
      request, at: try WebAddress("https://api.example/token"), secrets: [:])
    let answers = TokenAnswer(
      grant, ["refresh": Secret("sent")], of: try FakeJob.job(try FakeJob.stream(.single)))
    let said = #"{"access_token": "a", "refresh_token": "\#(came)"}"#
    let answer = try AnswerRow("", 200, [], said, .page).answer()
    var found: AccessToken?
    if case .value(let token) = answers.read(answer, attempt: 1) { found = token }
    let token = try #require(found)
    #expect(token.strayHole == hole)
  }

  @Test(
    "brings the next secret nevertheless, except in a refusal",
    arguments: [
      (200, #"{"refresh_token": "next"}"#, "next"),
      (200, #"{"error": null, "refresh_token": "next"}"#, "next"),
      (200, #"{"error": "invalid", "refresh_token": "is not valid"}"#, nil),
      (400, #"{"refresh_token": "is not valid"}"#, nil),
    ] as [(Int, String, String?)])
  func successor(status: Int, body: String, next: String?) throws {
    let answer = try AnswerRow("", status, [], body, .page).answer()
    #expect(try Self.answers().successor(in: answer)?.reveal() == next)
  }
}
