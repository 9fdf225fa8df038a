import Base
import Crawl
import Store
import TestSupport
import Testing

@Suite("A list that the API cuts at its cap")
struct CappedListTests {
  private static func job(_ more: String = "") throws -> Job {
    try Notes.job(
      """
      window: { from: "?since", to: "?until", on: "at", overlap: "1h" }, \(Notes.numbered)
      total: "total counted", cap: 10, \(more)
      """)
  }

  @Test("is limited until windows have read on from where it was cut, and then as they are")
  func filled() async throws {
    let gallery = Gallery()
    let job = try Self.job(#"order: "at falling","#)
    let begin = gallery.time.now
    let exchange = Notes.pages(of: Notes.daily(22, before: begin), most: 10)
    let trust = "SELECT verdict FROM trawl_trust"
    for _ in 0..<2 {
      _ = try await gallery.run(job, exchange, then: .day)
      #expect(try gallery.rows(trust) == ["limited"])
    }
    let range = TimeWindow(from: begin - .seconds(86_400 * 40), to: gallery.time.now)
    _ = try await gallery.run(job, exchange) { $0.window = range }
    #expect(try gallery.rows("SELECT count(*) FROM forge_notes") == ["22"])
    #expect(try gallery.rows(trust) == ["complete"])
    #expect(try await gallery.proves())
  }

  @Test("in no known order is limited until then too: each run and each proof says so")
  func unordered() async throws {
    let gallery = Gallery()
    let job = try Self.job()
    let begin = gallery.time.now
    let exchange = Notes.pages(of: Notes.daily(22, before: begin), most: 10)
    let first = try await gallery.run(job, exchange, then: .day)
    #expect(first.facts.outcome.kinds == [.lessThanDeclared])
    let second = try await gallery.run(job, exchange, then: .day).facts.outcome
    #expect(second.kinds == [.asDeclared])
    #expect(second.sentence == "as before: notes is still limited (ceiling)")
    let proof = try await gallery.store { try await $0.prove() }
    #expect(proof.holds && Array(proof.verdicts.values) == ["limited"])
    let range = TimeWindow(from: begin - .seconds(86_400 * 40), to: gallery.time.now)
    let filled = try await gallery.run(job, exchange) { $0.window = range }
    #expect(filled.facts.outcome.sentence == "complete")
    // Read whole, it is cut again.
    _ = try await gallery.run(job, exchange) { $0.isRefill = true }
    #expect(try gallery.rows("SELECT verdict, rows FROM trawl_trust") == ["complete|22"])
    #expect(try await gallery.proves())
  }

  @Test(
    "names how many of a day are missing where no shorter stretch can be asked for, if a total tells",
    arguments: [(35, "15 of the 35 records of"), (20, "20 records were received for")])
  func missing(total: Int, told: String) async throws {
    let gallery = Gallery()
    let job = try Notes.job(
      """
      window: { from: "?from", to: "?to", form: "date in UTC", on: "at" }, total: "total counted",
      cap: 20, pages: { by: "offset", to: "?offset", size: "?limit=5" },
      """)
    let begin = gallery.time.now
    let exchange = ScriptedExchange.json { request, _ in
      let day = "\(begin - .seconds(86_400))".prefix(10)  // cut: the date
      let isAsked = day >= request["from"] ?? "" && day <= request["to"] ?? "9"
      let found = isAsked ? Array(1...35) : []
      let (offset, size) = (request.number("offset") ?? 0, request.number("limit") ?? 5)
      return listing(
        found.prefix(20).dropFirst(offset).prefix(size)
          .map { #"{"id":\#($0),"at":"\#(day)T01:02:03Z"}"# }, total: isAsked ? total : 0)
    }
    let range = TimeWindow(from: begin - .seconds(86_400 * 3), to: begin)
    _ = try await gallery.run(job, exchange) { $0.window = range }
    #expect(try gallery.rows("SELECT count(*) FROM forge_notes") == ["20"])
    let why = try gallery.rows("SELECT why FROM trawl_trust").first ?? ""
    #expect(why.hasPrefix(told), "\(why)")
    #expect(try gallery.rows("SELECT verdict FROM trawl_trust") == ["limited"])
  }
}
