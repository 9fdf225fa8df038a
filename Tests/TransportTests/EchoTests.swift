import Base
import TestSupport
import Transport
import Testing

@Suite("An answer that repeats the secret", .prompt)
struct EchoTests {
  /// With all kinds of letters that JSON or a URL spells differently.
  static let secret = "k3y/with+some=signs"
  static let place = Credential.Place.header(name: "X-Key", prefix: "")

  static let forms = [
    "k3y/with+some=signs", "k3y%2Fwith%2Bsome%3Dsigns", "k3y%2fwith%2bsome%3dsigns",
    "k3y\\/with+some=signs",
  ]

  @Test("comes without it, in whatever form", arguments: forms)
  func comesClean(form: String) async throws {
    let body = "{\"next\":\"https://other.example/?t=\(form)&u=\(form)\",\"more\":\"\(form)\"}"
    let link = "Link: <https://other.example/?t=\(form)>; rel=\"next\""
    try await meet(ScriptedServer.answer(200, [link], body: Array(body.utf8))) { server, exchange in
      let answer = try await exchange.send(Request(server.url(), Self.place, Self.secret))
      #expect(server.calls.first?.field("X-Key") == Self.secret)
      #expect(answer.fields["Link"] == "<https://other.example/?t=***>; rel=\"next\"")
      let text = String(decoding: answer.body, as: UTF8.self)
      #expect(text == "{\"next\":\"https://other.example/?t=***&u=***\",\"more\":\"***\"}")
    }
  }

  @Test(
    "is left as it is where the secret is a short word, or there is none", arguments: ["word", nil])
  func leavesData(short: String?) async throws {
    let body = "{\"title\":\"a word about words\"}"
    try await meet(ScriptedServer.answer(body: Array(body.utf8))) { server, exchange in
      let request = try short.map { try Request(server.url(), Self.place, $0) }
      let answer = try await exchange.send(request ?? Request(server.url()))
      #expect(String(decoding: answer.body, as: UTF8.self) == body)
    }
  }

  @Test("is cleaned at its edges too, and keeps every other byte")
  func edges() {
    let screen = SecretScreen(
      Credential(place: .query(name: "k"), secret: Secret("abababab"), origins: []))
    let cases = [
      ("abababab", "***"), ("xabababab", "x***"), ("ababababx", "***x"), ("abababa", "abababa"),
      ("abababababababab", "******"), ("ab abababab", "ab ***"), ("", ""), ("é", "é"),
    ]
    for (text, clean) in cases {
      #expect(screen.clean(Array(text.utf8)) == Array(clean.utf8), "\(text)")
    }
  }
}
