import SandboxKit
import TestSupport
import Testing

@Suite("The job youtube against the sandbox", .prompt)
struct YouTubeRunTests {
  private let home = Home()

  private static func targets(_ sandbox: Sandbox, since: Int = 0) -> [String] {
    sandbox.requests(api: "youtube", since: since).map(\.target)
  }

  @Test("a search has statistics and descriptions of every video, from batches of 50")
  func clean() async throws {
    let sandbox = try Sandbox.changed()
    await home.run(home.arguments(of: "youtube", sandbox), ends: 0)
    // 57 hits: two pages, and the empty one of the last token.
    let targets = Self.targets(sandbox)
    #expect(targets.count { $0.hasPrefix("/youtube/search") } == 3)
    #expect(targets.count { $0.hasPrefix("/youtube/videos?") } == 2)
    #expect(targets.count { $0.hasPrefix("/youtube/videos:batchGetStats?") } == 2)
    let whole = "views IS NOT NULL AND duration IS NOT NULL AND description IS NOT NULL"
    #expect(try home.count("youtube_videos WHERE \(whole)") == 57)
    let hidden = try home.count("youtube_videos WHERE likes IS NULL")
    #expect((1..<57).contains(hidden), "some owners hide them")
    let escaped = "title LIKE '%&amp;%' OR title LIKE '%&#39;%' OR title LIKE '%&quot;%'"
    #expect(try home.count("youtube_videos WHERE \(escaped)") == 0)
    #expect(try home.count("youtube_videos WHERE title LIKE '% & %'") > 0)
    let dates = try home.tables.texts("SELECT DISTINCT length(published_at) FROM youtube_videos")
    #expect(dates == ["20"], "every date form in one width")
  }

  @Test("a channel's uploads are proven by the second run; deleted and private ones are counted")
  func uploads() async throws {
    let sandbox = try Sandbox.changed()
    let channel = "UCtrawlSandboxChannel000"
    let arguments = home.arguments(
      of: "youtube", sandbox,
      ["--set", "channel=\(channel)", "--stream", "channels", "--stream", "uploads"])
    await home.run(arguments, ends: 0)
    let truth = try #require(sandbox.truth("youtube", of: "channel=\(channel)"))
    let list = try #require(truth.lists.first { $0.name == "uploads" })
    let stored = try home.tables.texts(
      "SELECT video_id FROM youtube_uploads WHERE playlist_id = '\(list.of)'")
    #expect(stored.sorted() == list.keys.sorted())
    #expect(
      try home.tables.texts("SELECT video_id FROM youtube_videos").sorted() == stored.sorted())
    #expect(list.hidden > 0)
    let dropped = try home.tables.count("SELECT sum(dropped) FROM trawl_certificates")
    #expect(dropped == list.hidden)
    await home.run(arguments, ends: 0)
    #expect(try home.tables.verdicts()["uploads \(list.of)"] == "complete")
  }

  @Test(
    "the day's statistics are spent: the searches and descriptions go on, from quotas of their own")
  func statisticsSpent() async throws {
    let sandbox = try Sandbox.changed { $0.youTube.statisticsPerDay = 1 }
    let arguments = home.arguments(
      of: "youtube", sandbox,
      ["--set", "q=swift language", "--set", "q=linux", "--max-wait", "1s"])
    await home.run(arguments, ends: 75)
    #expect(try home.count("youtube_videos WHERE description IS NULL") == 0)
    #expect(try home.count("youtube_videos WHERE views IS NOT NULL") == 50)
    let why = try home.tables.texts("SELECT why FROM trawl_trust WHERE verdict = 'paused'")
    #expect(why.count == 1 && why[0].holds("the statistics of the day"), "\(why)")
    let refused = Self.targets(sandbox).count { $0.holds("batchGetStats") }
    #expect(refused == 2, "429 is not tried again")
  }

  /// As in `jobs/USING.md`.
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
    let text = JobText.shipped("youtube", [("when: \"stale 7d\"", "when: \"all\"")])
    let job = home.write(text, to: "youtube.json5")
    let endpoint = sandbox.endpoint(for: "youtube")
    for run in 1...3 {
      await home.trawl("run", job, "--endpoint", endpoint, ends: 0)
      time.advance(by: .seconds(60 * 86_400))
      // Values of one second share a row of the history, so the next run must begin in another second.
      let last = try home.tables.texts("SELECT max(at) FROM youtube_videos_history")
      try await until("a second after run \(run)") {
        try home.tables.texts("SELECT strftime('%Y-%m-%dT%H:%M:%SZ', 'now')") != last
      }
    }
    // The one with the largest relative growth.
    let id = try #require(
      home.tables.texts(
        "SELECT video_id FROM youtube_videos_history WHERE column_name = 'views' "
          + "GROUP BY 1 ORDER BY min(value) * 1.0 / max(value) LIMIT 1"
      ).first)
    let rows = try home.tables.rows(Self.chart.pieces(around: "'ID'").joined(separator: "'\(id)'"))
    #expect(rows.count == 3, "\(rows)")
    for (index, row) in rows.enumerated() {
      #expect(index == 0 || (Int(row[2].shown) ?? 0) > 0, "\(row)")
    }
    // A volatile column does not change the record.
    #expect(try home.tables.count("SELECT sum(changed) FROM trawl_certificates") == 0)
    let readme = JobText.read("jobs/USING.md")
    let lines = Self.chart.split(separator: "\n").map { line in
      String(line).pieces(around: "'ID'")[0].split(separator: " ").joined(separator: " ")
    }
    #expect(lines.filter { !readme.holds($0) } == [])
  }
}
