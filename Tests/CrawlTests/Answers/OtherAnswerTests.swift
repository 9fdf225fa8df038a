import Base
import Crawl
import TestSupport
import Testing

/// Nights of one list whose answers differ in kind from those of the night before.
@Suite("A list whose answers change in kind")
struct OtherAnswerTests {
  private let gallery = Gallery()

  private static func job(_ stream: String) throws -> Job {
    try Job.file(
      """
      things: {
        get: "/things", records: "items", key: ["id"], vanish: "mark", \(stream)
        columns: { id: "id as integer", state: "state" },
      },
      """, name: "shop")
  }

  private static func items(_ ids: some Sequence<Int>) -> String {
    ids.map { #"{"id":\#($0),"state":"here"}"# }.joined(separator: ",")
  }

  private func night(_ job: Job, _ exchange: ScriptedExchange) async throws -> Gallery.Left {
    try await gallery.run(job, exchange, then: .day)
  }

  @Test("loses nothing by one object that comes in its place for a night")
  func oneObject() async throws {
    let job = try Self.job("pages: { by: \"single\" },")
    for isList in [true, true, false, true] {
      let text = "{\"items\":\(isList ? "[\(Self.items(1...16))]" : Self.items([3]))}"
      _ = try await night(job, .json { _, _ in text })
      #expect(
        try gallery.rows("SELECT count(*) FROM shop_things WHERE vanished_at IS NULL") == ["16"])
    }
  }

  @Test("loses what the job's keep leaves out of a page that is read again at the list's end")
  func leftOutOfTheFirstPage() async throws {
    let paged = "pages: { by: \"number\", to: \"?page\", size: 2 }, total: \"total counted\","
    for (keep, left) in [("", []), ("keep: \"id NOT IN (1, 3)\",", ["1", "3"])] {
      let run = try await night(
        Self.job(keep + paged),
        .json { request, _ in
          let from = ((request.number("page") ?? 1) - 1) * 2
          return listing((1...6).dropFirst(from).prefix(2).map { Self.items([$0]) }, total: 6)
        })
      #expect(run.verdicts == [.complete])
      let gone = "SELECT id FROM shop_things WHERE vanished_at IS NOT NULL ORDER BY 1"
      #expect(try gallery.rows(gone) == left)
    }
  }

  @Test(
    "loses what the job's keep leaves out from tonight on, no more than by absence, and has it again afterwards",
    arguments: [(5, 1, true), (60, 60, false), (60, 19, true), (10, 10, false)])
  func leftOutByKeep(count: Int, dropped: Int, isBelieved: Bool) async throws {
    let job = try Self.job("keep: \"state <> 'X'\", pages: { by: \"single\" },")
    func run(_ dropped: Int) async throws -> Gallery.Left {
      let items = (1...count).map { #"{"id":\#($0),"state":"\#($0 <= dropped ? "X" : "x")"}"# }
      return try await night(job, .json { _, _ in listing(items) })
    }
    #expect(try await run(0).verdicts == [.complete])
    let gone = "SELECT id FROM shop_things WHERE vanished_at IS NOT NULL ORDER BY id"
    for _ in 0..<(isBelieved ? 2 : 1) {
      #expect(try await run(dropped).verdicts == [isBelieved ? .complete : .incomplete])
      #expect(try gallery.rows(gone) == (isBelieved ? (1...dropped).map { "\($0)" } : []))
    }
    #expect(try await run(0).verdicts == [.complete])
    #expect(try gallery.rows(gone) == [])
  }

  @Test("loses with a record the entries of its nested lists, and has them again with it")
  func nested() async throws {
    let tags = #"tags: { records: "tags", key: ["t"], parent: { id: "thing" }, columns: ["t"] }"#
    let job = try Self.job("children: { \(tags) }, pages: { by: \"single\" },")
    let gone = "SELECT thing, t FROM shop_tags WHERE vanished_at IS NOT NULL ORDER BY 1, 2"
    for (ids, left) in [([1, 2, 3], []), ([1, 3], ["2|a", "2|b"]), ([1, 2, 3], [])] {
      let items = ids.map { #"{"id":\#($0),"state":"x","tags":[{"t":"a"},{"t":"b"}]}"# }
      let run = try await night(job, .json { _, _ in listing(items) })
      #expect(run.verdicts == [.complete])
      #expect(try gallery.rows(gone) == left)
    }
    #expect(try await gallery.proves())
  }

  @Test("loses no value where a message comes for a night in the place of a record's details")
  func message() async throws {
    let job = try Job.file(
      """
      things: {
        get: "/things", pages: { by: "single" }, records: "items", total: "total counted",
        columns: ["id integer"],
      },
      details: {
        for: { each: "things.id", when: "all" }, get: "/things/{id}/stats", records: ".",
        key: ["id"], columns: [{ id: "{id} as integer" }, "stars integer"], into: "details",
      },
      """, name: "shop")
    for isDown in [false, true, false] {
      let run = try await night(
        job,
        .json { request, _ in
          guard request.lastPart == "stats" else {
            return listing((1...3).map { "{\"id\":\($0)}" }, total: 3)
          }
          let isMessage = isDown && request.address.parts.contains("2")
          return isMessage ? #"{"message":"back soon"}"# : #"{"stars":5}"#
        })
      let details = run.facts.units.first { $0.stream == "details" }?.certificate
      #expect(details?.verdict == (isDown ? .failed : .complete), "\(details?.why ?? "")")
      #expect(try gallery.rows("SELECT stars FROM shop_details") == ["5", "5", "5"])
    }
    #expect(try await gallery.proves())
  }

  @Test("loses what left it where a column of the key says which of the lists of a table it is")
  func lists() async throws {
    let job = try Job.file(
      """
      things: {
        get: "/things/{kind}", pages: { by: "single" }, records: "items", vanish: "mark",
        key: ["kind", "id"], columns: { kind: "{kind}", id: "id as integer" },
      },
      """, name: "shop", head: #"params: { kind: { default: ["a", "b"], about: "a kind" } },"#)
    let gone = "SELECT kind, id FROM shop_things WHERE vanished_at IS NOT NULL"
    for (ids, left) in [([1, 2, 3], []), ([1, 3], ["a|2"]), ([1, 2, 3], [])] {
      let run = try await night(
        job,
        .json { request, _ in
          listing((request.lastPart == "a" ? ids : [1, 2, 3]).map { "{\"id\":\($0)}" })
        })
      #expect(run.verdicts == [.complete, .complete])
      #expect(try gallery.rows(gone) == left)
    }
  }

  @Test("is read by a fresh token where a 304 would lead on by yesterday's")
  func oldToken() async throws {
    let job = try Self.job("pages: { by: \"token\", next: \"next\", to: \"?t\" },")
    let night = Locked(0)
    let exchange = ScriptedExchange.answering { request, _ in
      let now = night.withLock { $0 }
      let query = request.address.query ?? ""
      let (ids, next, tag): (ClosedRange<Int>, String, String)
      if query.isEmpty {
        (ids, next, tag) = (1...3, "\"n\(now)\"", "\"page-1\"")
      } else if query == "t=n\(now)" {
        // New records come after page 1, which is unchanged.
        (ids, next, tag) = (4...5 + now, "null", "\"page-2-\(now)\"")
      } else {
        return .json(request, status: 400)
      }
      let isKnown = request.fields.contains { $0.name == "If-None-Match" && $0.value == tag }
      let body = "{\"items\":[\(Self.items(ids))],\"next\":\(next)}"
      return .whole(
        request, isKnown ? [] : Array(body.utf8), [HeaderField("ETag", tag)],
        status: isKnown ? 304 : 200)
    }
    for count in 5...8 {
      let run = try await self.night(job, exchange)
      #expect(run.verdicts != [.failed])
      #expect(try gallery.rows("SELECT count(*) FROM shop_things") == ["\(count)"])
      night.withLock { $0 += 1 }
    }
  }

  @Test(
    "is failed for one night, and needs nobody, where it was read before and is led in a circle")
  func circle() async throws {
    let job = try Self.job("pages: { by: \"single\" },")
    let isLed = Locked(false)
    let exchange = ScriptedExchange.answering { request, _ in
      if isLed.withLock({ $0 }) {
        return .whole(
          request, [], [HeaderField("Location", request.address.description)], status: 302)
      }
      return .json(request, "{\"items\":[\(Self.items(1...5))]}")
    }
    #expect(try await night(job, exchange).verdicts == [.complete])
    isLed.withLock { $0 = true }
    let bad = try await night(job, exchange)
    #expect(bad.verdicts == [.failed] && !bad.facts.outcome.kinds.contains(.failed))
    isLed.withLock { $0 = false }
    #expect(try await night(job, exchange).verdicts == [.complete])
  }
}
