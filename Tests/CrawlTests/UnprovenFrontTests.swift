import Base
import Crawl
import TestSupport
import Testing

@Suite("A list by token or number that is read newest first")
struct UnprovenFrontTests {
  private let gallery = Gallery()

  private func job() throws -> Job {
    var job = try gallery.job(hasPictures: false)
    job.streams[0].newestFirst = "at"
    job.streams[0].columns.append(try Column("at time"))
    return job
  }

  /// Record n came at noon of day n of the year; three a page.
  private func night(_ newest: Int, isBusy: Bool = false) async throws -> RunFacts {
    let exchange = ScriptedExchange.json { request, number in
      // A record comes between the two readings.
      let from = request.number("token") ?? (isBusy && number > 20 ? newest + 1 : newest)
      return listing(Self.records(from), next: from > 3 ? "\(from - 3)" : nil)
    }
    let facts = try await gallery.run(try job(), exchange, then: .day).facts
    #expect(facts.requests.sent == exchange.asked.count)
    return facts
  }

  private static func records(_ from: Int) -> [String] {
    stride(from: from, to: max(0, from - 3), by: -1).map { key in
      let at = Instant(seconds: 1_767_225_600 + Int64(key) * 86_400)
      return #"{"id":\#(key),"url":"u","at":"\#(at)"}"#
    }
  }

  @Test(
    "is read twice once, which proves it, or again in the night after it moved; every night after by what is new",
    arguments: [(false, "complete", [40, 1, 1, 1, 1]), (true, "unproven", [41, 21, 1, 1, 1])])
  func joined(moves: Bool, first: String, expected: [Int]) async throws {
    var (claims, requests): ([String], [Int]) = ([], [])
    for day in 0..<5 {
      let facts = try await night(60 + day, isBusy: moves && day == 0)
      claims.append(facts.units.last?.certificate.claim ?? "")
      requests.append(facts.requests.sent)
    }
    #expect(claims == [first] + Array(repeating: "complete", count: 4))
    #expect(requests == expected)
  }

  /// Three records a page by number; in a busy night one comes before each further page.
  private func numberedNight(_ day: Int) async throws -> RunFacts {
    let exchange = ScriptedExchange.json { request, number in
      let page = max(1, request.number("page") ?? 1)
      let isBusy = day >= 30 || day == 0 && number > 20
      return listing(Self.records(60 + day + (isBusy ? number - 1 : 0) - 3 * (page - 1)))
    }
    var job = try job()
    job.streams[0].pager = .numbers
    return try await gallery.run(job, exchange, then: .day).facts
  }

  @Test("and number is read whole once in 30 days for its proof, also where it moves each time")
  func busy() async throws {
    var whole: [Int] = []
    var new = 0
    for day in 0..<63 {
      let facts = try await numberedNight(day)
      new += facts.counts.new
      if facts.requests.sent > 20 { whole.append(day) }
      let claim = day == 0 || day >= 30 ? "incomplete (moved)" : "unproven"
      #expect(facts.units.last?.certificate.claim == claim)
    }
    // Night 0 has no whole reading; later nights can continue from one.
    #expect(whole == [0, 1, 30, 60])
    // Records of a reading that starts over are stored nevertheless.
    #expect(try gallery.rows("SELECT count(*) FROM gallery_pictures") == ["\(new)"])
  }

  @Test(
    "is proven in the third night where it rests and its last page is full, then read by what is new"
  )
  func fullLastPage() async throws {
    var job = try job()
    job.streams[0].size = PageSize(parameter: nil, value: 3)
    let exchange = ScriptedExchange.json { request, _ in
      let from = request.number("token") ?? 60
      let records = Self.records(from)
      return from > 3 ? listing(records, next: "\(from - 3)") : listing(records)
    }
    var (claims, requests, forecasts): ([String], [Int], [Int?]) = ([], [], [])
    for _ in 0..<5 {
      forecasts.append(try await gallery.plan(job).lists.first?.requests)
      let facts = try await gallery.run(job, exchange, then: .day).facts
      claims.append(facts.units.last?.certificate.claim ?? "")
      requests.append(facts.requests.sent)
    }
    #expect(claims == ["unproven", "unproven", "complete", "complete", "complete"])
    #expect(requests == [40, 20, 20, 1, 1])
    #expect(forecasts == [nil, 20, 20, 1, 1])
  }
}
