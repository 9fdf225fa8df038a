import Base
import SandboxKit
import TestSupport
import Testing

/// Walks lists as a careful client does, and as careless ones do.
struct GitHubWalk {
  let sandbox: Sandbox
  let client: RawClient
  var fields = ["Authorization: Bearer token"]

  /// Ids of each page, following rel="next" as given.
  func pages(_ path: String) async throws -> [[String]] {
    var pages: [[String]] = []
    var next: String? = "/github" + path
    while let target = next, pages.count < 1000 {
      let answer = try await client.get(target, fields)
      try #require(answer.status == 200)
      pages.append(try Self.ids(answer))
      next = Self.next(answer).map { String($0.dropFirst(sandbox.origin.utf8.count)) }
    }
    return pages
  }

  static func ids(_ answer: RawAnswer) throws -> [String] {
    let root = try answer.json()
    let records = root["items"] ?? root
    return records.elements.compactMap { record in
      var writer = JSONWriter()
      guard let id = record["id"] else { return nil }
      writer.value(id)
      return writer.text
    }
  }

  static func next(_ answer: RawAnswer) -> String? {
    for part in (answer["Link"] ?? "").split(separator: ",") where part.contains("rel=\"next\"") {
      let start = part.firstIndex(of: "<")!
      let end = part.firstIndex(of: ">")!
      return String(part[part.index(after: start)..<end])
    }
    return nil
  }
}

@Suite("Walking the sandbox's GitHub", .prompt)
struct GitHubWalkTests {
  @Test(
    "following Link reaches exactly what the truth tells",
    arguments: [SandboxSize.small, .demo], ["octocat", "hubot"])
  func reachesTruth(size: SandboxSize, login: String) async throws {
    try await withSandbox(options(size)) { sandbox, client in
      let walk = GitHubWalk(sandbox: sandbox, client: client)
      let truth = try #require(sandbox.truth("github"))
      for list in ["followers", "following"] {
        let pages = try await walk.pages("/users/\(login)/\(list)?per_page=100")
        let listed = try #require(truth.list(list, of: login))
        #expect(pages.flatMap { $0 } == listed.keys)
        #expect(Set(listed.keys).count == listed.keys.count)
      }
    }
  }

  @Test("the demo holds what its transcript counts: 812 followers on 9 pages, 9 followed")
  func demo() async throws {
    try await withSandbox(options(.demo)) { sandbox, client in
      let walk = GitHubWalk(sandbox: sandbox, client: client)
      let followers = try await walk.pages("/users/octocat/followers?per_page=100")
      let following = try await walk.pages("/users/octocat/following?per_page=100")
      #expect(followers.count == 9)
      #expect(followers.flatMap { $0 }.count == 812)
      #expect(following.flatMap { $0 }.count == 9)
      let distinct = Set(followers.flatMap { $0 } + following.flatMap { $0 })
      #expect(distinct.count == 818)
    }
  }

  @Test("a client that stops at a short page misses followers: suspended users leave gaps")
  func shortPages() async throws {
    try await withSandbox(options(.demo)) { sandbox, client in
      let walk = GitHubWalk(sandbox: sandbox, client: client)
      let pages = try await walk.pages("/users/octocat/followers?per_page=100")
      let firstShort = try #require(pages.firstIndex { $0.count < 100 })
      #expect(firstShort < pages.count - 1)
      #expect(pages.prefix(firstShort + 1).joined().count < 812)
      let profile = try await client.get("/github/users/octocat", walk.fields).json()
      #expect(try #require(profile["followers"]?.integer) > 812)
    }
  }

  @Test("a client that writes _per_page gets pages of 30, and one that asks for 500 gets 100")
  func pageSizes() async throws {
    try await withSandbox(options(.demo)) { sandbox, client in
      let path = "/github/users/octocat/followers"
      let sizes = ["_per_page=100", "per_page=500", "per_page=0", "per_page=x", "per_page=7"]
      var counts: [Int] = []
      for size in sizes {
        // A page without gaps: the default is told by the last page's number.
        let answer = try await client.get("\(path)?\(size)")
        let last = try #require(answer["Link"]?.split(separator: "page=").last)
        counts.append(Int(last.prefix { $0 != ">" }) ?? 0)
      }
      #expect(counts == [28, 9, 28, 28, 118])
    }
  }

  @Test("a client that builds its own page URLs from the login asks other paths than Link names")
  func numericTargets() async throws {
    try await withSandbox { sandbox, client in
      let answer = try await client.get("/github/users/octocat/followers?per_page=10&x=%20y")
      let next = try #require(GitHubWalk.next(answer))
      #expect(
        next == "\(sandbox.origin)/github/user/583231/followers?per_page=10&x=%20y&page=2")
    }
  }

  @Test("a client that takes any Link for a next page fails on one that only deprecates")
  func deprecationOnly() async throws {
    try await withSandbox { _, client in
      let answer = try await client.get("/github/users/octocat/following?per_page=100")
      #expect(answer["Link"]?.hasSuffix("rel=\"deprecation\"") == true)
      #expect(GitHubWalk.next(answer) == nil)
    }
  }

  @Test("everybody is listed by since, in order of id, and rel=first is a template")
  func everybody() async throws {
    try await withSandbox { sandbox, client in
      let walk = GitHubWalk(sandbox: sandbox, client: client)
      let pages = try await walk.pages("/users?per_page=40")
      let truth = try #require(sandbox.truth("github"))
      #expect(pages.flatMap { $0 } == truth.tables[0].keys)
      let first = try await client.get("/github/users?per_page=40")
      #expect(first["Link"]?.contains("/users{?since}>; rel=\"first\"") == true)
      #expect(first["Link"]?.contains("last") == false)
    }
  }

  @Test("a follower that leaves is gone from the list, the profile and the truth")
  func leaver() async throws {
    let time = VirtualTime()
    try await withSandbox(options { $0.time = time.timekeeper }) { sandbox, client in
      let walk = GitHubWalk(sandbox: sandbox, client: client)
      let before = try await walk.pages("/users/octocat/followers?per_page=100").flatMap { $0 }
      time.advance(by: .seconds(3601))
      let after = try await walk.pages("/users/octocat/followers?per_page=100").flatMap { $0 }
      let list = try #require(sandbox.truth("github")?.list("followers", of: "octocat"))
      #expect(after == list.keys)
      #expect(Set(before).subtracting(after) == Set(list.left))
      #expect(list.left.count == 1)
    }
  }

  @Test("who follows whom is asked for one by one, and agrees with the lists while they move")
  func pairs() async throws {
    try await withSandbox { sandbox, client in
      func status(_ path: String) async throws -> Int {
        try await client.get("/github" + path, ["Authorization: Bearer token"]).status
      }
      func login(_ id: String) async throws -> String {
        let answer = try await client.get("/github/user/\(id)", ["Authorization: Bearer token"])
        return try answer.json()["login"]?.string ?? ""
      }
      let before = try #require(sandbox.truth("github")?.list("followers", of: "octocat")).keys
      sandbox.drift("github", delete: 3, list: "followers/octocat")
      let after = try #require(sandbox.truth("github")?.list("followers", of: "octocat")).keys
      for id in Set(before).subtracting(after) {
        #expect(try await status("/users/\(login(id))/following/octocat") == 404)
      }
      for id in after.prefix(20) {
        #expect(try await status("/users/\(login(id))/following/octocat") == 204)
      }
      let followed = try #require(sandbox.truth("github")?.list("following", of: "octocat")).keys
      for id in followed {
        #expect(try await status("/users/octocat/following/\(login(id))") == 204)
      }
      #expect(try await status("/user/1") == 404)
      #expect(try await status("/users/octocat/following/user-9999999") == 404)
    }
  }
}
