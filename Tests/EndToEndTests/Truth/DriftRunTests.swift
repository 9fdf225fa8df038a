import SandboxKit
import TestSupport
import Testing

/// A list that is read in pages while it moves.
struct MovingList: Sendable, CustomTestStringConvertible {
  var api: String
  /// Words of the shipped job file, and what stands there instead: short pages, so that there are
  /// many.
  var changes: [(String, String)]
  var arguments: [String]
  /// Which list of the sandbox's truth it is, and how `trawl_trust` calls it.
  var list: String
  var of: String
  var listName: String
  /// What is stored of it.
  var stored: String

  var testDescription: String { "\(api) \(list)" }

  static let all = [
    MovingList(
      api: "giphy", changes: [("?limit=50", "?limit=10")],
      arguments: ["--stream", "trending"], list: "trending", of: "rating=g",
      listName: "trending g", stored: "SELECT gif_id FROM giphy_found WHERE list = 'trending'"),
    MovingList(
      api: "giphy", changes: [("?limit=50", "?limit=10")],
      arguments: ["--stream", "search"], list: "search", of: "q=cat", listName: "search q=cat",
      stored: "SELECT gif_id FROM giphy_found WHERE list = 'search'"),
    MovingList(
      api: "openmarket",
      changes: [("?items_per_page=100", "?items_per_page=10")],
      arguments: ["--stream", "products"], list: "products", of: "", listName: "products",
      stored: "SELECT id FROM openmarket_found WHERE vanished_at IS NULL"),
    MovingList(
      api: "youtube-proxy", changes: [], arguments: [], list: "videos", of: "",
      listName: "the proxy's list", stored: "SELECT video_id FROM youtube_proxy_videos"),
    MovingList(
      api: "newsapi",
      changes: [("?pageSize=100", "?pageSize=10")],
      arguments: ["--stream", "everything"], list: "everything", of: "q=swift programming",
      listName: "everything q=swift programming", stored: "SELECT url FROM newsapi_found"),
  ]
}

@Suite("A list that moves while it is read", .prompt)
struct DriftRunTests {
  @Test(
    "is never called complete with a key missing that was there all the time",
    arguments: MovingList.all, Torture.isOn ? [1, 2, 3] : [1])
  func moving(list: MovingList, seed: Int) async throws {
    let sandbox = try Sandbox.changed {
      $0.seed = UInt64(seed)
      $0.drift = 2
    }
    defer { sandbox.stop() }
    let home = Home()
    let job = home.write(
      JobText.shipped(list.api, list.changes), to: "\(list.api).json5")
    let run = home.arguments(of: list.api, job: job, sandbox)
    for _ in 1...2 {
      let before = try Self.keys(list, sandbox)
      let ended = await home.run(run + list.arguments)
      #expect([0, 1, 3].contains(ended.status), "\(ended.errors)")
      let after = try Self.keys(list, sandbox)
      let verdict = try #require(Tables(home).verdicts()[list.listName])
      let stored = try Set(Tables(home).texts(list.stored))
      let missing = before.intersection(after).subtracting(stored)
      #expect(missing.isEmpty || verdict != "complete", "\(missing)")
      #expect(!stored.isEmpty)
    }
    // Nothing but what the API had at some time.
    let truth = try #require(sandbox.truth(list.api, of: list.of.isEmpty ? nil : list.of))
    let left = try #require(truth.list(list.list, of: list.of)).left
    #expect(!left.isEmpty, "the list has not moved")
    let ever = try Self.keys(list, sandbox).union(left)
    #expect(try Set(Tables(home).texts(list.stored)).isSubset(of: ever))
  }

  private static func keys(_ list: MovingList, _ sandbox: Sandbox) throws -> Set<String> {
    let truth = try #require(sandbox.truth(list.api, of: list.of.isEmpty ? nil : list.of))
    return Set(try #require(truth.list(list.list, of: list.of)).keys)
  }
}
