import Glibc
import Base
import TestSupport
import Testing

@Suite("A job for a server of one's own", .prompt)
struct TenantRunTests {
  private static let canary = "canary-5b1d22c7"

  private static func job(_ server: AnswerServer) -> String {
    Shelf.job(
      base: "\(server.origin)/{shop}",
      more: """
        params: { shop: { about: "whose shop it is", pattern: "[a-z]+" }, mail: {} },
        headers: { "X-Shop": "{shop}" },
        auth: [
          { to: "basic {mail}:{secret}", secret: "shop-key" },
          { to: "header:X-App", secret: "app-key" },
        ],
        """)
  }

  @Test("keeps its keys one a line from a pipe, bound to the server that is confirmed, all or none")
  func keys() async throws {
    let server = AnswerServer { _ in .json("{}") }
    let home = Home()
    let job = home.write(Self.job(server), to: "shelf.json5")
    let to = "--endpoint https://acme.example.com"
    await home.shell(
      "printf '\(Self.canary)\\n' | \"$T\" key \(job) \(to)", ends: 77, saying: "2 keys are due")
    #expect(!home.holds("\(home.settings)/trawl/keys/shop-key"))
    await home.shell(
      "printf '\(Self.canary)\\n\(Self.canary)-app\\n' | \"$T\" key \(job) \(to)", ends: 0,
      without: Self.canary)
    #expect(
      Golden.read("\(home.settings)/trawl/keys/shop-key")
        == "\(Self.canary)\norigin https://acme.example.com\n")
    await home.shell("printf 'a\\nb\\n' | \"$T\" key \(job)", ends: 64, saying: "\"shop\"")
  }
}
