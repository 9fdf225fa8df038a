import Base
import TestSupport
import Testing

/// Feeds as a job reads them, from one reading to the next.
@Suite("A stream of a feed")
struct FeedRunTests {
  private let gallery = Gallery()

  private static func job(_ more: String = "", _ head: String = "") throws -> Job {
    try Job.file(
      """
      entries: {
        get: "/feed", reads: "feed", records: "items", into: "entries", key: ["id"],
        columns: { id: "id", title: "title", at: "updated | published as time" },
        \(more)
      },
      """, name: "news", head: head)
  }

  private static func atom(_ ids: some Sequence<Int>, next: String? = nil) -> String {
    let link = next.map { "<link rel='next' href='\($0)'/>" } ?? ""
    let entries = ids.map {
      "<entry><id>urn:\($0)</id><title>T\($0)</title><updated>2026-01-01T00:00:00Z</updated></entry>"
    }
    return "<feed xmlns='http://www.w3.org/2005/Atom'>\(link)\(entries.joined())</feed>"
  }

  private static let xml = "application/atom+xml"

  private static func exchange(
    _ text: String, status: Int = 200, type: String = Self.xml, etag: String? = nil
  ) -> ScriptedExchange {
    .answering { request, _ in
      let isKnown = request.fields.contains { $0.name == "If-None-Match" && $0.value == etag }
      let fields =
        [HeaderField("Content-Type", type)] + (etag.map { [HeaderField("ETag", $0)] } ?? [])
      return .whole(
        request, isKnown ? [] : Array(text.utf8), fields, status: isKnown ? 304 : status)
    }
  }

  @Test("is never complete, keeps what has left the feed, and says when something may be missed")
  func readings() async throws {
    let job = try Self.job()
    let first = try await gallery.run(job, Self.exchange(Self.atom(1...3)))
    #expect(first.verdicts == [.unproven] && first.facts.outcome.kinds == [.asDeclared])
    #expect(first.facts.units[0].certificate.why.contains("all that the feed shows now"))
    let second = try await gallery.run(job, Self.exchange(Self.atom(3...5)))
    #expect(second.verdicts == [.unproven] && second.facts.warnings.isEmpty)
    let third = try await gallery.run(job, Self.exchange(Self.atom(8...10)))
    #expect(third.facts.warnings.contains { "\($0)".contains("none of its 3 entries") })
    #expect(
      try gallery.rows("SELECT count(*), sum(vanished_at IS NOT NULL), min(at) FROM news_entries")
        == ["8|0|2026-01-01T00:00:00Z"])
  }

  @Test("is asked only for what changed, by ETag, and says what it takes")
  func conditional() async throws {
    let job = try Self.job()
    let exchange = Self.exchange(Self.atom(1...3), etag: "\"a\"")
    _ = try await gallery.run(job, exchange)
    let again = try await gallery.run(job, exchange)
    let sent = try #require(exchange.asked.last).fields
    #expect(sent.contains { $0.name == "If-None-Match" && $0.value == "\"a\"" })
    #expect(sent.contains { $0.name == "Accept" && $0.value.contains("application/atom+xml") })
    #expect(again.verdicts == [.unproven] && again.facts.warnings.isEmpty)
    #expect(try gallery.rows("SELECT count(*) FROM news_entries") == ["3"])
  }

  @Test("tells of bytes that are not text, like every other answer")
  func repairs() async throws {
    let text = Array(Self.atom(1...3).replacing("T2", with: "T?2").utf8)
    for byte in [UInt8(ascii: "?"), 0xFF] {
      let bytes = text.map { $0 == UInt8(ascii: "?") ? byte : $0 }
      let exchange = ScriptedExchange.answering { request, _ in
        .whole(request, bytes, [HeaderField("Content-Type", Self.xml)])
      }
      let warnings = try await gallery.run(Self.job(), exchange).facts.warnings.map { "\($0)" }
      let isTold = warnings.contains {
        $0.contains("1 text of a page has bytes that are not UTF-8")
      }
      #expect(isTold == (byte == 0xFF), "\(warnings)")
    }
    #expect(
      try gallery.rows("SELECT title FROM news_entries WHERE id = 'urn:2'") == ["T\u{FFFD}2"])
  }

  /// What else than its bytes determines the rows of a feed.
  struct Reading: Sendable, CustomTestStringConvertible {
    var charset: String?
    /// The answer's address, after a redirect.
    var address = "\(Gallery.base)/feed"
    var link = "link"
    var more = ""

    static let all = [
      Reading(), Reading(charset: "ISO-8859-1"), Reading(address: "https://api.example/old/feed"),
      Reading(link: "summary | link"), Reading(link: "link as url"),
      Reading(more: "keep: \"title <> 'drop'\""),
    ]
    static let pairs = all.flatMap { first in all.map { (first, $0) } }

    var testDescription: String { "\(charset ?? "utf-8") \(address) \(link) \(more)" }
  }

  @Test(
    "that comes again byte for byte has the rows that are made of it now", arguments: Reading.pairs)
  func again(first: Reading, second: Reading) async throws {
    let feed = """
      <feed xmlns='http://www.w3.org/2005/Atom'>
      <entry><id>1</id><title>\u{e4}</title><link href='a'/></entry>
      <entry><id>2</id><title>drop</title><link href='b'/><summary>c</summary></entry></feed>
      """
    func read(_ reading: Reading, _ gallery: Gallery) async throws -> [String] {
      let job = try Job.file(
        """
        entries: {
          get: "/feed", reads: "feed", records: "items", into: "entries", key: ["id"],
          columns: { id: "id", title: "title", link: "\(reading.link)" }, \(reading.more)
        },
        """, name: "news")
      let type = Self.xml + (reading.charset.map { "; charset=\($0)" } ?? "")
      let address = try WebAddress(reading.address)
      let exchange = ScriptedExchange.answering { request, _ in
        let latin = feed.unicodeScalars.map { UInt8($0.value) }
        var answer = Answer.whole(request, latin, [HeaderField("Content-Type", type)])
        answer.address = address
        return answer
      }
      let left = try await gallery.run(job, exchange)
      #expect(left.verdicts == [.unproven])
      return try gallery.rows("SELECT id, title, link FROM news_entries ORDER BY id")
    }
    let before = try await read(first, gallery)
    let expected = try await read(second, Gallery())
    // What is no longer kept stays as it was.
    let stays = before.filter { row in
      !expected.contains { $0.split(separator: "|")[0] == row.split(separator: "|")[0] }
    }
    #expect(try await read(second, gallery) == (expected + stays).sorted())
  }

  @Test("whose pages lead to its first entry is a list if its job says so")
  func pages() async throws {
    let job = try Self.job("kind: \"list\", pages: { by: \"url\", next: \"next\" },")
    let exchange = ScriptedExchange.json { request, _ in
      let page = request.address.query == nil ? 1 : 2
      return page == 1 ? Self.atom(4...6, next: "?page=2") : Self.atom(1...3)
    }
    _ = try await gallery.run(job, exchange, then: .day)
    for verdict in [Verdict.unproven, .complete] {
      let next = try await gallery.run(job, exchange, then: .day)
      #expect(next.verdicts == [verdict], "\(next.facts.units[0].certificate.why)")
    }
    #expect(try gallery.rows("SELECT count(*) FROM news_entries") == ["6"])
  }

  @Test("that names a next page which its job does not read has more than came")
  func unread() async throws {
    let left = try await gallery.run(
      try Self.job(), Self.exchange(Self.atom(1...3, next: "?page=2")))
    #expect(left.verdicts == [.incomplete], "\(left.facts.units[0].certificate.why)")
  }

  @Test(
    "that brings something else fails and stores nothing of it, at once, or after more requests where it was damaged",
    arguments: [
      ("<?xml version='1.0' encoding='Shift_JIS'?><rss/>", xml, "written in Shift_JIS, ", true),
      ("<!DOCTYPE rss [<!ENTITY a 'b'>]><rss/>", xml, "declares entities", true),
      ("<rss></rss>", xml, "has no channel", true),
      (String(repeating: "<rss>", count: 200), xml, "more than 100 levels", true),
      ("<!DOCTYPE html><html><body>Sign in</body></html>", "text/html", "begins with <html>", true),
      ("{\"items\": [{\"id\": 1}]}", "application/json", "nor XML at all", true),
      ("<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>1</id>", xml, "not sound XML", false),
      ("<rss><channel><item>", xml, "not sound XML", false),
      ("<?xml version='1.0' encoding='Shift_", xml, "not sound XML", false),
    ])
  func others(text: String, type: String, why: String, isOnce: Bool) async throws {
    let exchange = Self.exchange(text, type: type)
    let left = try await gallery.run(try Self.job(), exchange)
    #expect(left.verdicts == [.failed])
    let said = left.facts.units[0].certificate.why
    #expect(said.contains(why), "\(said)")
    #expect(exchange.asked.count == (isOnce ? 1 : 3))
    #expect(try gallery.rows("SELECT count(*) FROM news_entries") == ["0"])
  }

  @Test("that was read before is asked for again where its place is taken by something else")
  func taken() async throws {
    _ = try await gallery.run(try Self.job(), Self.exchange(Self.atom(1...3)))
    let exchange = ScriptedExchange.json { request, count in
      count == 1 ? "<html></html>" : Self.atom(1...4)
    }
    let second = try await gallery.run(try Self.job(), exchange)
    #expect(second.verdicts == [.unproven])
    #expect(try gallery.rows("SELECT count(*) FROM news_entries") == ["4"])
  }

  @Test("still reads an error as JSON: the job's table knows what it says")
  func errors() async throws {
    let rules = "errors: [{ status: 403, where: \"code\", is: \"gone\", then: \"skip\" }],"
    let left = try await gallery.run(
      try Self.job("", rules), Self.exchange("{\"code\":\"gone\"}", status: 403))
    #expect(left.verdicts == [.absent])
  }

  @Test("for each record of another is a list of its own, and none of them is complete")
  func children() async throws {
    let job = try Job.file(
      """
      repos: { get: "/repos", pages: { by: "single" }, records: "items", into: "repos",
        key: ["id"], columns: { id: "id as integer" } },
      releases: {
        for: { each: "repos.id", when: "all" }, get: "/feeds/{id}", reads: "feed",
        records: "items", into: "releases", key: ["tag"], columns: { tag: "id" }, list: "released",
      },
      """, name: "news")
    let exchange = ScriptedExchange.json { request, _ in
      let isList = request.address.path.hasSuffix("/repos")
      return isList ? #"{"items":[{"id":1},{"id":2}]}"# : Self.atom(1...2)
    }
    let left = try await gallery.run(job, exchange)
    #expect(left.verdicts == [.complete, .unproven, .unproven])
    #expect(try gallery.rows("SELECT count(*) FROM news_released") == ["4"])
  }
}
