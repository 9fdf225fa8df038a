import Base
import Crawl
import TestSupport
import Testing

/// What replaces one entry of a list.
private enum Broken: String, CaseIterable, Sendable {
  case null, text, number, missing, nullInside, listInside

  /// An entry whose record should be at `node`.
  var entry: String {
    switch self {
    case .null: "null"
    case .text: #""x""#
    case .number: "5"
    case .missing: #"{"cursor":"c"}"#
    case .nullInside: #"{"node":null}"#
    case .listInside: #"{"node":[]}"#
    }
  }
}

@Suite("An entry of a list with nothing behind it")
struct BrokenEntryTests {
  private static func job(
    _ records: String, _ change: (inout Base.Stream) throws -> Void = { _ in }
  ) throws -> Job {
    var stream = try Base.Stream("things", "/things")
    stream.records = try JSONPath(records)
    try change(&stream)
    return try Job("broken", stream)
  }

  /// Two pages of entries.
  private static func exchange(
    _ pages: [[String]], _ around: @escaping @Sendable (String) -> String
  ) -> ScriptedExchange {
    .json { request, _ in
      let isSecond = request["token"] != nil
      let list = around("[\(pages[isSecond ? 1 : 0].joined(separator: ","))]")
      return #"{"data":\#(list),"next":\#(isSecond ? "null" : "\"t\"")}"#
    }
  }

  /// Two nights of a list with these entries; returns the last claim.
  private static func walk(_ job: Job, _ exchange: ScriptedExchange) async throws -> (
    verdict: Verdict, cause: Shortfall?, rows: Int, why: String
  ) {
    let gallery = Gallery()
    var last: Certificate?
    for _ in 1...2 {
      last = try await gallery.run(job, exchange, then: .day).facts.units.first?.certificate
    }
    #expect(try await gallery.proves())
    let rows = try gallery.rows("SELECT id FROM broken_things").count
    let certificate = try #require(last)
    return (certificate.verdict, certificate.cause, rows, certificate.why)
  }

  @Test(
    "is rejected, wherever it stands and whatever it is, and its list is not complete",
    arguments: Broken.allCases)
  fileprivate func wildcard(broken: Broken) async throws {
    let job = try Self.job("data.edges.*.node")
    for place in [nil, 0, 1, 2, 3, 4, 5] as [Int?] {
      var entries = (0..<6).map { #"{"node":{"id":\#($0)}}"# }
      if let place { entries[place] = broken.entry }
      let pages = [Array(entries[..<3]), Array(entries[3...])]
      let left = try await Self.walk(job, Self.exchange(pages) { #"{"edges":\#($0)}"# })
      let (verdict, cause): (Verdict, Shortfall?) =
        place == nil ? (.complete, nil) : (.incomplete, .rejects)
      #expect(left.verdict == verdict && left.cause == cause, "\(place ?? -1): \(left)")
      #expect(left.rows == (place == nil ? 6 : 5))
    }
  }

  @Test("is counted in lists of lists, where an empty one is none")
  func lists() async throws {
    let job = try Self.job("data.*.*")
    for (inner, isWhole) in [
      ("null", false), ("7", false), ("[null]", false), ("[]", true), ("{}", true),
    ] {
      let pages = [[#"[{"id":1}]"#, inner], [#"[{"id":2},{"id":3}]"#]]
      let left = try await Self.walk(job, Self.exchange(pages) { $0 })
      #expect((left.verdict == .complete) == isWhole && left.rows == 3, "\(inner): \(left)")
    }
  }

  @Test("may be what a job drops")
  func dropped() async throws {
    let job = try Self.job("data.*.node") { $0.keep = "id IS NOT NULL" }
    let pages = [[#"{"node":{"id":1}}"#, "{}"], [#"{"node":{"id":2}}"#, "null"]]
    let left = try await Self.walk(job, Self.exchange(pages) { $0 })
    // A broken last entry cannot show whether one follows.
    #expect(left.verdict == .unproven && left.rows == 2, "\(left)")
  }

  @Test(
    "of a list within a record is missing there, and so the list of records is not complete",
    arguments: ["parts", "parts.*.node"])
  func nested(records: String) async throws {
    let job = try Self.job("data") { stream in
      stream.children = [
        ChildTable(
          table: "parts", records: try JSONPath(records), key: ["part"], parentKeyNames: ["thing"],
          columns: [try Column("part integer")])
      ]
    }
    let isPlain = records == "parts"
    func entry(_ text: String) -> String { isPlain ? text : #"{"node":\#(text)}"# }
    let broken = ["null", #"{"part":"x"}"#, "{}", #""x""#].map(entry) + (isPlain ? [] : ["null"])
    for place in 0..<4 {
      for text in broken {
        var parts = (0..<4).map { entry(#"{"part":\#($0)}"#) }
        parts[place] = text
        let pages = [
          [#"{"id":1,"parts":[\#(parts[..<2].joined(separator: ","))]}"#],
          [#"{"id":2,"parts":[\#(parts[2...].joined(separator: ","))]}"#, #"{"id":3}"#],
        ]
        let left = try await Self.walk(job, Self.exchange(pages) { $0 })
        #expect(
          left.verdict == .incomplete && left.cause == .rejects && left.rows == 3,
          "\(place) \(text): \(left)")
        #expect(left.why.contains("parts of records were rejected (broken_parts.part: "))
      }
    }
  }

  @Test(
    "of a list within a record that says it is only a part, none is gone, nor is its list complete")
  func part() async throws {
    let job = try Self.job("data") { stream in
      (stream.pager, stream.hasOnePage) = (.single, true)
      stream.children = [
        ChildTable(
          table: "parts", records: try JSONPath("parts.nodes"), key: ["part"],
          parentKeyNames: ["thing"], columns: [try Column("part integer")])
      ]
    }
    let gallery = Gallery()
    func night(_ parts: String, more: Bool) async throws -> Certificate? {
      let info = more ? #","pageInfo":{"hasNextPage":true}"# : ""
      let text = #"{"data":[{"id":1,"parts":{"nodes":[\#(parts)]\#(info)}}]}"#
      let exchange = ScriptedExchange.json { _, _ in text }
      let left = try await gallery.run(job, exchange, then: .day)
      #expect(try await gallery.proves())
      return left.facts.units.first?.certificate
    }
    func gone() throws -> [String] {
      try gallery.rows("SELECT part FROM broken_parts WHERE vanished_at IS NOT NULL")
    }
    let first = try #require(try await night(#"{"part":1},{"part":2}"#, more: true))
    #expect(first.cause == .unread, "\(first.why)")
    #expect(try await night(#"{"part":2},{"part":3}"#, more: true)?.cause == .unread)
    #expect(try gone() == [])
    #expect(try await night(#"{"part":2},{"part":3}"#, more: false)?.verdict == .complete)
    #expect(try gone() == ["1"])
    // A removed entry is noticed.
    try gallery.change("DELETE FROM broken_parts WHERE part = 2")
    #expect(try await !gallery.proves())
  }
}
