import SandboxKit
import TestSupport
import Testing

@Suite("The job youtube against the sandbox", .prompt)
struct YouTubeRunTests {
  private static func targets(_ sandbox: Sandbox, since: Int = 0) -> [String] {
    sandbox.requests(api: "youtube", since: since).map(\.target)
  }

  /// Keys and memberships of one search, byte for byte.
  private static func expectTruth(
    of words: String, _ sandbox: Sandbox, _ tables: Tables,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let truth = try #require(sandbox.truth("youtube", of: "q=\(words)"))
    let list = try #require(truth.list("search", of: "q=\(words)"))
    let found = try tables.texts(
      "SELECT video_id FROM youtube_found WHERE q = '\(words)' AND vanished_at IS NULL")
    #expect(found.sorted() == list.keys.sorted(), sourceLocation: sourceLocation)
  }

  @Test("a search holds every key with its statistics and images, for eleven requests or fewer")
  func clean() async throws {
    let sandbox = try Sandbox.changed()
    defer { sandbox.stop() }
    let home = Home()
    await home.run(home.arguments(of: "youtube", sandbox, []), ends: 0)
    let tables = Tables(home)
    try Self.expectTruth(of: "swift language", sandbox, tables)
    #expect(try tables.count("SELECT count(*) FROM youtube_videos") == 57)
    // A search shows what it likes: nothing proves that it was all.
    #expect(try tables.verdicts()["q=swift language"] == "unproven")
    // 57 hits: two pages, the empty one that the last token leads to, two batches each of
    // descriptions and statistics.
    let targets = Self.targets(sandbox)
    #expect(targets.count { $0.hasPrefix("/youtube/search") } == 3)
    #expect(targets.count { $0.hasPrefix("/youtube/videos?") } == 2)
    #expect(targets.count { $0.hasPrefix("/youtube/videos:batchGetStats?") } == 2)
    #expect(targets.count == 7)
    let whole = "views IS NOT NULL AND duration IS NOT NULL AND description IS NOT NULL"
    #expect(try tables.count("SELECT count(*) FROM youtube_videos WHERE \(whole)") == 57)
    let hidden = try tables.count("SELECT count(*) FROM youtube_videos WHERE likes IS NULL")
    #expect((1..<57).contains(hidden), "some owners hide them")
    let escaped = "title LIKE '%&amp;%' OR title LIKE '%&#39;%' OR title LIKE '%&quot;%'"
    #expect(try tables.count("SELECT count(*) FROM youtube_videos WHERE \(escaped)") == 0)
    #expect(try tables.count("SELECT count(*) FROM youtube_videos WHERE title LIKE '% & %'") > 0)
    let truth = try #require(sandbox.truth("youtube"))
    let digests = try tables.texts("SELECT digest FROM trawl_media")
    #expect(Set(digests) == Set(truth.media.compactMap(\.sha256)))
    let dates = try tables.texts("SELECT DISTINCT length(published_at) FROM youtube_videos")
    #expect(dates == ["20"], "every date form in one width")
  }

  @Test("a second run has nothing new, writes no record and asks for no statistics")
  func again() async throws {
    let sandbox = try Sandbox.changed()
    defer { sandbox.stop() }
    let home = Home()
    let channel = ["--set", "channel=UCtrawlSandboxChannel000"]
    await home.run(home.arguments(of: "youtube", sandbox, channel), ends: 0)
    func everything() throws -> [String] {
      let names = ["videos", "found", "uploads", "channels", "videos_history"]
      return try names.flatMap { try Tables(home).texts("SELECT * FROM youtube_\($0)").sorted() }
    }
    let before = try everything()
    let mark = sandbox.lastRequest
    await home.run(home.arguments(of: "youtube", sandbox, channel), ends: 0)
    #expect(try everything() == before, "the search and the uploads agree on what they share")
    #expect(!Self.targets(sandbox, since: mark).contains { $0.hasPrefix("/youtube/videos") })
    #expect(sandbox.requests(api: "media", since: mark).isEmpty)
  }

  @Test("a channel's uploads are proven by the second run; deleted and private ones are counted")
  func uploads() async throws {
    let sandbox = try Sandbox.changed()
    defer { sandbox.stop() }
    let home = Home()
    let channel = "UCtrawlSandboxChannel000"
    let arguments = home.arguments(
      of: "youtube", sandbox,
      ["--set", "channel=\(channel)", "--stream", "channels", "--stream", "uploads"])
    await home.run(arguments, ends: 0)
    let truth = try #require(sandbox.truth("youtube", of: "channel=\(channel)"))
    let list = try #require(truth.lists.first { $0.name == "uploads" })
    let tables = Tables(home)
    let stored = try tables.texts(
      "SELECT video_id FROM youtube_uploads WHERE playlist_id = '\(list.of)'")
    #expect(stored.sorted() == list.keys.sorted())
    #expect(try tables.texts("SELECT video_id FROM youtube_videos").sorted() == stored.sorted())
    #expect(list.hidden > 0)
    let dropped = try tables.count("SELECT sum(dropped) FROM trawl_certificates")
    #expect(dropped == list.hidden)
    await home.run(arguments, ends: 0)
    #expect(try tables.verdicts()["uploads \(list.of)"] == "complete")
  }

  @Test("who left a channel's uploads is marked, and nobody else")
  func left() async throws {
    let sandbox = try Sandbox.changed()
    defer { sandbox.stop() }
    let home = Home()
    let channel = "UCtrawlSandboxChannel000"
    func uploads() throws -> Set<String> {
      let truth = try #require(sandbox.truth("youtube", of: "channel=\(channel)"))
      return Set(try #require(truth.lists.first { $0.name == "uploads" }).keys)
    }
    let arguments = home.arguments(
      of: "youtube", sandbox,
      ["--set", "channel=\(channel)", "--stream", "channels", "--stream", "uploads"])
    await home.run(arguments, ends: 0)
    let before = try uploads()
    // Only some of what goes is of this channel.
    for _ in 0..<40 {
      guard try uploads() == before else { break }
      sandbox.drift("youtube", delete: 1)
    }
    let gone = before.subtracting(try uploads())
    #expect(!gone.isEmpty && gone.count < 10)
    // One walk that reads something else than the one before may prove nothing: nobody is marked who
    // is there. The next one proves it, and marks.
    for run in 2...3 {
      await home.run(arguments, ends: 0)
      for table in ["uploads", "videos"] {
        let marked = try Tables(home).texts(
          "SELECT video_id FROM youtube_\(table) WHERE vanished_at IS NOT NULL")
        #expect(run == 2 ? gone.isSuperset(of: marked) : Set(marked) == gone, "\(table)")
      }
    }
  }

  @Test("YouTube's silent end near 500 is capped, never complete, and makes the run exit with 3")
  func ceiling() async throws {
    let sandbox = try Sandbox.changed()
    defer { sandbox.stop() }
    let home = Home()
    await home.run(
      home.arguments(of: "youtube", sandbox, ["--set", "q=music", "--stream", "search"]), ends: 3)
    let tables = Tables(home)
    #expect(try tables.verdicts()["q=music"] == "limited")
    try Self.expectTruth(of: "music", sandbox, tables)
    #expect(Self.targets(sandbox).count == 10)
  }

  @Test("two words with common videos: one record each, and a membership for each word")
  func shared() async throws {
    let sandbox = try Sandbox.changed()
    defer { sandbox.stop() }
    let home = Home()
    let words = ["swift language", "linux"]
    await home.run(
      home.arguments(of: "youtube", sandbox, words.flatMap { ["--set", "q=\($0)"] }), ends: 0)
    let tables = Tables(home)
    for word in words { try Self.expectTruth(of: word, sandbox, tables) }
    let common = try tables.count(
      "SELECT count(*) FROM youtube_found a JOIN youtube_found b USING (video_id) "
        + "WHERE a.q = 'linux' AND b.q = 'swift language'")
    #expect(common > 0)
    #expect(
      try tables.count("SELECT count(*) FROM youtube_videos")
        == tables.count("SELECT count(DISTINCT video_id) FROM youtube_found"))
    let statistics = Self.targets(sandbox).filter { $0.holds("batchGetStats") }
    let asked = statistics.flatMap { $0.pieces(around: "id=").last?.pieces(around: ",") ?? [] }
    #expect(asked.count == Set(asked).count, "a common video is asked for once")
  }

  @Test("the day's searches are spent: a pause with the hour, exit 75, and nothing is asked again")
  func spent() async throws {
    let sandbox = try Sandbox.changed { $0.youTube.searchesPerDay = 1 }
    defer { sandbox.stop() }
    let home = Home()
    // In the first minutes of the API's day it is asked again soon: its counters may reset late.
    let only = ["--stream", "search", "--max-wait", "1s"]
    await home.run(home.arguments(of: "youtube", sandbox, only), ends: 75)
    #expect(try Tables(home).verdicts()["q=swift language"] == "paused")
    #expect(Self.targets(sandbox).count == 2, "429 is not tried again")
    #expect(try Tables(home).count("SELECT count(*) FROM youtube_videos") > 40)
    await home.run(home.arguments(of: "youtube", sandbox, only), ends: 75)
    #expect(Self.targets(sandbox).count == 2, "the reset is known without a request")
  }

  @Test(
    "the day's statistics are spent: the searches and descriptions go on, from quotas of their own")
  func statisticsSpent() async throws {
    let sandbox = try Sandbox.changed { $0.youTube.statisticsPerDay = 1 }
    defer { sandbox.stop() }
    let home = Home()
    let arguments = home.arguments(
      of: "youtube", sandbox,
      ["--set", "q=swift language", "--set", "q=linux", "--max-wait", "1s"])
    await home.run(arguments, ends: 75)
    let tables = Tables(home)
    #expect(
      try tables.count("SELECT count(*) FROM youtube_videos WHERE description IS NULL") == 0)
    #expect(try tables.count("SELECT count(*) FROM youtube_videos WHERE views IS NOT NULL") == 50)
    let why = try tables.texts("SELECT why FROM trawl_trust WHERE verdict = 'paused'")
    #expect(why.count == 1 && why[0].holds("the statistics of the day"), "\(why)")
    let refused = Self.targets(sandbox).count { $0.holds("batchGetStats") }
    #expect(refused == 2, "429 is not tried again")
  }

  @Test(
    "a passing limit and a spent day are told apart, whatever the status and the reason",
    arguments: [
      (FaultKind.youTubeMinute, "", true), (.youTubeBurst, "", true),
      (.youTubeSearches, "the searches of the day", false),
      (.youTubeUnits, "the units of the day", false),
    ])
  func limits(kind: FaultKind, why: String, passes: Bool) async throws {
    let sandbox = try Sandbox.changed()
    defer { sandbox.stop() }
    let home = Home()
    sandbox.arm(ArmedFault(kind, target: "/search"))
    let only = ["--stream", "search", "--max-wait", "1s"]
    await home.run(home.arguments(of: "youtube", sandbox, only), ends: 75)
    let trust = try Tables(home).texts(
      "SELECT verdict, strftime('%s', resumes_at) - strftime('%s', as_of) BETWEEN 30 AND 130, why "
        + "FROM trawl_trust WHERE list = 'q=swift language'")
    // Midnight in Los Angeles is seldom two minutes away; the reason tells the day from the minute.
    #expect(trust.count == 1 && trust[0].hasPrefix("paused|"), "\(trust)")
    #expect(passes ? trust[0].hasPrefix("paused|1|") : trust[0].holds(why), "\(trust)")
    #expect(!passes || !trust[0].holds("of the day"), "\(trust)")
    #expect(Self.targets(sandbox).count == 1)
  }

  @Test("the proxy with 57 videos and 10 a page is asked exactly six times, and page 1 once more")
  func proxy() async throws {
    let sandbox = try Sandbox.changed()
    defer { sandbox.stop() }
    let home = Home()
    let job = home.write(
      """
      { name: "my-proxy", use: "youtube-proxy", base: "\(sandbox.endpoint(for: "youtube-proxy"))" }
      """, to: "my-proxy.json5")
    await home.run(["run", job, "--data", home.data, "--allow-loopback"], ends: 0)
    let targets = sandbox.requests(api: "youtube-proxy").map(\.target)
    let pages = targets.map { Int($0.pieces(around: "&page=").last ?? "") ?? 0 }
    #expect(pages == [1, 2, 3, 4, 5, 6, 1])
    let truth = try #require(sandbox.truth("youtube-proxy"))
    let tables = Tables(home)
    #expect(
      try tables.texts("SELECT video_id FROM my_proxy_videos").sorted()
        == truth.lists[0].keys.sorted())
    #expect(try Set(tables.verdicts().values) == ["complete"])
    let digests = try tables.texts("SELECT digest FROM trawl_media")
    #expect(Set(digests) == Set(truth.media.compactMap(\.sha256)))
  }

  /// As `jobs/USING.md` has it.
  private static let chart = """
    SELECT h.at, h.value AS views, h.value - lag(h.value) OVER (ORDER BY h.at) AS more,
      substr('##############################', 1, 30 * h.value / max(h.value) OVER ()) AS chart
    FROM youtube_videos_history h JOIN youtube_videos v USING (video_id)
    WHERE h.column_name = 'views' AND v.video_id = 'ID' ORDER BY h.at
    """

  @Test("views over time come from the history with one query, a row for each value")
  func history() async throws {
    let time = VirtualTime()
    let sandbox = try Sandbox.changed { $0.time = time.timekeeper }
    defer { sandbox.stop() }
    let home = Home()
    let text = JobText.shipped("youtube", [("when: \"stale 7d\"", "when: \"all\"")])
    let job = home.write(text, to: "youtube.json5")
    let endpoint = sandbox.endpoint(for: "youtube")
    for run in 1...3 {
      await home.run(["run", job, "--endpoint", endpoint, "--data", home.data], ends: 0)
      time.advance(by: .seconds(60 * 86_400))
      // Values of one second are one row of the history: the next run begins in another.
      let last = try Tables(home).texts("SELECT max(at) FROM youtube_videos_history")
      try await until("a second after run \(run)") {
        try Tables(home).texts("SELECT strftime('%Y-%m-%dT%H:%M:%SZ', 'now')") != last
      }
    }
    let tables = Tables(home)
    // The one that grew most, of its size.
    let id = try #require(
      tables.texts(
        "SELECT video_id FROM youtube_videos_history WHERE column_name = 'views' "
          + "GROUP BY 1 ORDER BY min(value) * 1.0 / max(value) LIMIT 1"
      ).first)
    let rows = try tables.rows(Self.chart.pieces(around: "'ID'").joined(separator: "'\(id)'"))
    #expect(rows.count == 3, "\(rows)")
    for (index, row) in rows.enumerated() {
      #expect(index == 0 || (Int(row[2].shown) ?? 0) > 0, "\(row)")
    }
    // What moves all the time is no change of the record.
    #expect(try tables.count("SELECT sum(changed) FROM trawl_certificates") == 0)
    let readme = JobText.read("jobs/USING.md")
    let lines = Self.chart.split(separator: "\n").map { line in
      String(line).pieces(around: "'ID'")[0].split(separator: " ").joined(separator: " ")
    }
    #expect(lines.filter { !readme.holds($0) } == [])
  }
}
