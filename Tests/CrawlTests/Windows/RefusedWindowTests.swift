import Base
import Crawl
import TestSupport
import Testing

/// Four notes a day, and an API that refuses the windows of some times.
private struct RefusedNotes: Sendable {
  let gallery = Gallery()
  let begin: Instant
  let notes: [Notes.Note]
  let exchange: ScriptedExchange
  /// Of the job: what a refusal means.
  var errors = ""

  /// - Parameters:
  ///   - isLate: one of the first day is listed four days later.
  ///   - refuses: by the beginning and the end of a window, and the present time.
  init(
    isLate: Bool = false,
    refuses: @escaping @Sendable (_ from: Instant, _ to: Instant, _ now: Instant) -> Bool
  ) {
    let time = gallery.time
    let begin = time.now
    let notes = (-800..<80).map { (id: $0, at: begin + .seconds(21_600 * Int64($0) + 3600)) }
    (self.begin, self.notes) = (begin, notes)
    exchange = ScriptedExchange.answering { request, _ in
      let ends = ["since", "until"].map { request[$0].flatMap { Instant(rfc3339: $0) } ?? begin }
      if refuses(ends[0], ends[1], time.now) {
        return .json(request, #"{"message":"not available"}"#, status: 400)
      }
      let listed = notes.filter { !isLate || $0.id != 3 || begin + Duration.day * 5 <= time.now }
      let found = Notes.found(request, of: listed).filter { $0.at <= time.now }
      // cut: what the API gives of one list
      return .json(request, listing(Notes.records(found.prefix(20)), total: found.count))
    }
  }

  @discardableResult
  func run(
    _ range: TimeWindow? = nil, then pause: Duration = .zero
  ) async throws -> Gallery.Left {
    let job = try Notes.job(
      """
      query: { since: "{from}", until: "{to}" }, cap: 20, total: "total counted",
      window: { on: "at", step: "1s", overlap: "6h" }, pages: { by: "single" },
      \(errors)
      """)
    return try await gallery.run(job, exchange, then: pause) {
      if let range { ($0.command, $0.window) = ("backfill", range) }
    }
  }

  func lacking(_ range: TimeWindow) throws -> [Int] {
    let stored = Set(try gallery.rows("SELECT id FROM forge_notes").compactMap { Int($0) })
    return notes.filter { range.from <= $0.at && $0.at < range.to }.map(\.id)
      .filter { !stored.contains($0) }
  }
}

@Suite("Windows that an API refuses for good")
struct RefusedWindowTests {
  @Test("do not keep a timer from what is new, and are tried again behind it")
  func timer() async throws {
    let notes = RefusedNotes { from, _, now in from < now - Duration.day * 60 }
    try await notes.run()
    let begin = notes.begin
    try await notes.run(TimeWindow(from: begin - Duration.day * 200, to: begin))
    for _ in 0..<4 {
      notes.gallery.time.advance(by: .day)
      let before = notes.exchange.asked.count
      try await notes.run()
      #expect(try notes.lacking(TimeWindow(from: begin, to: notes.gallery.time.now)) == [])
      #expect(notes.exchange.asked.count - before == 4, "what is new, and three that failed")
    }
  }

  @Test("do not keep a timer from what is newer, where they are the first that it lacks")
  func newest() async throws {
    let begin = VirtualTime().now
    let refused = TimeWindow(from: begin + Duration.day, to: begin + Duration.day * 9)
    let notes = RefusedNotes { from, to, _ in from < refused.to && to > refused.from }
    for _ in 0..<14 { try await notes.run(then: .day) }
    let newest = TimeWindow(from: refused.to, to: notes.gallery.time.now - Duration.day)
    #expect(try notes.lacking(newest) == [])
  }

  @Test("do not keep a backfill from what lies before them")
  func backfill() async throws {
    let begin = VirtualTime().now
    let refused = TimeWindow(from: begin - Duration.day * 52, to: begin - Duration.day * 40)
    let notes = RefusedNotes { from, to, _ in from < refused.to && to > refused.from }
    let range = TimeWindow(from: begin - Duration.day * 150, to: begin)
    // The first request is one of the whole range.
    for _ in 0..<6 { try await notes.run(range, then: .day) }
    let older = TimeWindow(from: range.from, to: refused.from - Duration.day * 10)
    #expect(try notes.lacking(older) == [])
  }

  @Test("as the job says of them are certified once, in the API's words, and never requested again")
  func gap() async throws {
    var notes = RefusedNotes { from, _, now in from < now - Duration.day * 60 }
    notes.errors = #"errors: [{ status: 400, then: "gap" }],"#
    let range = TimeWindow(from: notes.begin - Duration.day * 100, to: notes.begin)
    let first = try await notes.run(range).facts
    #expect(first.outcome.kinds == [.lessThanDeclared])
    #expect(first.warnings.count { $0.contains("a permanent gap") } == 1, "\(first.warnings)")
    let why = try notes.gallery.rows(
      "SELECT why FROM trawl_certificates WHERE rule = 'outOfReach' AND pages = 0")
    #expect(why.count == 2 && why.allSatisfy { $0.contains("not available") }, "\(why)")
    let asked = notes.exchange.asked.count
    let second = try await notes.run(range).facts
    #expect(second.outcome.kinds == [.asDeclared] && notes.exchange.asked.count == asked)
    #expect(second.coverage.map(\.share) == first.coverage.map(\.share))
    #expect(try await notes.gallery.proves())
  }

  @Test("and those that a backfill of a later time left unread are read by the next run, once")
  func unread() async throws {
    let notes = RefusedNotes(isLate: true) { _, _, _ in false }
    let time = notes.gallery.time
    for wait in [Duration.day, Duration.day * 10] { try await notes.run(then: wait) }
    try await notes.run(TimeWindow(from: time.now - Duration.day * 2, to: time.now))
    let trust = "SELECT verdict FROM trawl_trust"
    #expect(try notes.gallery.rows(trust) == ["unfinished"])
    time.advance(by: .day)
    try await notes.run()
    #expect(try notes.lacking(TimeWindow(from: notes.begin, to: time.now)) == [])
    #expect(try notes.gallery.rows(trust) == ["complete"])
    #expect(try await notes.gallery.proves())
    time.advance(by: .day)
    let before = notes.exchange.asked.count
    try await notes.run()
    #expect(notes.exchange.asked.count - before == 1)
  }
}
