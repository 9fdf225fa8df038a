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
