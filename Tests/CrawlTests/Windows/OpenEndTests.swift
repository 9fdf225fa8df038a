import Base
import Crawl
import TestSupport
import Testing

@Suite("A window whose request names no end")
struct OpenEndTests {
  private static func job() throws -> Job {
    try Notes.job(#"window: { from: "?since", on: "at" }, \#(Notes.numbered)"#)
  }

  private static func notes(_ now: Instant) -> ScriptedExchange {
    let notes = Notes.daily(22, before: now)
    return .json { request, _ in listing(Notes.page(request, of: Notes.found(request, of: notes))) }
  }

  @Test("is filled whole, in as many pages as there are records behind its begin")
  func filled() async throws {
    let gallery = Gallery()
    let now = gallery.time.now
    let exchange = Self.notes(now)
    let range = TimeWindow(from: now - .seconds(86_400 * 40), to: now)
    for _ in 0..<2 {
      let facts = try await gallery.run(Self.job(), exchange) { $0.window = range }.facts
      #expect(facts.outcome.kinds.isDisjoint(with: [.paused, .failed]), "\(facts.outcome)")
    }
    #expect(try gallery.rows("SELECT count(*) FROM forge_notes") == ["22"])
    #expect(exchange.asked.count < 30, "\(exchange.asked.count) requests")
    #expect(try gallery.rows("SELECT count(*) FROM trawl_windows") == ["1"])
  }

  @Test("waits while a walk of its whole list that was broken off is brought to its end")
  func brokenOff() async throws {
    let gallery = Gallery()
    let exchange = Self.notes(gallery.time.now)
    func night(_ change: (inout CrawlOptions) -> Void = { _ in }) async throws {
      gallery.time.advance(by: .day)
      _ = try await gallery.run(Self.job(), exchange, change)
    }
    for _ in 0..<3 { try await night() }
    try await night {
      $0.isRefill = true
      $0.maxRequests = 2
    }
    for _ in 0..<2 { try await night() }
    #expect(try gallery.rows("SELECT verdict FROM trawl_trust") == ["complete"])
    #expect(try await gallery.proves())
  }

  @Test(
    "goes on with what is new while a page of its whole list answers an error each night, and then reads that",
    arguments: [1, 3])
  func stuck(broken: Int) async throws {
    let gallery = Gallery()
    let begin = gallery.time.now
    let isBroken = Locked(false)
    let exchange = ScriptedExchange.answering { request, _ in
      if request["since"] == nil, request.number("page") ?? 1 == broken, isBroken.withLock({ $0 }) {
        return .json(request, status: 500)
      }
      // One more each day.
      let days = (gallery.time.now - begin).components.seconds / 86_400
      let notes = (-20...days).map {
        (id: Int($0) + 100, at: begin + .seconds(86_400 * $0 - 3_600))
      }
      return .json(request, listing(Notes.page(request, of: Notes.found(request, of: notes))))
    }
    func night(_ change: (inout CrawlOptions) -> Void = { _ in }) async throws {
      gallery.time.advance(by: .day)
      _ = try await gallery.run(Self.job(), exchange, change)
    }
    for _ in 0..<2 { try await night() }
    isBroken.withLock { $0 = true }
    try await night { $0.isRefill = true }
    for _ in 0..<6 { try await night() }
    let days = (gallery.time.now - begin).components.seconds / 86_400
    #expect(try gallery.rows("SELECT max(id) >= \(days + 99) FROM forge_notes") == ["1"])
    // Once it answers again, the open reading is finished.
    isBroken.withLock { $0 = false }
    for _ in 0..<12 where try gallery.rows("SELECT verdict FROM trawl_trust") != ["complete"] {
      try await night()
    }
    #expect(try gallery.rows("SELECT verdict FROM trawl_trust") == ["complete"])
    #expect(
      try gallery.rows(
        "SELECT max(certificate) > 6 FROM trawl_certificates JOIN trawl_windows "
          + "USING (window) WHERE window_from = '' AND verdict <> 'failed'") == ["1"])
    #expect(try await gallery.proves())
  }
}
