import Base
import SandboxKit
import TestSupport
import Testing

@Suite("The sandbox's GitHub refuses as GitHub does")
struct GitHubLimitTests {
  private static let token = "Authorization: Bearer token"

  @Test("60 requests an hour without a token; the next is 403 until the reset has passed")
  func hourly() async throws {
    let time = VirtualTime()
    try await withSandbox(options { $0.time = time.timekeeper }) { sandbox, client in
      let start = time.now.seconds
      for spent in 1...60 {
        let answer = try await client.get("/github/users/octocat")
        #expect(answer.status == 200)
        #expect(answer["X-RateLimit-Remaining"] == String(60 - spent))
        #expect(answer["X-RateLimit-Used"] == String(spent))
        #expect(answer["X-RateLimit-Reset"] == String(start + 3600))
      }
      let refused = try await client.get("/github/users/octocat")
      #expect(refused.status == 403)
      #expect(refused["X-RateLimit-Remaining"] == "0")
      #expect(refused["X-RateLimit-Resource"] == "core")
      #expect(try refused.json()["message"]?.string?.hasPrefix("API rate limit exceeded") == true)
      // A client that only counts down in its head does not know that a token has its own hour.
      let other = try await client.get("/github/users/octocat", [Self.token])
      #expect(other["X-RateLimit-Limit"] == "5000")
      time.advance(by: .seconds(3600))
      #expect(try await client.get("/github/users/octocat").status == 200)
    }
  }

  @Test("Date follows the sandbox's clock")
  func date() async throws {
    let time = VirtualTime(at: Instant(seconds: 784_111_777))
    try await withSandbox(options { $0.time = time.timekeeper }) { _, client in
      let first = try await client.get("/_sandbox/ping")
      time.advance(by: .seconds(3600))
      let second = try await client.get("/_sandbox/ping")
      #expect(first["Date"] == "Sun, 06 Nov 1994 08:49:37 GMT")
      #expect(second["Date"] == "Sun, 06 Nov 1994 09:49:37 GMT")
    }
  }

  @Test("/rate_limit costs nothing and tells both buckets")
  func rateLimit() async throws {
    try await withSandbox { _, client in
      for _ in 0..<3 { _ = try await client.get("/github/rate_limit") }
      _ = try await client.get("/github/search/users?q=user")
      let answer = try await client.get("/github/rate_limit").json()
      #expect(answer["resources"]?["core"]?["remaining"]?.integer == 60)
      #expect(answer["resources"]?["search"]?["remaining"]?.integer == 9)
      #expect(answer["rate"]?["limit"]?.integer == 60)
    }
  }

  @Test("an unchanged answer is 304: free with a token, counted without")
  func conditional() async throws {
    try await withSandbox { _, client in
      for (fields, cost) in [([Self.token], 0), ([], 1)] {
        let first = try await client.get("/github/users/octocat/followers?per_page=100", fields)
        let tag = try #require(first["ETag"])
        #expect(tag.hasPrefix("W/\""))
        let left = try #require(first["X-RateLimit-Remaining"].flatMap { Int($0) })
        let second = try await client.get(
          "/github/users/octocat/followers?per_page=100", fields + ["If-None-Match: \(tag)"])
        #expect(second.status == 304)
        #expect(second.body.isEmpty)
        #expect(second["X-RateLimit-Remaining"] == String(left - cost))
      }
    }
  }

  @Test("tags differ by token and by page, so that one says nothing of another")
  func tags() async throws {
    try await withSandbox { _, client in
      let path = "/github/users/octocat/followers?per_page=20"
      let tags = [
        try await client.get(path)["ETag"], try await client.get(path, [Self.token])["ETag"],
        try await client.get(path, ["Authorization: Bearer other"])["ETag"],
        try await client.get(path + "&page=2", [Self.token])["ETag"],
        try await client.get(path, [Self.token, "Accept: application/json"])["ETag"],
      ]
      #expect(Set(tags.compactMap { $0 }).count == 5)
    }
  }

  @Test("a changed page brings new bytes for an old tag")
  func changedTag() async throws {
    try await withSandbox { sandbox, client in
      let path = "/github/users/octocat/followers"
      let tag = try #require(try await client.get(path)["ETag"])
      sandbox.drift("github", insert: 1)
      let answer = try await client.get(path, ["If-None-Match: \(tag)"])
      #expect(answer.status == 200)
      #expect(answer["ETag"] != tag)
    }
  }

  @Test("without a User-Agent it is 403, and the body is no JSON")
  func userAgent() async throws {
    try await withSandbox { _, client in
      for agent in ["", "User-Agent:\r\n"] {
        let answer = try await client.send(
          "GET /github/users/octocat HTTP/1.1\r\n\(agent)Connection: close\r\n\r\n")
        #expect(answer.status == 403)
        #expect(answer["Content-Type"] == "application/octet-stream")
        #expect(answer.text.contains("User-Agent"))
      }
    }
  }

  @Test(
    "tells what is wrong by status and body",
    arguments: [
      ("/github/users/no-such-user", 404, "Not Found"),
      ("/github/users/octocat/", 404, "Not Found"),
      ("/github/users/user-0099/followers/", 404, "Not Found"),
      ("/github/users/user-9999", 404, "Not Found"),
      ("/github/user/1/followers", 404, "Not Found"),
      ("/github/nothing", 404, "Not Found"),
      ("/github/search/users", 422, "Validation Failed"),
      ("/github/search/users?q=created:2020-13-01", 422, "Validation Failed"),
      ("/github/search/users?q=\(String(repeating: "x", count: 257))", 422, "Validation Failed"),
    ])
  func errors(path: String, status: Int, message: String) async throws {
    try await withSandbox { _, client in
      let answer = try await client.get(path)
      #expect(answer.status == status)
      let body = try answer.json()
      #expect(body["message"]?.string == message)
      #expect(body["documentation_url"]?.string?.hasPrefix("https://docs.github.com/") == true)
      #expect(body["status"]?.string == String(status))
    }
  }

  @Test("a bad token is 401 even for public data, and any other is taken")
  func credentials() async throws {
    try await withSandbox { _, client in
      for value in ["Bearer bad-token", "token bad", "bearer badly"] {
        let answer = try await client.get("/github/users/octocat", ["Authorization: \(value)"])
        #expect(answer.status == 401)
        #expect(try answer.json()["message"]?.string == "Bad credentials")
      }
      let answer = try await client.get("/github/users/octocat", ["Authorization: Bearer x"])
      #expect(answer.status == 200)
    }
  }

  @Test("an unknown version of the API is 400, and the answer tells the version it is in")
  func version() async throws {
    try await withSandbox { _, client in
      let unknown = try await client.get("/github/users/octocat", ["X-GitHub-Api-Version: 1999"])
      #expect(unknown.status == 400)
      let known = try await client.get(
        "/github/users/octocat", ["X-GitHub-Api-Version: 2026-03-10"])
      #expect(known["X-GitHub-Api-Version-Selected"] == "2026-03-10")
    }
  }
}
