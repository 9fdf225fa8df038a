import Base
import SandboxKit
import TestSupport
import Testing

@Suite("The sandbox's search for users")
struct GitHubSearchTests {
  private static let token = ["Authorization: Bearer token"]

  private static func total(_ client: RawClient, _ query: String) async throws -> Int64? {
    try await client.get("/github/search/users?q=\(query)", token).json()["total_count"]?.integer
  }

  @Test("lists its first 1,000 and refuses the rest, though it counts all")
  func ceiling() async throws {
    try await withSandbox(options(.demo)) { sandbox, client in
      let path = "/github/search/users?q=user&per_page=30"
      let first = try await client.get(path, Self.token)
      let total = try #require(try first.json()["total_count"]?.integer)
      #expect(total > 1000)
      #expect(first["Link"]?.contains("page=34>; rel=\"last\"") == true)
      let last = try await client.get(path + "&page=34", Self.token)
      #expect(try last.json()["items"]?.count == 30)
      #expect(last["Link"]?.contains("rel=\"next\"") == false)
      let beyond = try await client.get(path + "&page=35", Self.token)
      #expect(beyond.status == 422)
      #expect(
        try beyond.json()["message"]?.string
          == "Only the first 1000 search results are available")
      let truth = try #require(sandbox.truth("github", of: "q=user")?.lists.first)
      #expect(truth.keys.count == 1000)
      #expect(truth.behindCeiling == Int(total) - 1000)
    }
  }

  @Test("windows by day cut it into parts that add up, so that a walk can pass the ceiling")
  func windows() async throws {
    try await withSandbox(options(.demo)) { _, client in
      let all = try #require(try await Self.total(client, "user"))
      let bounds = ["*", "2014-12-31", "2015-01-01", "2019-12-31", "2020-01-01", "*"]
      var sum: Int64 = 0
      for index in stride(from: 0, to: bounds.count, by: 2) {
        let part = try #require(
          try await Self.total(client, "user+created:\(bounds[index])..\(bounds[index + 1])"))
        #expect(part > 0 && part < all)
        sum += part
      }
      #expect(sum == all)
    }
  }

  @Test(
    "reads each form of created",
    arguments: [
      (">=2020-01-01", "<2020-01-01"), (">2019-12-31", "<=2019-12-31"),
      ("2020-01-01T00:00:00Z..*", "*..2019-12-31T23:59:59Z"),
      (">=2020-01-01T00:00:00%2B00:00", "<2020-01-01T00:00:00Z"),
    ])
  func forms(late: String, early: String) async throws {
    try await withSandbox(options(.demo)) { _, client in
      let all = try #require(try await Self.total(client, "user"))
      let first = try #require(try await Self.total(client, "user+created:\(late)"))
      let second = try #require(try await Self.total(client, "user+created:\(early)"))
      #expect(first > 0 && second > 0)
      #expect(first + second == all)
    }
  }

  @Test("a burst within one second is larger than any window can list")
  func burst() async throws {
    try await withSandbox(
      options {
        $0.gitHub.users = 3000
        $0.gitHub.burst = 1200
      }
    ) { sandbox, client in
      let middle = try await client.get("/github/users/user-1500", Self.token).json()
      let second = try #require(middle["created_at"]?.string)
      let total = try #require(try await Self.total(client, "created:\(second)..\(second)"))
      #expect(total > 1000)
      let truth = sandbox.truth("github", of: "q=created:\(second)..\(second)")?.lists.first
      #expect(truth?.behindCeiling == Int(total) - 1000)
    }
  }

  @Test("type: tells kinds of accounts apart")
  func types() async throws {
    try await withSandbox(options(.demo)) { _, client in
      let users = try #require(try await Self.total(client, "0+type:user"))
      let others = try #require(try await Self.total(client, "0+type:org"))
      #expect(others > 0 && users > others)
    }
  }

  @Test("has a bucket of its own: 10 a minute without a token")
  func bucket() async throws {
    // Its minute is over when the test says so.
    let time = VirtualTime()
    try await withSandbox(options { $0.time = time.timekeeper }) { _, client in
      for _ in 0..<10 {
        #expect(try await client.get("/github/search/users?q=user").status == 200)
      }
      let refused = try await client.get("/github/search/users?q=user")
      #expect(refused.status == 403)
      #expect(refused["X-RateLimit-Resource"] == "search")
      #expect(try await client.get("/github/users/octocat").status == 200)
    }
  }

  @Test("incomplete results say so, and a client that looks at the items alone misses half")
  func incomplete() async throws {
    let faults = try FaultSpec([(.incompleteResults, 1)])
    try await withSandbox(options { $0.faults = faults }) { sandbox, client in
      let answer = try await client.get("/github/search/users?q=user", Self.token).json()
      #expect(answer["incomplete_results"]?.boolean == true)
      #expect(answer["items"]?.count == 15)
      let whole = try await client.get("/github/users/octocat", Self.token)
      #expect(whole.status == 200)
      #expect(sandbox.requests().map(\.outcome) == ["incomplete-results", "answered"])
    }
  }
}
