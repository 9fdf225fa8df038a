import Base
import Crawl
import TestSupport
import Testing

@Suite("A list that was not read to its end, where the job file is corrected")
struct EditedEndTests {
  private static let times = #"window: { from: "?since", to: "?until", on: "at" },"#
  private static let one = #"pages: { by: "single" },"#
  private static let counted = #"\#(times) \#(Notes.numbered) total: "total counted","#

  struct Edit: Sendable, CustomTestStringConvertible {
    var name: String
    var before: String
    var after: String
    /// The most records that the API gives of one list.
    var most = Int.max
    /// The most days that it answers at once.
    var days = Int.max
    var isCounted = false
    var testDescription: String { name }
  }

  private static let edits = [
    Edit(name: "pages", before: times + one, after: times + Notes.numbered),
    Edit(name: "a cap", before: counted, after: "\(counted) cap: 10,", most: 10, isCounted: true),
    Edit(
      name: "an error", before: #"\#(counted) errors: [{ status: 422, then: "empty" }],"#,
      after: #"\#(counted) errors: [{ status: 422, then: "cap" }],"#, days: 10, isCounted: true),
  ]

  private static func exchange(_ notes: [Notes.Note], _ edit: Edit) -> ScriptedExchange {
    .answering { request, _ in
      let ends = ["since", "until"].compactMap { request[$0].flatMap { Instant(rfc3339: $0) } }
      if ends.count == 2, (ends[1] - ends[0]).inSeconds > Double(edit.days) * 86_400 {
        return .json(request, status: 422)
      }
      // cut: what the API gives of one list
      let found = Array(Notes.found(request, of: notes).prefix(edit.most))
      let total = edit.isCounted ? found.count : nil
      return .json(request, listing(Notes.page(request, of: found), total: total))
    }
  }

  @Test("is read whole by the same backfill", arguments: edits)
  func backfilled(edit: Edit) async throws {
    let gallery = Gallery()
    let now = gallery.time.now
    let exchange = Self.exchange(Notes.daily(23, before: now), edit)
    let range = TimeWindow(from: now - Duration.day * 40, to: now)
    func stored(_ more: String) async throws -> Int {
      try await gallery.backfill(try Notes.job(more), exchange, range)
      #expect(try await gallery.proves())
      return try gallery.rows("SELECT id FROM forge_notes").count
    }
    #expect(try await stored(edit.before) < 23)
    #expect(try await stored(edit.after) == 23)
    let asked = exchange.asked.count
    #expect(try await stored(edit.after) == 23)
    #expect(exchange.asked.count == asked, "and nothing twice")
  }

  @Test("is told by the next run, with what a backfill had read of earlier times")
  func told() async throws {
    let gallery = Gallery()
    let now = gallery.time.now
    let edit = Self.edits[0]
    let exchange = Self.exchange(Notes.daily(23, before: now), edit)
    let from = now - Duration.day * 40
    try await gallery.backfill(
      try Notes.job(edit.before), exchange, TimeWindow(from: from, to: now))
    let job = try Notes.job(edit.after)
    func warnings() async throws -> [String] {
      try await gallery.run(job, exchange, then: .day).facts.warnings
    }
    let told = try await warnings()
    #expect(
      told.contains { $0.hasSuffix("trawl backfill \(job.word) --from \(from.day)") }, "\(told)")
    #expect(try await warnings().isEmpty, "once")
  }

  private static let newestFirst = #"order: "at falling", \#(Notes.numbered) total: "total "#

  @Test(
    "is read whole by the next run, whether runs read it by time or down to what they know",
    arguments: [
      (Edit(name: "by time", before: times + one, after: times + Notes.numbered), 5),
      (
        Edit(
          name: "newest first", before: #"\#(newestFirst)counted","#,
          after: #"\#(newestFirst)steady","#, most: 10, isCounted: true), 10
      ),
    ])
  func read(edit: Edit, count: Int) async throws {
    let gallery = Gallery()
    let notes = Notes.daily(23, before: gallery.time.now)
    var all = edit
    all.most = .max
    for (more, exchange, expected) in [
      (edit.before, Self.exchange(notes, edit), count),
      (edit.before, Self.exchange(notes, edit), count),
      (edit.after, Self.exchange(notes, all), 23),
    ] {
      _ = try await gallery.run(try Notes.job(more), exchange, then: .day)
      #expect(try gallery.rows("SELECT id FROM forge_notes").count == expected)
      #expect(try await gallery.proves())
    }
  }

  @Test("is asked for again where the rule that called it out of reach is gone")
  func outOfReach() async throws {
    let gallery = Gallery()
    let now = gallery.time.now
    let notes = Notes.daily(23, before: now)
    func stored(_ more: String, reach: Int) async throws -> Int {
      let exchange = ScriptedExchange.answering { request, _ in
        let since = request["since"].flatMap { Instant(rfc3339: $0) } ?? now
        if since < now - Duration.day * reach { return .json(request, status: 422) }
        let found = Notes.found(request, of: notes)
        return .json(request, listing(Notes.page(request, of: found), total: found.count))
      }
      let range = TimeWindow(from: now - Duration.day * 40, to: now)
      try await gallery.backfill(try Notes.job(more), exchange, range)
      #expect(try await gallery.proves())
      return try gallery.rows("SELECT id FROM forge_notes").count
    }
    let refused = #"\#(Self.counted) errors: [{ status: 422, then: "gap" }],"#
    #expect(try await stored(refused, reach: 10) < 23)
    #expect(try await stored(refused, reach: 99) < 23, "once refused, never asked again")
    #expect(try await stored(Self.counted, reach: 99) == 23)
  }

  @Test("is requested again for every record of a parent, and then no more")
  func ofParents() async throws {
    let gallery = Gallery()
    let exchange = ScriptedExchange.json { request, _ in
      if request.lastPart == "shops" { return listing([#"{"name":"a"}"#, #"{"name":"b"}"#]) }
      let all = (1...12).map { #"{"id":"\#(request.lastPart)\#($0)"}"# }
      let page = max(1, request.number("page") ?? 1)
      return listing(all.dropFirst((page - 1) * 5).prefix(5))
    }
    func stored(_ pages: String) async throws -> Int {
      let job = try Job.file(
        """
        shops: { get: "/shops", \(Self.one) records: "items", key: ["name"], columns: ["name"] },
        things: {
          for: { each: "shops.name", when: "new" }, get: "/things/{name}", \(pages) records: "items",
          key: ["id"], columns: ["id"],
        },
        """, name: "town")
      _ = try await gallery.run(job, exchange, then: .day)
      #expect(try await gallery.proves())
      return try gallery.rows("SELECT id FROM town_things").count
    }
    #expect(try await stored(Self.one) == 10)
    #expect(try await stored(Notes.numbered) == 24)
    let asked = exchange.asked.count
    #expect(try await stored(Notes.numbered) == 24)
    #expect(exchange.asked.count == asked + 1, "only the shops")
  }
}
