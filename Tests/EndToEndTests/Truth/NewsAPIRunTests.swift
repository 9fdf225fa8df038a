import SandboxKit
import TestSupport
import Testing

@Suite("The job newsapi against the sandbox", .prompt)
struct NewsAPIRunTests {
  private static func everything(_ sandbox: Sandbox, since: Int = 0) -> [String] {
    sandbox.requests(api: "newsapi", since: since).map(\.target)
      .filter { $0.hasPrefix("/newsapi/everything") }
  }

  private static func members(_ list: String, _ tables: Tables) throws -> [String] {
    try tables.texts(
      "SELECT url FROM newsapi_found WHERE list = '\(list)' AND vanished_at IS NULL"
    ).sorted()
  }

  @Test("a clean run holds every key, list and image, for three requests")
  func clean() async throws {
    let sandbox = try Sandbox.changed()
    defer { sandbox.stop() }
    let home = Home()
    await home.run(home.arguments(of: "newsapi", sandbox, []), ends: 0)
    let tables = Tables(home)
    let truth = try #require(sandbox.truth("newsapi"))
    let everything = try #require(truth.list("everything", of: "q=swift programming")).keys
    let headlines = try #require(truth.list("headlines", of: "country=us")).keys
    let sources = try #require(truth.list("sources", of: "")).keys
    #expect(try Self.members("everything q=swift programming", tables) == everything.sorted())
    #expect(try Self.members("headlines country=us category=", tables) == headlines.sorted())
    #expect(try tables.texts("SELECT id FROM newsapi_sources").sorted() == sources.sorted())
    #expect(
      try tables.texts("SELECT url FROM newsapi_articles").sorted()
        == Set(everything + headlines).sorted())
    // 4 [Removed] and 3 duplicates of 100 are no reason to call the list less than complete.
    #expect(try Set(tables.verdicts().values) == ["complete"])
    let counts = try tables.texts(
      "SELECT received, dropped, distinct_keys FROM trawl_certificates ORDER BY received DESC")
    #expect(counts.first?.hasPrefix("100|4|") == true, "\(counts)")
    #expect(sandbox.requests(api: "newsapi").count == 3)
    let digests = try tables.texts("SELECT digest FROM trawl_media")
    #expect(Set(digests) == Set(truth.media.compactMap(\.sha256)))
    let blanks = "author = '' OR description = '' OR image_url = '' OR content = ''"
    #expect(try tables.count("SELECT count(*) FROM newsapi_articles WHERE \(blanks)") == 0)
    let dates = try tables.texts("SELECT DISTINCT length(published_at) FROM newsapi_articles")
    #expect(dates == ["20"], "every date form in one width")
    #expect(
      try tables.count("SELECT count(*) FROM newsapi_articles WHERE published_at < '2000'") == 0)
  }

  @Test("a second run with nothing new asks page=1 once, never page=2, and writes no record")
  func again() async throws {
    let sandbox = try Sandbox.changed()
    defer { sandbox.stop() }
    let home = Home()
    #expect(await home.run(home.arguments(of: "newsapi", sandbox, [])).status == 0)
    func rows() throws -> [String] {
      try ["articles", "found", "sources"].flatMap {
        try Tables(home).texts("SELECT * FROM newsapi_\($0)").sorted()
      }
    }
    let before = try rows()
    let mark = sandbox.lastRequest
    await home.run(home.arguments(of: "newsapi", sandbox, []), ends: 0)
    let asked = Self.everything(sandbox, since: mark)
    #expect(asked.count == 1 && asked[0].hasSuffix("&page=1"))
    #expect(!sandbox.requests().contains { $0.target.holds("page=2") })
    #expect(try rows() == before)
    #expect(sandbox.requests(api: "media", since: mark).isEmpty)
  }

  @Test("of a list of three pages a second run with nothing new asks the first, once")
  func againOfPages() async throws {
    let sandbox = try Sandbox.changed()
    defer { sandbox.stop() }
    let home = Home()
    let text = JobText.shipped(
      "newsapi", [("?pageSize=100", "?pageSize=20")])
    let job = home.write(text, to: "newsapi.json5")
    // Without duplicates: over several pages they would leave the count of the API unreached.
    let arguments = home.arguments(
      of: "newsapi", job: job, sandbox, ["--set", "q=sqlite", "--stream", "everything"])
    func pages(since mark: Int) -> [String] {
      Self.everything(sandbox, since: mark).compactMap { $0.pieces(around: "&page=").last }
    }
    await home.run(arguments, ends: 0)
    // A walk of several pages looks at its first one again.
    #expect(pages(since: 0) == ["1", "2", "3", "1"])
    let mark = sandbox.lastRequest
    await home.run(arguments, ends: 0)
    #expect(pages(since: mark) == ["1"])
  }

  @Test("what is new comes with one request, and the old is not asked again")
  func refresh() async throws {
    let sandbox = try Sandbox.changed()
    defer { sandbox.stop() }
    let home = Home()
    let only = ["--stream", "everything"]
    #expect(await home.run(home.arguments(of: "newsapi", sandbox, only)).status == 0)
    sandbox.drift("newsapi", insert: 2)
    let mark = sandbox.lastRequest
    await home.run(home.arguments(of: "newsapi", sandbox, only), ends: 0)
    #expect(Self.everything(sandbox, since: mark).count == 1)
    let truth = try #require(sandbox.truth("newsapi"))
    let keys = try #require(truth.list("everything", of: "q=swift programming")).keys
    let stored = try Set(Tables(home).texts("SELECT url FROM newsapi_articles"))
    #expect(stored.isSuperset(of: keys) && stored.count == 95)
  }

  @Test("more than a hundred hits are capped, without a request that would be refused")
  func capped() async throws {
    let sandbox = try Sandbox.changed()
    defer { sandbox.stop() }
    let home = Home()
    await home.run(
      home.arguments(of: "newsapi", sandbox, ["--set", "q=linux", "--stream", "everything"]),
      ends: 3)
    #expect(sandbox.requests(api: "newsapi").map(\.status) == [200])
    #expect(try Set(Tables(home).verdicts().values) == ["limited"])
    let list = try #require(
      sandbox.truth("newsapi", of: "q=linux")?.list("everything", of: "q=linux"))
    #expect(try Self.members("everything q=linux", Tables(home)) == list.keys.sorted())
    #expect(list.behindCeiling > 100)
  }

  @Test("country=kr is complete, empty, and told why")
  func emptyCountry() async throws {
    let sandbox = try Sandbox.changed()
    defer { sandbox.stop() }
    let home = Home()
    await home.run(
      home.arguments(of: "newsapi", sandbox, ["--set", "country=kr", "--stream", "headlines"]),
      ends: 0)
    let trust = try Tables(home).texts("SELECT verdict, rows, why FROM trawl_trust")
    #expect(trust.count == 1 && trust[0].hasPrefix("complete|0|"))
    #expect(trust[0].holds("the free plan has headlines for country=us only"))
    #expect(sandbox.requests(api: "newsapi").count == 1)
  }
}
