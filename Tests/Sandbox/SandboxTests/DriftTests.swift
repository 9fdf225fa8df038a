import SandboxKit
import Testing

@Suite("A list of the sandbox that moves")
struct DriftTests {
  @Test("gives a walk by pages some records twice, and hides others from it")
  func whileWalking() async throws {
    try await withSandbox(options(.demo) { $0.drift = 3 }) { sandbox, client in
      let before = try #require(sandbox.truth("github")?.list("followers", of: "octocat")).keys
      let walk = GitHubWalk(sandbox: sandbox, client: client)
      let seen = try await walk.pages("/users/octocat/followers?per_page=100").flatMap { $0 }
      let after = try #require(sandbox.truth("github")?.list("followers", of: "octocat"))
      #expect(Set(seen).count < seen.count, "insertions push records onto the next page")
      let stayed = Set(before).intersection(after.keys)
      #expect(!stayed.isSubset(of: seen), "deletions pull records onto a page already read")
      #expect(!after.left.isEmpty)
    }
  }

  @Test("moves the same way for the same seed, in the same walk")
  func isDeterministic() async throws {
    var walks: [[[String]]] = []
    for _ in 0..<2 {
      walks.append(
        try await withSandbox(options { $0.drift = 2 }) { sandbox, client in
          let walk = GitHubWalk(sandbox: sandbox, client: client)
          return try await walk.pages("/users/octocat/followers?per_page=10")
        })
    }
    #expect(walks[0] == walks[1])
  }

  @Test("moves when it is told to, at the front")
  func onDemand() async throws {
    try await withSandbox { sandbox, client in
      let list = { try #require(sandbox.truth("github")?.list("followers", of: "octocat")) }
      let before = try list()
      let answer = try await client.get("/_sandbox/drift?api=github&insert=3&delete=2")
      #expect(answer.status == 200)
      let after = try list()
      #expect(after.keys.count + after.hidden == before.keys.count + before.hidden + 1)
      let newcomers = after.keys.filter { !before.keys.contains($0) }
      #expect(!newcomers.isEmpty && after.keys.starts(with: newcomers))
      #expect(
        Array(after.keys.dropFirst(newcomers.count))
          == before.keys.suffix(after.keys.count - newcomers.count))
      // A newcomer has a profile like everybody.
      let users = try #require(sandbox.truth("github")).tables[0].keys
      #expect(Set(newcomers).isSubset(of: users))
      let walk = GitHubWalk(sandbox: sandbox, client: client)
      #expect(try await walk.pages("/users/octocat/followers").flatMap { $0 } == after.keys)
    }
  }

  @Test("keeps still when nobody asked for drift, and after an answer that was broken")
  func keepsStill() async throws {
    let faults = try FaultSpec(parsing: "cut-length=1")
    for (drift, faults) in [(0, FaultSpec()), (5, faults)] {
      try await withSandbox(
        options {
          $0.drift = drift
          $0.faults = faults
        }
      ) { sandbox, client in
        let before = sandbox.truth("github")
        for _ in 0..<3 { _ = try await client.get("/github/users/octocat/followers") }
        #expect(sandbox.truth("github") == before)
      }
    }
  }

  @Test("an unknown API is told so")
  func unknownAPI() async throws {
    try await withSandbox { sandbox, client in
      let answer = try await client.get("/_sandbox/drift?api=gitlab&insert=1")
      #expect(answer.status == 404)
      #expect(answer.text.contains("github"))
      #expect(!sandbox.drift("gitlab", insert: 1))
    }
  }
}
