import Glibc
import Base
import TestSupport
import Testing

@Suite("A job for a server of one's own", .prompt)
struct TenantRunTests {
  private static let canary = "canary-5b1d22c7"

  private static func job(_ server: AnswerServer) -> String {
    Shelf.job(base: "\(server.origin)/{shop}", pages: "by: \"single\"")
      .pieces(around: "streams: {").joined(
        separator: """
          params: { shop: { about: "whose shop it is", pattern: "[a-z]+" }, mail: {} },
          headers: { "X-Shop": "{shop}" },
          auth: [
            { to: "basic", user: "{mail}", secret: "shop-key" },
            { to: "header:X-App", secret: "app-key" },
          ],
          streams: {
          """)
  }

  @Test(
    "asks there once its values are given, with each of its keys in its place; nothing shows them")
  func run() async throws {
    let server = AnswerServer { _ in .json("{\"items\": [{\"id\": 1}]}") }
    let home = Home()
    let job = home.write(Self.job(server), to: "shelf.json5")
    let without = await home.run(["run", job, "--data", home.data])
    #expect(without.status == 64 && without.errors.holds("\"shop\""), "\(without.errors)")
    #expect(server.calls.isEmpty)
    home.makeFolder("\(home.settings)/trawl/keys")
    chmod("\(home.settings)/trawl/keys", 0o700)
    for (name, text) in [("shop-key", Self.canary), ("app-key", "\(Self.canary)-app")] {
      home.write(
        "\(text)\norigin \(server.origin)\n", to: "\(home.settings)/trawl/keys/\(name)", mode: 0o600
      )
    }
    let command = [
      "run", job, "--data", home.data, "--set", "shop=acme", "--set", "mail=me@example.com",
      "--send-key-to", server.origin, "--record", "\(home.data)/rec", "-v",
    ]
    let ended = await home.run(command, ends: 0)
    let call = try #require(server.calls.last)
    #expect(call.target == "/acme/v1/books" && call.field("X-Shop") == "acme")
    let pair = Base64.encoded(Array("me@example.com:\(Self.canary)".utf8))
    #expect(call.field("Authorization") == "Basic \(pair)")
    #expect(call.field("X-App") == "\(Self.canary)-app")
    #expect(!ended.errors.holds("canary") && !ended.errors.holds(pair))
    let found = await home.shell("grep -rlaE 'canary|\(pair)' \"$D\" | wc -l")
    #expect(found.output.holds("0"), "\(found.output)")
  }

  @Test("keeps its keys one a line from a pipe, bound to the server that is confirmed, all or none")
  func keys() async throws {
    let server = AnswerServer { _ in .json("{}") }
    let home = Home()
    let job = home.write(Self.job(server), to: "shelf.json5")
    let to = "--endpoint https://acme.example.com"
    let short = await home.shell("printf '\(Self.canary)\\n' | \"$T\" key \(job) \(to)")
    #expect(short.status == 77 && short.errors.holds("2 keys are due"), "\(short.errors)")
    #expect(!home.holds("\(home.settings)/trawl/keys/shop-key"))
    let kept = await home.shell(
      "printf '\(Self.canary)\\n\(Self.canary)-app\\n' | \"$T\" key \(job) \(to)")
    #expect(kept.status == 0 && !kept.errors.holds(Self.canary), "\(kept.errors)")
    let found = await home.shell("cat \(home.settings)/trawl/keys/shop-key")
    #expect(found.output == "\(Self.canary)\norigin https://acme.example.com\n", "\(found.output)")
    let unknown = await home.shell("printf 'a\\nb\\n' | \"$T\" key \(job)")
    #expect(unknown.status == 64 && unknown.errors.holds("\"shop\""), "\(unknown.errors)")
  }
}
