import Base
import SandboxKit
import Testing

/// What a field of a recorded GitHub answer may be.
private enum FieldKind {
  case text, textOrNull, integer, boolean, booleanOrNull, time

  func fits(_ value: JSONValue) -> Bool {
    switch self {
    case .text: value.isString
    case .textOrNull: value.isString || value.isNull
    case .integer: value.integer != nil
    case .boolean: value.boolean != nil
    case .booleanOrNull: value.boolean != nil || value.isNull
    case .time: value.string.map { $0.utf8.count == 20 && $0.hasSuffix("Z") } ?? false
    }
  }
}

/// The list form of a user, in the order of the recorded answers.
private let listed: [(String, FieldKind)] = [
  ("login", .text), ("id", .integer), ("node_id", .text), ("avatar_url", .text),
  ("gravatar_id", .text), ("url", .text), ("html_url", .text), ("followers_url", .text),
  ("following_url", .text), ("gists_url", .text), ("starred_url", .text),
  ("subscriptions_url", .text), ("organizations_url", .text), ("repos_url", .text),
  ("events_url", .text), ("received_events_url", .text), ("type", .text),
  ("user_view_type", .text), ("site_admin", .boolean),
]

/// What the form of one user adds.
private let detailed: [(String, FieldKind)] = [
  ("name", .textOrNull), ("company", .textOrNull), ("blog", .text), ("location", .textOrNull),
  ("email", .textOrNull), ("hireable", .booleanOrNull), ("bio", .textOrNull),
  ("twitter_username", .textOrNull), ("public_repos", .integer), ("public_gists", .integer),
  ("followers", .integer), ("following", .integer), ("created_at", .time), ("updated_at", .time),
]

private func expectFields(_ value: JSONValue, _ fields: [(String, FieldKind)]) {
  #expect(value.members.map { $0.key.string } == fields.map(\.0))
  for (name, kind) in fields {
    let fits = value[name].map { kind.fits($0) } ?? false
    #expect(fits, "\(name) of \(value["login"]?.string ?? "?")")
  }
}

@Suite("The shapes of the sandbox's GitHub")
struct GitHubShapeTests {
  private static let token = ["Authorization: Bearer token"]

  @Test("a user in a list has the fields of the recorded lists, in their order")
  func lists() async throws {
    try await withSandbox { _, client in
      for path in ["/users?per_page=100", "/users/octocat/followers", "/user/583231/following"] {
        let root = try await client.get("/github" + path, Self.token).json()
        #expect(root.isArray && root.count > 0)
        for user in root.elements { expectFields(user, listed) }
      }
    }
  }

  @Test("a search has its envelope, and each hit a score")
  func search() async throws {
    try await withSandbox { _, client in
      let root = try await client.get("/github/search/users?q=user", Self.token).json()
      #expect(
        root.members.map { $0.key.string } == ["total_count", "incomplete_results", "items"])
      for user in try #require(root["items"]).elements {
        #expect(user.members.map { $0.key.string } == listed.map(\.0) + ["score"])
      }
    }
  }

  @Test("one user has the fields of the recorded profiles; each nullable one is null and is not")
  func profiles() async throws {
    try await withSandbox { _, client in
      var nulls: Set<String> = []
      var values: Set<String> = []
      for index in 11..<120 where index % 101 != 0 {
        let login = index < 100 ? "user-00\(index)" : "user-0\(index)"
        let answer = try await client.get("/github/users/\(login)", Self.token)
        if answer.status == 404 { continue }  // suspended
        let user = try answer.json()
        expectFields(user, listed + detailed)
        for member in user.members {
          let name = member.key.string ?? ""
          if member.value.isNull { nulls.insert(name) } else { values.insert(name) }
        }
      }
      let nullable: Set<String> = [
        "name", "company", "location", "email", "hireable", "bio", "twitter_username",
      ]
      #expect(nulls == nullable)
      #expect(nullable.subtracting(values) == ["email"])
    }
  }

  @Test("the mascot is who the documentation says")
  func octocat() async throws {
    try await withSandbox(options(.demo)) { sandbox, client in
      let user = try await client.get("/github/users/OctoCat").json()
      expectFields(user, listed + detailed)
      #expect(user["login"]?.string == "octocat")
      #expect(user["name"]?.string == "The Octocat")
      #expect(user["location"]?.string == "San Francisco")
      #expect(user["created_at"]?.string == "2011-01-25T18:44:36Z")
      #expect(user["avatar_url"]?.string == "\(sandbox.origin)/media/u/583231?v=4")
    }
  }

  @Test("the truth over HTTP is the truth in the process")
  func truth() async throws {
    try await withSandbox { sandbox, client in
      let told = try await client.get("/_sandbox/truth?api=github&of=user-0011").json()
      let truth = try #require(sandbox.truth("github", of: "user-0011"))
      #expect(told["lists"]?.count == truth.lists.count)
      for (index, list) in truth.lists.enumerated() {
        let one = try #require(told["lists"]?[index])
        #expect(one["name"]?.string == list.name && one["of"]?.string == list.of)
        #expect(one["keys"]?.elements.map { $0.string ?? "" } == list.keys)
      }
      #expect(told["media"]?.elements.map { $0["sha256"]?.string } == truth.media.map(\.sha256))
      #expect(told["tables"]?[0]?["count"]?.integer == Int64(truth.tables[0].keys.count))
      #expect(told["seed"]?.integer == 1)
    }
  }

  @Test("the same seed gives the same bytes but for the port, another seed other lists")
  func determinism() async throws {
    var bodies: [[String]] = []
    for seed: UInt64 in [1, 1, 2] {
      let texts = try await withSandbox(options { $0.seed = seed }) { sandbox, client in
        var texts: [String] = []
        for path in ["/users/octocat/followers", "/users/user-0011", "/search/users?q=user"] {
          let answer = try await client.get("/github" + path, Self.token)
          texts.append(answer.text.split(separator: sandbox.origin).joined())
        }
        return texts
      }
      bodies.append(texts)
    }
    #expect(bodies[0] == bodies[1])
    #expect(bodies[0][0] != bodies[2][0] && bodies[0][1] != bodies[2][1])
  }
}
