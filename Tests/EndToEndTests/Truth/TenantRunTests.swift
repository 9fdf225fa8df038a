import Glibc
import Base
import TestSupport
import Testing

@Suite("A job for a server of one's own", .prompt)
struct TenantRunTests {
  private static let canary = "canary-5b1d22c7"

  private static func job(_ server: AnswerServer) -> String {
    Shelf.job(base: "\(server.origin)/{shop}")
      .pieces(around: "streams: {").joined(
        separator: """
          params: { shop: { about: "whose shop it is", pattern: "[a-z]+" }, mail: {} },
          headers: { "X-Shop": "{shop}" },
          auth: [
            { to: "basic {mail}:{secret}", secret: "shop-key" },
            { to: "header:X-App", secret: "app-key" },
          ],
          streams: {
          """)
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
