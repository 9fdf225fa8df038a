import Glibc
import Base
import TestSupport
import Testing

/// Imitations of archives, according to their documentation.
@Suite("A shipped job that reads an archive", .prompt)
struct ArchiveJobTests {
  // MARK: Hacker News

  /// One story a minute; a request returns the newest thousand matches.
  private static func stories(
    _ call: AnswerServer.Call, since begin: Int64, count: Int64
  ) -> String {
    let ends = (call.parameters["numericFilters"] ?? "").split(separator: ",").map {
      Int64($0.split(whereSeparator: { "<>=".contains($0) }).last ?? "") ?? 0
    }
    guard ends.count == 2 else { return "{\"hits\": \"a filter is missing\"}" }
    let found = (0..<count).filter { (ends[0]..<ends[1]).contains(begin + $0 * 60) }.reversed()
    let page = call.number("page") ?? 0
    let size = min(1_000, call.number("hitsPerPage") ?? 20)
    let hits = found.prefix(1_000).dropFirst(page * size).prefix(size).map { number in
      let at = begin + number * 60
      return """
        {"objectID": "\(number)", "_tags": ["story", "author_a"], "title": "Story \(number)", \
        "author": "a", "points": 1, "num_comments": 0, "created_at": "\(Instant(seconds: at))", \
        "created_at_i": \(at)}
        """
    }
    return
      "{\"hits\": [\(hits.joined(separator: ","))], \"nbHits\": \(found.count), \"page\": \(page)}"
  }

  @Test("has every story of a window with more of them than a request shows")
  func hackernews() async throws {
    let begin: Int64 = 1_767_225_600  // 2026-01-01
    let server = AnswerServer { .json(Self.stories($0, since: begin, count: 3_500)) }
    let home = Home()
    await home.trawl(
      "backfill", "hackernews", "--from", "2026-01-01", "--to", "2026-01-04", "--endpoint",
      server.origin, ends: 0)
    #expect(try home.count("hackernews_stories") == 3_500)
    #expect(try home.count("trawl_coverage WHERE verdict <> 'complete'") == 0)
    #expect(server.calls.count < 40, "\(server.calls.count)")
  }

  // MARK: Crossref

  /// Every answer names a next page; the one after the last is empty.
  private static func works(_ call: AnswerServer.Call, count: Int, lost: Int? = nil) -> String {
    let cursor = call.parameters["cursor"] ?? ""
    let begin = cursor == "*" ? 0 : Int(String(cursor.filter(\.isNumber))) ?? count
    let end = min(count, begin + (call.number("rows") ?? 20))
    let items =
      begin == lost
      ? []
      : (begin..<max(begin, end)).map { number in
        """
        {"DOI": "10.5555/W\(number)", "type": "journal-article", "title": ["Work \(number)"], \
        "URL": "https://doi.example/10.5555/w\(number)", "is-referenced-by-count": \(number % 7), \
        "author": [{"given": "A", "family": "B", "sequence": "first"}, {"name": "A group"}], \
        "created": {"date-time": "2026-01-01T00:00:00Z"}}
        """
      }
    return """
      {"status": "ok", "message": {"total-results": \(count), "next-cursor": "c \(end)+/=", \
      "items": [\(items.joined(separator: ","))]}}
      """
  }

  @Test("has every work that a filter finds, and says so where an empty answer stands in the way")
  func crossref() async throws {
    for (lost, status) in [(nil, 0), (500, 3)] as [(Int?, Int32)] {
      let server = AnswerServer { .json(Self.works($0, count: 1_203, lost: lost)) }
      let home = Home()
      await home.trawl(
        "run", "crossref", "--set", "filter=issn:2167-8359", "--endpoint", server.origin,
        ends: status)
      let verdict = lost == nil ? "complete" : "incomplete"
      #expect(try Set(home.tables.verdicts().values) == [verdict])
      #expect(try home.count("crossref_works") == lost ?? 1_203)
      #expect(try home.count("crossref_authors") == 2 * (lost ?? 1_203))
      #expect(server.calls.allSatisfy { !$0.target.contains("mailto") })
    }
  }
}
