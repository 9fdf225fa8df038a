import SandboxKit
import TestSupport
import Testing

@Suite("A run of giphy", .prompt)
struct GiphyRunTests {
  /// A sandbox whose GIPHY gives as many calls as a test needs.
  private static func sandbox(
    faults: String? = nil, _ change: (inout GiphyOptions) -> Void = { _ in }
  ) throws -> Sandbox {
    try Sandbox.changed {
      change(&$0.giphy)
      if let faults { $0.faults = try FaultSpec(parsing: faults) }
    }
  }

  private static func run(
    _ home: Home, _ sandbox: Sandbox, job: String = "giphy", _ more: [String] = []
  ) async -> BinaryRun.Ended {
    await home.run(home.arguments(of: "giphy", job: job, sandbox, more))
  }

  private static func found(_ home: Home, list: String, q: String = "") throws -> [String] {
    let quoted = q.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
    return try Tables(home).texts(
      "SELECT gif_id FROM giphy_found WHERE list = '\(list)' AND q = '\(quoted)' "
        + "AND vanished_at IS NULL ORDER BY position")
  }

  private static func expectTruth(
    of sandbox: Sandbox, in home: Home, mayRefuse: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let truth = try #require(sandbox.truth("giphy"))
    let trending = try #require(truth.list("trending", of: "rating=g")).keys
    let cats = try #require(truth.list("search", of: "q=cat")).keys
    #expect(
      try found(home, list: "trending").sorted() == trending.sorted(),
      sourceLocation: sourceLocation)
    #expect(
      try found(home, list: "search", q: "cat").sorted() == cats.sorted(),
      sourceLocation: sourceLocation)
    #expect(
      try Set(Tables(home).texts("SELECT id FROM giphy_gifs")) == Set(trending + cats),
      sourceLocation: sourceLocation)
    #expect(
      try Tables(home).texts("SELECT word FROM giphy_trending_words ORDER BY position")
        == truth.list("trending_words", of: "")?.keys, sourceLocation: sourceLocation)
    // A file that was broken on its way is asked for tomorrow; none is ever another's.
    let images = try Tables(home).texts(
      "SELECT g.still_url || ' ' || u.digest FROM giphy_gifs g JOIN trawl_media_urls u "
        + "ON u.identity = 'giphy_gifs.still:' || g.id WHERE u.digest IS NOT NULL")
    let refused = try Tables(home).count(
      "SELECT count(*) FROM trawl_media_urls WHERE digest IS NULL AND reason IS NOT NULL "
        + "AND next_attempt_at IS NOT NULL")
    let due = Set(truth.media.map { "\($0.url) \($0.sha256 ?? "")" })
    #expect(Set(images).isSubset(of: due), sourceLocation: sourceLocation)
    #expect(images.count + refused == due.count, sourceLocation: sourceLocation)
    #expect(mayRefuse || refused == 0, sourceLocation: sourceLocation)
  }

  @Test(
    "holds every key, membership, word and still that the API has", arguments: ["", "plain=5%"])
  func truth(faults: String) async throws {
    let sandbox = try Self.sandbox(faults: faults.isEmpty ? nil : faults)
    defer { sandbox.stop() }
    let home = Home()
    let ended = await Self.run(home, sandbox, ["--max-wait", "10s"])
    #expect(ended.status == 0, "\(ended.errors)")
    try Self.expectTruth(of: sandbox, in: home, mayRefuse: !faults.isEmpty)
    // One answer with all of its words; nothing proves a search, nor a list that is to be cut.
    let verdicts = try Tables(home).verdicts()
    #expect(verdicts["trending words"] == "complete", "\(verdicts)")
    #expect(verdicts.count == 3 && verdicts["search q=cat"] == "unproven", "\(verdicts)")
    #expect(["complete", "unproven"].contains(verdicts["trending g"]), "\(verdicts)")
    let zeros = "imported_at < '2000' OR trending_at < '2000'"
    let tables = Tables(home)
    #expect(try tables.count("SELECT count(*) FROM giphy_gifs WHERE \(zeros)") == 0)
    #expect(
      try tables.count("SELECT count(*) FROM giphy_gifs WHERE imported_at IS NULL") > 0)
    #expect(try tables.count("SELECT count(*) FROM trawl_rejects") == 0)
  }

  @Test(
    "a second run brings nothing new: URLs that differ on each call change no row, fetch no file")
  func changingURLs() async throws {
    let sandbox = try Self.sandbox()
    defer { sandbox.stop() }
    // Also with the URL as it comes, which differs each time: then the identity alone decides.
    let plain = JobText.giphyWithPlainURLs
    for job in ["giphy", plain] {
      let home = Home()
      let name = job == "giphy" ? job : home.write(job, to: "giphy.json5")
      #expect(await Self.run(home, sandbox, job: name).status == 0)
      let tables = Tables(home)
      let count = try tables.count("SELECT count(*) FROM giphy_gifs")
      let mark = sandbox.lastRequest
      let rows = "SELECT id, changed_at, still_url FROM giphy_gifs ORDER BY id"
      let before = try tables.texts(rows)
      let second = await Self.run(home, sandbox, job: name)
      #expect(second.status == 0, "\(second.errors)")
      #expect(sandbox.requests(api: "media", since: mark).isEmpty)
      #expect(try (tables.texts(rows) == before) == (job == "giphy"))
      #expect(try tables.count("SELECT count(*) FROM trawl_media_urls") == count)
    }
    // One request for each file in each home's first run, though some GIFs are in both lists.
    let images = sandbox.requests(api: "media").count
    let gifs = Set(try #require(sandbox.truth("giphy")).media.map(\.url)).count
    #expect(images == 2 * gifs)
  }

  @Test("the silent ceiling of trending is capped as declared, and that of a search is capped too")
  func ceilings() async throws {
    let sandbox = try Self.sandbox {
      $0.gifs = 700
      $0.cats = 200
      $0.searchMax = 120
    }
    defer { sandbox.stop() }
    let home = Home()
    let trending = await Self.run(home, sandbox, ["--stream", "trending"])
    #expect(trending.status == 0, "\(trending.errors)")
    let search = await Self.run(home, sandbox, ["--stream", "search"])
    // Less than the job file promises: nobody declared a ceiling of 120.
    #expect(search.status == 3, "\(search.errors)")
    #expect(try Tables(home).verdicts() == ["trending g": "limited", "search q=cat": "limited"])
    let truth = try #require(sandbox.truth("giphy"))
    #expect(
      try Self.found(home, list: "trending").sorted()
        == truth.list("trending", of: "rating=g")?.keys.sorted())
    // The last page ends at the ceiling, and none goes past it.
    let ends = sandbox.requests(api: "giphy").map(\.target).filter { $0.holds("/trending?") }.map {
      Self.number("limit", in: $0) + Self.number("offset", in: $0)
    }
    #expect(ends.max() == 499, "\(ends)")
  }

  private static func number(_ name: String, in target: String) -> Int {
    Int(target.pieces(around: "\(name)=").last?.prefix { $0 != "&" } ?? "") ?? 0
  }

  @Test("a rating reaches trending and search, and one that GIPHY does not know is refused")
  func ratings() async throws {
    let sandbox = try Self.sandbox()
    defer { sandbox.stop() }
    let home = Home()
    let ended = await Self.run(home, sandbox, ["--set", "rating=pg-13", "--set", "q=ok"])
    #expect(ended.status == 0, "\(ended.errors)")
    let trending = sandbox.truth("giphy", of: "rating=pg-13")?.list("trending", of: "rating=pg-13")
    let of = "rating=pg-13 q=ok"
    let search = sandbox.truth("giphy", of: of)?.list("search", of: of)
    #expect(try Self.found(home, list: "trending").sorted() == trending?.keys.sorted())
    #expect(try Self.found(home, list: "search", q: "ok").sorted() == search?.keys.sorted())
    let lists = sandbox.requests(api: "giphy").filter { $0.target.holds("/gifs/") }
    #expect(!lists.isEmpty && lists.allSatisfy { $0.target.holds("rating=pg-13") })
    let wrong = await Self.run(home, sandbox, ["--set", "rating=x"])
    #expect(wrong.status == 64 && wrong.errors.holds("pg-13"), "\(wrong.errors)")
  }

  @Test("search words reach the API byte for byte, and what they find is told apart by bytes")
  func words() async throws {
    let sandbox = try Self.sandbox()
    defer { sandbox.stop() }
    let home = Home()
    let words = [
      "고양이", "AT&T", "1+1=3", "c#", "either/or", "good morning", "100%", "caf\u{e9}",
      "cafe\u{301}", "?q=x&rating=r",
    ]
    let ended = await Self.run(
      home, sandbox, ["--stream", "search"] + words.flatMap { ["--set", "q=\($0)"] })
    #expect(ended.status == 0, "\(ended.errors)")
    for word in words {
      let list = sandbox.truth("giphy", of: "q=\(word)")?.list("search", of: "q=\(word)")
      let keys = try #require(list).keys
      #expect(!keys.isEmpty)
      #expect(try Self.found(home, list: "search", q: word).sorted() == keys.sorted(), "\(word)")
    }
    let targets = sandbox.requests(api: "giphy").map(\.target)
    for sent in [
      "q=%EA%B3%A0%EC%96%91%EC%9D%B4&", "q=AT%26T&", "q=1%2B1%3D3&", "q=c%23&", "q=either%2For&",
      "q=good%20morning&", "q=100%25&", "q=caf%C3%A9&", "q=cafe%CC%81&",
    ] { #expect(targets.contains { $0.holds(sent) }, "\(sent)") }
  }

  @Test("@trending_words searches for each word that trends")
  func trendingWords() async throws {
    let sandbox = try Self.sandbox()
    defer { sandbox.stop() }
    let home = Home()
    let ended = await Self.run(
      home, sandbox,
      ["--stream", "trending_words", "--stream", "search", "--set", "q=@trending_words.word"])
    #expect(ended.status == 0, "\(ended.errors)")
    let words = try #require(sandbox.truth("giphy")?.list("trending_words", of: "")).keys
    #expect(words.count == 12)
    for word in words {
      let list = sandbox.truth("giphy", of: "q=\(word)")?.list("search", of: "q=\(word)")
      #expect(
        try Self.found(home, list: "search", q: word).sorted() == list?.keys.sorted(), "\(word)")
    }
    #expect(
      try Tables(home).count("SELECT count(DISTINCT q) FROM giphy_found") == words.count)
  }

  @Test("typed words are completed in their order, and more than 25 are told as the best 25")
  func tags() async throws {
    let sandbox = try Self.sandbox()
    defer { sandbox.stop() }
    let home = Home()
    let typed = ["ca", "고", "r&", "zzz"]
    let ended = await Self.run(
      home, sandbox, ["--stream", "tags"] + typed.flatMap { ["--set", "typed=\($0)"] })
    #expect(ended.status == 0, "\(ended.errors)")
    for word in typed {
      let of = "typed=\(word)"
      let keys = try #require(sandbox.truth("giphy", of: of)?.list("tags", of: of)).keys
      #expect(
        try Tables(home).texts("SELECT name FROM giphy_tags WHERE q = '\(word)' ORDER BY position")
          == Array(keys.prefix(25)), "\(word)")
    }
    let verdicts = try Tables(home).verdicts()
    #expect(verdicts["tags ca"] == "limited" && verdicts["tags 고"] == "complete", "\(verdicts)")
  }

  @Test("single GIFs come by id, told apart by case; an unknown one is absent, not an error")
  func byID() async throws {
    let sandbox = try Self.sandbox { $0.cats = 5 }
    defer { sandbox.stop() }
    let home = Home()
    let ids = try #require(sandbox.truth("giphy")).tables[0].keys
    let twins = ids.filter { id in ids.contains { $0 != id && $0.lowercased() == id.lowercased() } }
    #expect(twins.count >= 2)
    let asked = twins + ["nobodyKnowsThis"]
    let ended = await Self.run(
      home, sandbox, ["--stream", "by_id"] + asked.flatMap { ["--set", "gif=\($0)"] })
    #expect(ended.status == 3, "\(ended.errors)")
    #expect(try Tables(home).texts("SELECT id FROM giphy_gifs").sorted() == twins.sorted())
    #expect(try Tables(home).verdicts()["gif nobodyKnowsThis"] == "absent")
  }

  @Test(
    "a spent hour is a pause in whatever form it is told, and goes on without asking again",
    arguments: [FaultKind.giphyMeta, .giphyMessage, .giphyHidden])
  func spentHour(kind: FaultKind) async throws {
    let sandbox = try Self.sandbox()
    defer { sandbox.stop() }
    // Its second page.
    sandbox.arm(ArmedFault(kind, target: "/trending?", skip: 1))
    let home = Home()
    let ended = await Self.run(home, sandbox, ["--stream", "trending", "--max-wait", "1s"])
    #expect(ended.status == 75, "\(ended.errors)")
    let state = try Tables(home).texts(
      "SELECT verdict, rows, resumes_at > as_of FROM trawl_trust WHERE list = 'trending g'")
    #expect(
      state.count == 1 && state[0].hasPrefix("paused|") && state[0].hasSuffix("|1"), "\(state)")
    let asked = sandbox.requests(api: "giphy").count
    // The ledger knows until when: nothing is asked before.
    let again = await Self.run(home, sandbox, ["--stream", "trending", "--max-wait", "1s"])
    #expect(again.status == 75, "\(again.errors)")
    #expect(sandbox.requests(api: "giphy").count == asked)
  }
}

extension JobText {
  /// GIPHY's job without the expression that makes one URL of all.
  fileprivate static var giphyWithPlainURLs: String {
    let parts = read("jobs/giphy.json5").pieces(around: "            sql: \"replace(")
    precondition(parts.count == 2, "jobs/giphy.json5 no longer mends its URLs")
    return parts[0]
      + parts[1].pieces(around: "- 1), \\\n").dropFirst().joined()
      .pieces(around: "'/media4.', '/media0.')\",\n").dropFirst().joined()
  }
}
