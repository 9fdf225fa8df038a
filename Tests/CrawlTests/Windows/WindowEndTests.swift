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

  private static func notes(_ window: String) throws -> Job {
    try Notes.job(
      """
      window: { from: "?since", to: "?until", on: "at", \(window) }, cap: 10,
      total: "total counted", pages: { by: "single" },
      """)
  }

  @Test(
    "is all asked for, whichever step the job names, and where the API leaves out both ends, if the job says so",
    arguments: [
      (#"step: "1s""#, false), (#"step: "1m""#, false), (#"step: "1h""#, false),
      (#"begin: "outside", end: "outside""#, true),
      (#"begin: "outside", end: "outside", step: "1s""#, true),
    ])
  func all(window: String, leavesOutEnds: Bool) async throws {
    let gallery = Gallery()
    let now = gallery.time.now
    // One in the middle of each hour; at its begin, where the ends are what is left out.
    let count: Int64 = leavesOutEnds ? 200 : 60
    let shift: Int64 = leavesOutEnds ? 3600 : 1800
    let notes = (0..<count).map { (id: Int($0), at: now - .seconds(3600 * $0 + shift)) }
    let exchange = Notes.whole(of: notes, leavesOutEnds: leavesOutEnds)
    let range = TimeWindow(from: now - .seconds(count * 3600), to: now)
    try await gallery.backfill(Self.notes(window), exchange, range)
    #expect(try gallery.rows("SELECT count(*) FROM forge_notes") == ["\(count)"])
    #expect(try gallery.rows("SELECT verdict FROM trawl_trust") == ["complete"])
    #expect(try await gallery.proves())
  }

  @Test("has today, where times are days, and what is listed today later on")
  func days() async throws {
    let gallery = Gallery()
    let start = Instant(seconds: gallery.time.now.seconds / 86_400 * 86_400)
    gallery.time.advance(by: start + .seconds(86_400 + 43_200) - gallery.time.now)
    let job = try Self.notes(#"step: "1d""#)
    var notes: [Notes.Note] = []
    for night in 1...3 {
      let today = start + Duration.day * night
      notes += (0..<5).map { (id: night * 10 + $0, at: today) }
      let range = TimeWindow(from: start, to: gallery.time.now)
      try await gallery.backfill(job, Notes.whole(of: notes), range)
      #expect(try gallery.rows("SELECT id FROM forge_notes").count == notes.count)
      notes.append((id: night * 10 + 9, at: today))
      gallery.time.advance(by: .day)
    }
    try await gallery.backfill(
      job, Notes.whole(of: notes), TimeWindow(from: start, to: gallery.time.now))
    #expect(try gallery.rows("SELECT id FROM forge_notes").count == notes.count)
    #expect(try await gallery.proves())
  }

  @Test("is not claimed while records may be listed late, of a list that was read whole either")
  func delay() async throws {
    let gallery = Gallery()
    let job = try Notes.job(
      """
      window: { from: "?since", to: "?until", on: "at", delay: "6h" }, \(Notes.numbered)
      total: "total counted",
      """)
    let exchange = Notes.pages(of: Notes.daily(3, before: gallery.time.now))
    let trust = "SELECT verdict, ifnull(read_from, '-'), ifnull(read_to, '-') FROM trawl_trust"
    _ = try await gallery.run(job, exchange, then: .day)
    #expect(try gallery.rows(trust) == ["complete|-|-"])
    let end = Instant(seconds: gallery.time.now.seconds - 6 * 3600)
    _ = try await gallery.run(job, exchange)
    #expect(try gallery.rows(trust) == ["complete|-|\(end)"])
    let why = try gallery.rows("SELECT why FROM trawl_trust")
    #expect(why.allSatisfy { $0.hasSuffix("; that holds up to \(end)") }, "\(why)")
  }
}
