import SandboxKit
import TestSupport
import Testing

/// One of the imitated APIs, what is requested, and what must be stored then.
struct APICase: Sendable, CustomTestStringConvertible {
  /// A list by its name in the sandbox's truth, and its stored keys.
  struct List: Sendable {
    var name: String
    /// For one list of several; nil: the only one of that name.
    var of: String?
    /// Whether the truth has it only when it is requested.
    var isAdded: Bool
    var stored: String
    /// Its name in `trawl_trust`, and its verdicts there after two runs.
    var trust: String
    var verdicts: [String]

    init(
      _ name: String, of: String? = nil, isAdded: Bool = false, _ stored: String, trust: String,
      _ verdicts: String...
    ) {
      (self.name, self.of, self.isAdded, self.stored) = (name, of, isAdded, stored)
      (self.trust, self.verdicts) = (trust, verdicts)
    }
  }

  var api: String
  /// The shipped job; it also reads another endpoint of the same API.
  var job: String
  var arguments: [String] = []
  var lists: [List]
  /// The requests of a first run and of the next one.
  var requests: (first: Int, again: Int)

  var testDescription: String { ([api] + arguments).joined(separator: " ") }

  private static let videos = "SELECT video_id FROM youtube_"
  private static let articles =
    "SELECT url FROM newsapi_found WHERE vanished_at IS NULL AND list = "
  private static let products = List(
    "products", "SELECT id FROM openmarket_found WHERE search = '' AND vanished_at IS NULL",
    trust: "products", "complete")

  private static func gifs(_ list: String, _ q: String = "") -> String {
    "SELECT gif_id FROM giphy_found WHERE list = '\(list)' AND q = '\(q)' AND vanished_at IS NULL"
  }

  static let all = [
    // 57 hits: two pages, the empty one of the last token, two batches each of descriptions and statistics. A search
    // cannot be proven.
    APICase(
      api: "youtube", job: "youtube",
      lists: [
        List(
          "search", of: "q=swift language", isAdded: true,
          videos + "found WHERE q = 'swift language' AND vanished_at IS NULL",
          trust: "q=swift language", "unproven")
      ], requests: (7, 1)),
    // 57 videos, 10 a page, and page 1 again.
    APICase(
      api: "youtube-proxy", job: "youtube-proxy",
      lists: [List("videos", videos + "proxy_videos", trust: "the proxy's list", "complete")],
      requests: (7, 7)),
    // 4 [Removed] and 3 duplicates of 100 do not make the list less than complete.
    APICase(
      api: "newsapi", job: "newsapi",
      lists: [
        List(
          "everything", of: "q=swift programming", articles + "'everything q=swift programming'",
          trust: "everything q=swift programming", "complete"),
        List(
          "headlines", of: "country=us", articles + "'headlines country=us category='",
          trust: "headlines country=us", "complete"),
        List("sources", "SELECT id FROM newsapi_sources", trust: "sources", "complete"),
      ], requests: (3, 3)),
    // One answer with all of its words; neither a search nor a capped list is proven.
    APICase(
      api: "giphy", job: "giphy",
      lists: [
        List(
          "trending", of: "rating=g", gifs("trending"), trust: "trending g", "complete", "unproven"),
        List(
          "search", of: "q=cat", gifs("search", "cat"), trust: "search q=cat", "unproven",
          "complete"),
        List(
          "trending_words", "SELECT word FROM giphy_trending_words", trust: "trending words",
          "complete"),
      ], requests: (9, 10)),
    APICase(
      api: "giphy", job: "giphy", arguments: ["--set", "rating=pg-13", "--set", "q=ok"],
      lists: [
        List(
          "trending", of: "rating=pg-13", isAdded: true, gifs("trending"), trust: "trending pg-13",
          "complete", "unproven"),
        List(
          "search", of: "rating=pg-13 q=ok", isAdded: true, gifs("search", "ok"),
          trust: "search q=ok", "unproven", "complete"),
      ], requests: (10, 11)),
    // The health check, one page, and each product once.
    APICase(api: "openmarket", job: "openmarket", lists: [products], requests: (2 + 43, 2)),
    APICase(api: "openmarket-gen2", job: "openmarket", lists: [products], requests: (2 + 43, 2)),
  ]
}

/// What all imitated APIs promise; for GitHub, with its own lists, see TruthTests.
@Suite("The jobs of the imitated APIs", .prompt)
struct APITruthTests {
  private let home = Home()

  static func sandbox(faults: String = "") throws -> Sandbox {
    try Sandbox.changed {
      $0.openMarket.products = 43
      if !faults.isEmpty { $0.faults = try FaultSpec(parsing: faults) }
    }
  }

  private static func expectTruth(
    of one: APICase, _ sandbox: Sandbox, _ home: Home,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let verdicts = try home.tables.verdicts()
    for list in one.lists {
      let truth = try #require(sandbox.truth(one.api, of: list.isAdded ? list.of : nil))
      let keys = truth.lists.first { $0.name == list.name && list.of ?? $0.of == $0.of }?.keys
      #expect(
        try home.tables.texts(list.stored).sorted() == keys?.sorted(), "\(list.name)",
        sourceLocation: sourceLocation)
      let verdict = verdicts[list.trust] ?? "no list"
      #expect(
        list.verdicts.contains(verdict), "\(list.trust): \(verdict)",
        sourceLocation: sourceLocation)
    }
    #expect(try home.count("trawl_rejects") == 0, sourceLocation: sourceLocation)
  }

  @Test(
    "hold every key of every list, each with the verdict that it can have, with 5 % faults",
    arguments: APICase.all)
  func faults(one: APICase) async throws {
    let sandbox = try Self.sandbox(faults: "plain=5%")
    await home.run(
      home.arguments(of: one.api, job: one.job, sandbox, one.arguments + ["--max-wait", "10s"]),
      ends: 0)
    try Self.expectTruth(of: one, sandbox, home)
  }

  @Test(
    "hold them without faults, and bring nothing new in a second run, which writes no row and asks for no picture",
    arguments: APICase.all)
  func again(one: APICase) async throws {
    let sandbox = try Self.sandbox()
    let run = home.arguments(of: one.api, job: one.job, sandbox, one.arguments)
    await home.run(run, ends: 0)
    try Self.expectTruth(of: one, sandbox, home)
    let first = sandbox.requests(api: one.api)
    #expect(first.count == one.requests.first, "\(first.map(\.target))")
    let before = try home.tables.everyRow()
    let mark = sandbox.lastRequest
    await home.run(run, ends: 0)
    #expect(try home.tables.everyRow() == before)
    let asked = sandbox.requests(api: one.api, since: mark)
    #expect(asked.count == one.requests.again, "\(asked.map(\.target))")
    #expect(sandbox.requests(api: "media", since: mark).isEmpty)
    try Self.expectTruth(of: one, sandbox, home)
  }

  /// Lists that their API cuts off: the exit code, the list's name, the number of requests.
  static let cut: [(api: String, arguments: [String], ends: Int32, trust: String, requests: Int?)] =
    [
      ("youtube", ["--set", "q=music", "--stream", "search"], 3, "q=music", 10),
      ("newsapi", ["--set", "q=linux", "--stream", "everything"], 3, "everything q=linux", 1),
      // As its job declares.
      ("giphy", ["--stream", "trending"], 0, "trending g", nil),
      // Less than the job file promises: nobody declared a ceiling of 120.
      ("giphy", ["--stream", "search"], 3, "search q=cat", nil),
    ]

  @Test(
    "call a list limited that the API cuts in silence, and ask for nothing beyond",
    arguments: cut.indices)
  func ceilings(index: Int) async throws {
    let one = Self.cut[index]
    let sandbox = try Sandbox.changed {
      $0.giphy.gifs = 700
      $0.giphy.cats = 200
      $0.giphy.searchMax = 120
    }
    await home.run(home.arguments(of: one.api, sandbox, one.arguments), ends: one.ends)
    #expect(try home.tables.verdicts()[one.trust] == "limited")
    let asked = sandbox.requests(api: one.api)
    #expect(asked.allSatisfy { $0.status == 200 } && asked.count == one.requests ?? asked.count)
    // GIPHY's last page ends at the ceiling, and none exceeds it.
    for target in asked.map(\.target) where target.holds("offset=") {
      let end = ["limit=", "offset="].map { name in
        Int(target.pieces(around: name)[1].prefix { $0 != "&" }) ?? .max
      }
      #expect(end.reduce(0, +) <= 499, "\(target)")
    }
  }

  @Test("send words byte for byte, and tell what they find apart by bytes")
  func words() async throws {
    let sandbox = try Self.sandbox()
    let texts = [
      "고양이", "AT&T", "1+1=3", "c#", "either/or", "good morning", "100%", "caf\u{e9}",
      "cafe\u{301}", "?q=x&rating=r", "nobody sells this",
    ]
    for (api, stream, name, stored) in [
      ("giphy", "search", "q", "gif_id FROM giphy_found WHERE list = 'search' AND q"),
      ("openmarket", "products", "search", "id FROM openmarket_found WHERE search"),
    ] {
      let home = Home()
      await home.run(
        home.arguments(
          of: api, sandbox, ["--stream", stream] + texts.flatMap { ["--set", "\(name)=\($0)"] }),
        ends: 0)
      for text in texts {
        let of = "\(name)=\(text)"
        let keys = try #require(sandbox.truth(api, of: of)?.list(stream, of: of)).keys
        #expect(
          try home.tables.texts("SELECT \(stored) = '\(text)'").sorted() == keys.sorted(),
          "\(api) \(text)")
      }
    }
    let targets = sandbox.requests(api: "giphy").map(\.target)
    for sent in [
      "q=%EA%B3%A0%EC%96%91%EC%9D%B4&", "q=AT%26T&", "q=1%2B1%3D3&", "q=c%23&", "q=either%2For&",
      "q=good%20morning&", "q=100%25&", "q=caf%C3%A9&", "q=cafe%CC%81&",
    ] { #expect(targets.contains { $0.holds(sent) }, "\(sent)") }
  }
}
