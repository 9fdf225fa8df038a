import Base
import SandboxKit
import TestSupport
import Testing

/// The runs of other tests hold the sandbox's lists against its truth; what they presume is here.
@Suite("The seed of the sandbox", .prompt)
struct SeedTests {
  @Test(
    "decides every byte of an answer but the port",
    arguments: [
      "/github/users/octocat/followers", "/youtube/search?part=snippet&type=video&q=swift",
      "/newsapi/everything?q=linux", "/giphy/gifs/trending?limit=50",
      "/openmarket/api/products?items_per_page=50", "/media/u/583231?v=4",
    ])
  func bytes(path: String) async throws {
    func text(seed: UInt64) async throws -> String {
      let time = VirtualTime()
      return try await withSandbox(
        {
          $0.seed = seed
          $0.time = time.timekeeper
        }
      ) { sandbox, client in
        let answer = try await client.get(path)
        #expect(answer.status == 200)
        return String(decoding: answer.body, as: UTF8.self).split(separator: sandbox.origin)
          .joined()
      }
    }
    let first = try await text(seed: 1)
    #expect(try await text(seed: 1) == first)
    #expect(try await text(seed: 2) != first)
  }
}
