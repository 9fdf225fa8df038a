import SandboxKit
import TestSupport
import Testing

@Suite("The database equals what the API holds", .prompt)
struct TruthTests {
  private let home = Home()

  /// Compares keys and memberships of octocat's two lists with the truth.
  static func expectTruth(
    of sandbox: Sandbox, in home: Home, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let truth = try #require(sandbox.truth("github"))
    let id = "583231"
    var everybody: Set = [id]
    for (list, own, other) in [
      ("followers", "follower_id", "user_id"), ("following", "user_id", "follower_id"),
    ] {
      let keys = try #require(truth.list(list, of: "octocat")).keys
      everybody.formUnion(keys)
      let stored = try home.tables.texts(
        "SELECT \(own) FROM github_follows WHERE \(other) = \(id) AND vanished_at IS NULL")
      expectSame(stored, keys, "\(list) of octocat", home, sourceLocation)
    }
    expectSame(
      try home.tables.texts("SELECT id FROM github_users WHERE vanished_at IS NULL"),
      Array(everybody), "users", home, sourceLocation)
  }

  private static func expectSame(
    _ stored: [String], _ due: [String], _ what: String, _ home: Home,
    _ sourceLocation: SourceLocation
  ) {
    let missing = Set(due).subtracting(stored)
    let extra = Set(stored).subtracting(due)
    // The verdicts may explain a difference.
    let verdicts = (try? home.tables.verdicts()) ?? [:]  // only words
    #expect(
      missing.isEmpty && extra.isEmpty && Set(stored).count == stored.count,
      "\(what): missing \(missing.sorted()), extra \(extra.sorted()); \(verdicts)",
      sourceLocation: sourceLocation)
  }

  @Test("a clean run holds every key, and asks nothing twice")
  func clean() async throws {
    let sandbox = try Sandbox.small(followers: 140, users: 400)
    let job = home.write(JobText.unlimited(pageSize: 20), to: "github.json5")
    await home.run(home.arguments(job, sandbox), ends: 0)
    try Self.expectTruth(of: sandbox, in: home)
    let proofs = try home.tables.texts(
      "SELECT list, verdict, proof FROM trawl_trust ORDER BY list")
    #expect(
      proofs == [
        "followers of octocat|complete|ends", "following of octocat|complete|one answer",
        "profile of octocat|complete|one answer",
      ])
    let asked = Asked(sandbox)
    #expect(Asked.repeated(asked.api).isEmpty)
    #expect(Asked.repeated(asked.images).isEmpty)
    // One request for each identity: as many as records, and each of them stored.
    let records = try home.count("github_users")
    #expect(asked.images.count == records)
    // The profile; one page of following, which is requested again with size 1 to see whether the API says that more
    // follow; the pages of followers, and their first and last one again.
    #expect(asked.api.count == 1 + 2 + Self.pages(of: 140, sandbox, size: 20) + 2)
    let truth = try #require(sandbox.truth("github"))
    let stored = try Set(home.tables.texts("SELECT digest FROM trawl_media"))
    let good = Set(truth.media.compactMap(\.sha256))
    #expect(!stored.isEmpty)
    #expect(stored.isSubset(of: good))
    #expect(try home.count("trawl_media_urls WHERE digest IS NULL") == 0)
  }

  /// Suspended accounts keep their places, so the list may be longer than what it shows.
  private static func pages(of visible: Int, _ sandbox: Sandbox, size: Int) -> Int {
    let hidden = sandbox.truth("github")?.list("followers", of: "octocat")?.hidden ?? 0
    return (visible + hidden + size - 1) / size
  }

  @Test(
    "a second run of an unchanged API writes no record, and asks under conditions",
    arguments: [100, 20])
  func unchanged(pageSize: Int) async throws {
    let sandbox = try Sandbox.small()
    let job = home.write(JobText.unlimited(pageSize: pageSize), to: "github.json5")
    await home.run(home.arguments(job, sandbox), ends: 0)
    let before = try home.tables.everyRow()
    let mark = sandbox.lastRequest
    await home.run(home.arguments(job, sandbox), ends: 0)
    #expect(try home.tables.everyRow() == before)
    let asked = Asked(sandbox, since: mark)
    let pages = Self.pages(of: 57, sandbox, size: pageSize)
    // The first page of several is read again at the end, in full, and the last of three or more right after the first.
    let full = asked.api.filter { $0.status == 200 }
    #expect(full.count == (pages > 2 ? 2 : pages - 1), "\(full.map(\.target))")
    let verdicts = try home.tables.verdicts()
    #expect(Set(verdicts.values) == ["complete"], "\(verdicts)")
    #expect(asked.api.count == 2 + pages + full.count)
    let others = asked.api.filter { $0.status != 200 }
    #expect(others.allSatisfy { $0.status == 304 && $0.headerNames.contains("If-None-Match") })
    #expect(asked.images.isEmpty)
  }

  @Test("a list that moves is never called complete with a key missing, and says that it moved")
  func drift() async throws {
    var verdicts: [String] = []
    for seed in UInt64(1)...3 {
      let sandbox = try Sandbox.small(seed: seed, followers: 140, users: 400, drift: 3)
      let home = Home()
      let job = home.write(JobText.unlimited(pageSize: 20), to: "github.json5")
      let before = try #require(sandbox.truth("github")?.list("followers", of: "octocat")).keys
      let ended = await home.run(
        home.arguments(job, sandbox, ["--stream", "profile", "--stream", "followers"]))
      let after = try #require(sandbox.truth("github")?.list("followers", of: "octocat"))
      // It may be as before again.
      #expect(!after.left.isEmpty, "seed \(seed): the list has not moved")
      // What was in the list during the whole walk must not be missing.
      let stayed = Set(before).intersection(after.keys).subtracting(after.left)
      let stored = try Set(
        home.tables.texts("SELECT follower_id FROM github_follows WHERE user_id = 583231"))
      let verdict = try #require(try home.tables.verdicts()["followers of octocat"])
      let missing = stayed.subtracting(stored)
      #expect(missing.isEmpty || verdict == "incomplete", "seed \(seed): \(ended.errors)")
      #expect(
        ended.status == (verdict == "incomplete" ? 3 : 0), "seed \(seed): \(ended.errors)")
      verdicts.append(verdict)
    }
    #expect(verdicts.contains("incomplete"), "\(verdicts)")
  }
}
