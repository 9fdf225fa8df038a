import Base
import Store
internal import Testing

@Suite("Rejects that are mapped again")
struct RejectTests {
  let fixture = Fixture()

  @Test("fit when the job's columns do now: whole records and single values, with no request")
  func retry() async throws {
    let strict = [
      Column.id, Column("price", nil, .integer, required: true),
      Column("stock", nil, .integer), Column(name: "host", source: .parameter("host")),
    ]
    let store = try await fixture.open(.things(strict))
    let page = """
      [{"id": 1, "price": 1.5, "stock": 3}, {"id": 2, "price": 2, "stock": 0.5},
       {"id": 3, "price": "free", "stock": 1}]
      """
    let host = [ParameterValue("host", "a.example")]
    let (_, receipts) = try await store.walk([page], stream: "all", of: "box", values: host)
    #expect(receipts[0].summary.counts.all == [1, 0, 0, 0, 0, 2])
    var loose = strict
    loose[1].kind = .real
    loose[2].kind = .real
    try await store.adopt(.things(loose))
    let result = try await store.retried()
    #expect([result.fitted, result.left] == [2, 1])
    #expect(
      try fixture.rows("SELECT id, price, stock, host FROM box_things ORDER BY id")
        == ["1|1.5|3.0|a.example", "2|2.0|0.5|a.example"])
    #expect(try fixture.one("SELECT raw FROM trawl_rejects")?.contains("free") == true)
    #expect(try await store.rejectCount(job: "box") == 1)
    #expect(try await store.prove().rowsHold)
    let again = try await store.retried()
    #expect([again.fitted, again.left] == [0, 1])
  }

  @Test("bring nobody back who has left the list since")
  func hasLeft() async throws {
    func job(_ price: Column) -> Job {
      .things([Column.id, price]) { stream in
        stream.membership = Membership(table: "found", columns: [], keyNames: ["id"])
        stream.marksVanished = true
      }
    }
    let store = try await fixture.open(job(Column("price", nil, .integer, required: true)))
    try await store.walk(
      things: #"[{"id": 1, "price": 1}, {"id": 2, "price": "x"}]"#, verdict: .incomplete)
    try await store.walk(things: #"[{"id": 1, "price": 1}]"#)
    try await store.adopt(job(Column("price")))
    let result = try await store.retried()
    #expect([result.fitted, result.left, result.gone] == [0, 0, 1])
    #expect(try fixture.rows("SELECT id FROM box_things") == ["1"])
    // A reject that the last walk met, too, is not gone.
    try await store.walk(
      things: #"[{"id": 1, "price": 1}, {"id": 3, "price": []}]"#, verdict: .incomplete)
    #expect(try await store.retried().gone == 0)
  }

  @Test("write over nothing that another stream has read since")
  func newer() async throws {
    func job(_ state: Column) -> Job {
      var job = Job.things([Column.id, Column("v")])
      var details = job.streams[0]
      (details.name, details.columns) = ("details", details.columns + [state])
      job.streams.append(details)
      return job
    }
    let store = try await fixture.open(job(Column("state", nil, .integer, required: true)))
    let old = #"[{"id": 1, "v": "old", "state": "x"}, {"id": 2, "v": "old", "state": "x"}]"#
    try await store.walk([old], stream: "details", of: "box", values: [], verdict: .incomplete)
    try await store.walk(things: #"[{"id": 1, "v": "new"}]"#)
    try await store.adopt(job(Column("state")))
    #expect(try await store.retried().fitted == 2)
    #expect(
      try fixture.rows("SELECT id, v, state FROM box_things ORDER BY id")
        == ["1|new|x", "2|old|x"])
    #expect(try await store.prove().rowsHold)
  }

  @Test("leave a value alone that a later answer has filled")
  func filled() async throws {
    let columns = [Column.id, Column("stock", nil, .integer)]
    let store = try await fixture.walked(.things(columns), #"[{"id": 1, "stock": "x"}]"#)
    try await store.walk(things: #"[{"id": 1, "stock": 5}]"#)
    #expect(try await store.rejectCount(job: "box") == 0)
    #expect(try fixture.rows("SELECT stock FROM box_things") == ["5"])
  }

  @Test("are all kept, though they have one key and differ")
  func eachIsKept() async throws {
    let columns = [Column.id, Column("price", nil, .integer, required: true)]
    let store = try await fixture.open(.things(columns))
    let night = #"[{"id": 1, "price": "a"}, {"id": 1, "price": "b"}, {"id": 2}, {"id": 2, "x": 1}]"#
    for _ in 1...2 {
      let (_, receipts) = try await store.walk(things: night)
      #expect(receipts[0].summary.counts.rejected == 4)
      #expect(receipts[0].summary.rejectReason?.hasPrefix("price: ") == true)
    }
    #expect(try fixture.rows("SELECT raw FROM trawl_rejects ORDER BY reject").count == 4)
    // Nor is one cleared by another record with its key that fits.
    let fits = #"[{"id": 9}, {"id": 9, "price": 5}]"#
    try await store.walk(things: fits)
    #expect(try fixture.rows("SELECT raw FROM trawl_rejects").count == 5)
    try await store.walk(things: #"[{"id": 9, "price": 5}]"#)
    // The record of one night replaces that of the last.
    try await store.walk(things: #"[{"id": 1, "price": "c"}]"#)
    #expect(try fixture.rows("SELECT raw FROM trawl_rejects").count == 4)
  }

  @Test("are all kept, though they are equal and have no key, if other values were requested")
  func unnamed() async throws {
    let store = try await fixture.open(.things([Column("id"), Column("v")]))
    for _ in 1...2 {
      for value in ["a", "b"] {
        let values = [ParameterValue("q", value)]
        try await store.walk([#"[{"v": "same"}]"#], stream: "all", of: "box", values: values)
      }
      #expect(try await store.rejectCount(job: "box") == 2)
    }
    let named = Column(name: "id", source: .parameter("q"))
    try await store.adopt(.things([named, Column("v")]))
    #expect(try await store.retried().fitted == 2)
    #expect(try fixture.rows("SELECT id, v FROM box_things ORDER BY id") == ["a|same", "b|same"])
  }

  @Test("leave entries of a nested list alone that may be the ones that do not fit")
  func nested() async throws {
    let job = Job.things([Column.id]) { stream in
      stream.children = [
        ChildTable(
          table: "parts", records: path("parts"), key: ["part"], parentKeyNames: ["thing"],
          columns: [Column("part", nil, .integer)])
      ]
    }
    let store = try await fixture.open(job)
    func walk(_ parts: String) async throws {
      try await store.walk(things: #"[{"id": 1, "parts": \#(parts)}]"#)
    }
    try await walk(#"[{"part": 1}, {"part": 2}, {"part": 3}]"#)
    try await walk(#"[{"part": 1}, {"part": "two"}]"#)
    #expect(try fixture.gone("box_parts", "part") == [])
    try await walk(#"[{"part": 1}, {"part": 2}]"#)
    #expect(try fixture.gone("box_parts", "part") == ["3"])
    // Each is kept until its entry fits.
    let kept = "SELECT column_name, path FROM trawl_rejects ORDER BY 1"
    try await walk(#"[{"part": 1}, {"part": "two"}, {"part": "01"}, {"part": "three"}]"#)
    #expect(
      try fixture.rows(kept)
        == ["box_parts.part|parts.part", "box_parts.part 2|parts", "box_parts.part 3|parts.part"])
    try await walk(#"[{"part": 1}, {"part": "two"}]"#)
    #expect(try fixture.rows(kept) == ["box_parts.part|parts.part"])
  }

  @Test(
    "do not keep a list that is read newest first from stopping, and are remembered till they fit")
  func stretch() async throws {
    let job = Job.things([
      Column.id, Column("at", nil, .time), Column("v", required: true),
    ]) { $0.newestFirst = "at" }
    let store = try await fixture.open(job)
    func open() async throws -> UnitOpening {
      try await store.openAnswers(Unit(stream: "all"), of: "box")
    }
    func night(_ record: String) async throws {
      let opening = try await open()
      let page = #"[{"id": 1, "at": "2026-01-02T00:00:00Z", "v": "x"}, \#(record)]"#
      let receipt = try await store.commit(try Page(page), step: Step(page: 1), of: opening.id)
      let isShort = receipt.summary.counts.rejected > 0
      var certificate = Certificate([receipt], verdict: isShort ? .incomplete : .complete)
      if isShort { certificate.cause = .rejects }
      _ = try await store.certifyAnswers(opening.id, certificate)
    }
    try await night(#"{"id": 2, "at": "2026-01-01T00:00:00Z"}"#)
    let after = try await open()
    #expect(after.lastWhole?.certificate.cause == .rejects)
    #expect(after.lastWhole?.newest == Instant(rfc3339: "2026-01-02T00:00:00Z"))
    #expect(after.memory.isRangeLacking && !after.memory.isRangeProven)
    _ = try await store.certifyAnswers(after.id, Certificate([], verdict: .failed, rule: .loop))
    try await night(#"{"id": 2, "at": "2026-01-01T00:00:00Z", "v": "y"}"#)
    #expect(try await !open().memory.isRangeLacking)
    #expect(try await store.prove().holds)
  }
}

extension RecordStore {
  /// Maps the rejects again, in a run of its own.
  fileprivate func retried() throws(StoreError) -> RetryResult {
    try retryRejects(job: "box", run: newRun(of: "box"))
  }
}

@Suite("Keys that read alike")
struct LikeKeyTests {
  let fixture = Fixture()
  private static let numbers = [Column.id, Column("v", nil, .integer)]

  private func walk(_ store: RecordStore, _ pages: [String]) async throws -> [PageSummary] {
    try await store.walk(pages, stream: "all", of: "box", values: []).1.map(\.summary)
  }

  private func page(_ ids: [String]) -> String {
    let records = ids.enumerated().map { "{\"id\": \($1), \"v\": \($0)}" }
    return "[\(records.joined(separator: ", "))]"
  }

  @Test(
    "and were written as different ones are not merged: the second is a reject, named and kept",
    arguments: [
      (Column.Kind.integer, [#""01""#, #"" 1""#, "1.0", "1"]),
      (.text, [#""k\ud800""#, #""k\ud801""#, #""k\udbff""#, #""k\udfff""#]),
      (.time(digits: 0, zone: nil), [#""2026-01-01T00:00:00.1Z""#, #""2026-01-01T00:00:00.2Z""#]),
      (.url, [#""//a.example/x""#, #""https://a.example/x""#]),
    ])
  func spellings(kind: Column.Kind, ids: [String]) async throws {
    let columns = [Column("id", nil, kind), Column("v", nil, .integer)]
    let store = try await fixture.open(.things(columns))
    for _ in 1...2 {
      // On one page, and on two.
      for pages in [[page(ids)], ids.map { page([$0]) }] {
        let counts = try await walk(store, pages).reduce(into: Counts()) { $0 += $1.counts }
        #expect(counts.rejected == ids.count - 1 && counts.repeated == 0)
      }
    }
    #expect(try fixture.one("SELECT count(*) FROM box_things") == "1")
    let reasons = try fixture.rows("SELECT reason FROM trawl_rejects")
    #expect(reasons.allSatisfy { $0.hasPrefix("the key reads as ") })
    #expect(try await store.retried().fitted == 0)
    #expect(try await store.prove().rowsHold)
  }

  @Test("and are written in one unusual way throughout are keys like others")
  func usual() async throws {
    let store = try await fixture.open(.things(Self.numbers))
    let pages = [page([#""007""#, #""008""#]), page([#""008""#, "9.0"])]
    for _ in 1...2 {
      #expect(try await walk(store, pages).allSatisfy { $0.counts.rejected == 0 })
    }
    #expect(try fixture.rows("SELECT id FROM box_things ORDER BY id") == ["7", "8", "9"])
  }

  @Test("after a pause are taken as they come: how they were written before it is not known")
  func paused() async throws {
    let store = try await fixture.open(.things(Self.numbers))
    try await store.store(things: page([#""007""#]))
    await store.close()
    let again = try await fixture.open(.things(Self.numbers))
    let (_, receipts) = try await again.store(things: page([#""007""#]))
    #expect(receipts[0].summary.counts.rejected == 0)
  }

  @Test("and stand for different records are counted: on one page, and from page to page")
  func ambiguous() async throws {
    let columns = [
      Column.id, Column("v", nil, .integer),
      Column("views", nil, .integer, volatile: true),
    ]
    let store = try await fixture.open(.things(columns))
    let first = #"[{"id": 1, "v": 1}, {"id": 1, "v": 2}, {"id": 2, "v": 1}, {"id": 2, "v": 1}]"#
    let second = #"[{"id": 1, "v": 2}, {"id": 2, "v": 5}, {"id": 3, "views": 1}]"#
    let third = #"[{"id": 3, "views": 2}]"#
    for _ in 1...2 {
      let pages = try await walk(store, [first, second, third])
      #expect(pages.map(\.keyClashes.onPage) == [1, 0, 0])
      #expect(pages.map(\.keyClashes.acrossPages) == [0, 1, 0])
      #expect(pages[0].keyClashes.example == "1" && pages[1].keyClashes.example == "2")
    }
    #expect(
      try fixture.rows("SELECT ambiguous, altered, ambiguous_key FROM trawl_pages")
        == ["1|0|1", "0|1|2", "0|0|-"])
    // Volatile values do not change within one answer.
    let volatile = #"[{"id": 7, "views": 1}, {"id": 7, "views": 2}]"#
    #expect(try await walk(store, [volatile])[0].keyClashes.onPage == 1)
  }

  @Test("and stand for different entries of one record's list are counted, too")
  func entries() async throws {
    let parts = ChildTable(
      table: "parts", records: path("parts"), key: ["n"], parentKeyNames: ["thing_id"],
      columns: [Column("n", nil, .integer), Column("v", nil, .integer)])
    let store = try await fixture.open(.things([Column.id]) { $0.children = [parts] })
    let entries = #"[{"n": 1, "v": 1}, {"n": 1, "v": 2}, {"n": 2, "v": 1}, {"n": 2, "v": 1}]"#
    let clashes = try await walk(store, [#"[{"id": 7, "parts": \#(entries)}]"#])[0].keyClashes
    #expect(clashes.onPage == 1 && clashes.example == "box_parts [7,1]")
  }
}
