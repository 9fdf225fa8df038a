import Base
import Crawl
import TestSupport
import Testing

@Suite("What lies at the ends of windows")
struct WindowEndTests {
  private static func shelf() -> (Gallery, BookServer) {
    let gallery = Gallery()
    let server = BookServer(gallery.time)
    for number in 0..<9 { server.publish(100 + number, by: 1, ago: Duration.day * (20 + number)) }
    return (gallery, server)
  }

  @Test(
    "has what is listed late within its overlap, whichever runs and backfills come between",
    arguments: UInt64(0)..<12)
  func listedLate(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let (gallery, server) = Self.shelf()
    let job = try server.job()
    _ = try await gallery.run(job, server.exchange)
    for number in 0..<16 {
      // After the last covered end, but listed only now.
      let gap = Int64.random(in: 60..<1800, using: &random)
      gallery.time.advance(by: .seconds(gap))
      let late = Int64.random(in: gap..<3500, using: &random)
      server.publish(900 + number, by: 1, ago: .seconds(late))
      gallery.time.advance(by: .seconds(Int64.random(in: 60..<20_000, using: &random)))
      let now = gallery.time.now
      let range = TimeWindow(from: now - Duration.day * 5, to: now)
      if Bool.random(using: &random) {
        try await gallery.backfill(job, server.exchange, range, of: ["books"])
      } else {
        _ = try await gallery.run(job, server.exchange)
      }
    }
    gallery.time.advance(by: .day)
    let left = try await gallery.run(job, server.exchange)
    #expect(left.verdicts.allSatisfy { $0 == .complete })
    #expect(try gallery.books() == server.ids, "seed \(seed)")
  }

  @Test("is unfinished as a list while nothing was read between two windows")
  func hole() async throws {
    let (gallery, server) = Self.shelf()
    let job = try server.job(needsWindow: true)
    let now = gallery.time.now
    for (from, to, claim) in [
      (30, 20, "complete|"), (12, 5, "unfinished|nothing was read from"), (20, 12, "complete|"),
    ] {
      let range = TimeWindow(from: now - Duration.day * from, to: now - Duration.day * to)
      try await gallery.backfill(job, server.exchange, range)
      let trust = try gallery.rows(
        "SELECT verdict, why FROM trawl_trust WHERE table_name = 'shelf_books'")
      #expect(trust.count == 1 && trust[0].hasPrefix(claim), "\(trust)")
    }
    #expect(try await gallery.proves())
  }

  @Test("is asked for again where the job has named a wrong step")
  func step() async throws {
    let gallery = Gallery()
    let now = gallery.time.now
    // One in the middle of each hour.
    let notes = (0..<60).map { (id: $0, at: now - .seconds(3600 * Int64($0) + 1800)) }
    let exchange = ScriptedExchange.json { request, _ in
      let found = Notes.found(request, of: notes)
      return listing(found.map { #"{"id":\#($0.id),"at":"\#($0.at)"}"# }, total: found.count)
    }
    func stored(step: String) async throws -> Int {
      let job = try Notes.job(
        """
        window: { from: "?since", to: "?until", on: "at", step: "\(step)" }, cap: 10,
        total: "total counted", pages: { by: "single" },
        """)
      let range = TimeWindow(from: now - .seconds(60 * 3600), to: now)
      try await gallery.backfill(job, exchange, range)
      return try gallery.rows("SELECT id FROM forge_notes").count
    }
    #expect(try await stored(step: "1h") < 60)
    #expect(try await stored(step: "1s") == 60)
  }
}
