import Base
@testable import Store
import TestSupport
internal import Testing

@Suite("A value of an answer")
struct MappingTests {
  let fixture = Fixture()

  struct Case: CustomTestStringConvertible, Sendable {
    var kind: Column.Kind
    var json: String
    /// Class and value as stored; nil is NULL.
    var stored: String?
    var isMisfit: Bool

    init(_ kind: Column.Kind, _ json: String, _ stored: String?, isMisfit: Bool = false) {
      (self.kind, self.json, self.stored, self.isMisfit) = (kind, json, stored, isMisfit)
    }

    var testDescription: String { "\(kind): \(json)" }
  }

  static let cases: [Case] = [
    Case(.integer, "7", "integer 7"),
    Case(.integer, #""3331930783""#, "integer 3331930783"),
    Case(.integer, "6.0E7", "integer 60000000"),
    Case(.integer, #""6.0E7""#, "integer 60000000"),
    Case(.integer, "20000.0", "integer 20000"),
    Case(.integer, "-0", "integer 0"),
    Case(.integer, "9007199254740993", "integer 9007199254740993"),
    Case(.integer, "9007199254740993.0", "integer 9007199254740993"),
    Case(.integer, "9223372036854775807", "integer 9223372036854775807"),
    Case(.integer, "-9223372036854775808", "integer -9223372036854775808"),
    Case(.integer, "9223372036854775808", nil, isMisfit: true),
    Case(.integer, "18446744073709551616", nil, isMisfit: true),
    Case(.integer, #""9223372036854775808""#, nil, isMisfit: true),
    Case(.integer, "7.5", nil, isMisfit: true),
    Case(.integer, "1e400", nil, isMisfit: true),
    Case(.integer, #""many""#, nil, isMisfit: true),
    Case(.integer, "true", nil, isMisfit: true),
    Case(.integer, "[1]", nil, isMisfit: true),
    Case(.integer, #""""#, nil),
    Case(.integer, "null", nil),
    Case(.text, #""a\u0000b""#, "text a\0b"),
    Case(.text, "18446744073709551616", "text 18446744073709551616"),
    Case(.text, "1.0", "text 1.0"),
    Case(.text, "-0", "text -0"),
    Case(.text, "false", "text false"),
    Case(.text, "{}", nil, isMisfit: true),
    Case(.text, #""none""#, nil),
    Case(.real, "1", "real 1.0"),
    Case(.real, #""2.5""#, "real 2.5"),
    Case(.real, "-0.0", "real 0.0"),
    Case(.real, "1e400", nil, isMisfit: true),
    Case(.boolean, "true", "integer 1"),
    Case(.boolean, "0", "integer 0"),
    Case(.boolean, #""true""#, "integer 1"),
    Case(.boolean, #""false""#, "integer 0"),
    Case(.boolean, "2", nil, isMisfit: true),
    Case(.boolean, #""maybe""#, nil, isMisfit: true),
    Case(.json, #"{"b": [1, {"a": null}]}"#, #"text {"b":[1,{"a":null}]}"#),
    Case(.json, #""x""#, #"text "x""#),
    Case(.json, "null", nil),
    Case(.url, #""https://a.example/x?y=1#z""#, "text https://a.example/x?y=1#z"),
    Case(.url, #""//a.example/x""#, "text https://a.example/x"),
    Case(.url, #"" HTTP://a.example/a b.png ""#, "text HTTP://a.example/a%20b.png"),
    Case(.url, #""/relative.png""#, nil, isMisfit: true),
    Case(.url, #""javascript:alert(1)""#, nil, isMisfit: true),
    Case(.url, #""https://a.example/\u000a""#, "text https://a.example/"),
    Case(.url, "7", nil, isMisfit: true),
  ]

  @Test("is stored in the class of its column, or as NULL beside a reject", arguments: cases)
  func types(entry: Case) async throws {
    let store = try await fixture.open(
      .things([Column.id, Column("v", nil, entry.kind, absent: ["none"])]))
    let (_, receipts) = try await store.store(things: #"[{"id": 1, "v": \#(entry.json)}]"#)
    let stored = try fixture.read { connection in
      try connection.row("SELECT typeof(v), v FROM box_things") { row in
        row.isNull(1) ? nil : "\(row.text(0) ?? "") \(row.text(1) ?? "")"
      } ?? nil
    }
    #expect(stored == entry.stored)
    #expect(receipts[0].summary.counts.new == 1)
    #expect(
      try fixture.one("SELECT field_rejects FROM trawl_pages") == (entry.isMisfit ? "1" : "0"))
    #expect(try fixture.rows("SELECT raw FROM trawl_rejects").count == (entry.isMisfit ? 1 : 0))
    #expect(try await store.prove().holds)
  }

  @Test("is taken from the first path that reaches one that is not absent")
  func alternatives() async throws {
    let page = """
      [{"id": 1, "a": {"x": "", "y": "why"}}, {"id": 2, "a": {"x": "ex", "y": "why"}},
       {"id": 3, "b": "bee"}, {"id": 4}]
      """
    let v = Column("v", "a.x | a.y | b", absent: [""])
    _ = try await fixture.walked(.things([Column.id, v]), page)
    #expect(
      try fixture.rows("SELECT id, v FROM box_things ORDER BY id")
        == ["1|why", "2|ex", "3|bee", "4|-"])
  }

  @Test("that the key or a required column lacks rejects the record, and the page goes on")
  func rejects() async throws {
    let store = try await fixture.open(
      .things([Column.id, Column("v", nil, .integer, required: true)]))
    let page = """
      [{"id": 1, "v": 1}, {"v": 2}, {"id": "x", "v": 3}, {"id": 4}, {"id": 5, "v": {}},
       {"id": 6, "v": 6}]
      """
    let (_, receipts) = try await store.store(things: page)
    #expect(receipts[0].summary.counts.all == [2, 0, 0, 0, 0, 4])
    #expect(receipts[0].summary.unseen == 6)
    #expect(
      try fixture.rows("SELECT path, raw FROM trawl_rejects ORDER BY reject")
        == [
          #"id|{"v":2}"#, #"id|{"id":"x","v":3}"#, #"v|{"id":4}"#, #"v|{"id":5,"v":{}}"#,
        ])
    _ = try await store.walk(things: page)
    #expect(try await store.rejectCount(job: "box") == 4)
    let (_, later) = try await store.store(things: #"[{"id": 4, "v": 4}, {"id": 5, "v": 5}]"#)
    #expect(later[0].summary.counts.new == 2)
    #expect(try fixture.one("SELECT count(*) FROM trawl_rejects") == "2")
  }

  @Test("that is dropped by keep is counted, not stored, and not rejected")
  func keep() async throws {
    let job = Job.things([Column("id"), Column("title", required: true)]) {
      $0.keep = "title <> '[Removed]' AND id NOT LIKE '%removed.com'"
    }
    let store = try await fixture.open(job)
    let page = """
      [{"id": "a", "title": "A"}, {"id": "https://removed.com", "title": "[Removed]"},
       {"id": "https://removed.com"}, {"id": "b"}]
      """
    let (_, receipts) = try await store.store(things: page)
    #expect(receipts[0].summary.counts.all == [1, 0, 0, 0, 2, 1])
    #expect(receipts[0].summary.unseen == 3)
  }

  @Test("that keep calls false is dropped: 0.5 is true, as in SQLite, and NULL decides nothing")
  func truth() async throws {
    let job = Job.things([Column.id, Column("part", nil, .real)]) { $0.keep = "part" }
    let page = #"[{"id": 1, "part": 0.5}, {"id": 2, "part": 0}, {"id": 3}, {"id": 4, "part": 2}]"#
    _ = try await fixture.walked(job, page)
    #expect(try fixture.rows("SELECT id FROM box_things ORDER BY id") == ["1", "3", "4"])
  }

  @Test("that is an address has no fragment and no tracking in its plain form")
  func plainURL() {
    for (url, plain) in [
      ("https://a.example/x?utm_source=s&b=1&fbclid=2&c&gclid=3#top", "https://a.example/x?b=1&c"),
      ("https://a.example/x?gclid=1&fbclid=2", "https://a.example/x"),
      ("https://a.example/x?fbclids=1", "https://a.example/x?fbclids=1"),
    ] { #expect(PlainURL.of(url) == plain) }
  }

  @Test("goes through the SQL expression of its column, which sees the others by name")
  func expressions() async throws {
    let job = Job.things([
      Column(
        "id", "thumb",
        expression: """
          CASE WHEN instr(value, '/vi/') THEN substr(value, instr(value, '/vi/') + 4, 11)
          ELSE trawl_digest(value, title) END
          """),
      Column("title"), Column("thumb"), Column("price", nil, .integer, expression: "value * 100"),
    ])
    let store = try await fixture.open(job)
    let page = """
      [{"thumb": "https://i.example/vi/abcdefghijk/hq.jpg", "title": "A", "price": 2},
       {"title": "B", "price": 3.0}, {"title": "C"}]
      """
    let (_, receipts) = try await store.walk(things: page)
    #expect(receipts[0].summary.counts.all == [3, 0, 0, 0, 0, 0])
    #expect(
      try fixture.rows("SELECT length(id), title, price FROM box_things ORDER BY title")
        == ["11|A|200", "16|B|300", "16|C|-"])
    let again = try await store.walk(things: page).1[0].summary.counts
    #expect(again.all == [0, 0, 3, 0, 0, 0])
  }

  @Test("that an expression cannot take costs its record alone, and the reject says why")
  func misfits() async throws {
    func rejects(_ columns: [Column], keep: String? = nil) async throws -> [String] {
      let fixture = Fixture()
      let page = """
        [{"id": 1, "n": -5, "h": 4}, {"id": 2, "n": -9223372036854775808, "h": 2},
         {"id": 3, "n": 1, "h": 3}]
        """
      _ = try await fixture.walked(.things([Column.id] + columns) { $0.keep = keep }, page)
      let reasons = try fixture.rows("SELECT reason FROM trawl_rejects ORDER BY reject")
      #expect(try fixture.one("SELECT count(*) FROM box_things") == "\(3 - reasons.count)")
      return reasons
    }
    let absolute = Column("n", nil, .integer, expression: "abs(value)")
    let half = Column("h", nil, .integer, expression: "value / 2.0")
    let overflow = "the SQL expression failed: integer overflow"
    let fraction = "h: the number is not whole"
    #expect(try await rejects([absolute]) == ["n: \(overflow)"])
    #expect(try await rejects([half]) == [fraction])
    #expect(try await rejects([absolute, half]) == ["n or h: \(overflow)", fraction])
    #expect(
      try await rejects([Column("n", nil, .integer)], keep: "abs(n) > 0") == ["keep: \(overflow)"])
  }

  @Test(
    "is never given to an expression that is not one, or calls what is not listed",
    arguments: [
      ("value, 1 AS x (2", "syntax"), ("(SELECT 1)", "subqueries"), ("random()", "random"),
      ("load_extension('x')", "load_extension"), ("nosuch", "no such column"),
      ("1) , y AS (2", "more than one"), ("count(*)", "count"), ("value /*", "incomplete"),
      ("lower(readfile('/etc/passwd'))", "readfile"), ("datetime('now')", "datetime"),
    ])
  func proofs(expression: String, word: String) async throws {
    let job = Job.things([Column("id"), Column("v", nil, .text, expression: expression)])
    let problems = ExpressionProof.problems(in: job)
    #expect(problems.count == 1)
    #expect(problems[0].contains(word), "\(problems[0])")
    await #expect(throws: StoreError.self) { _ = try await fixture.open(job) }
    let kept = Job.things([Column("id"), Column("v")]) { $0.keep = "nosuch > 1" }
    let said = ExpressionProof.problems(in: kept)
    #expect(said.count == 1 && said[0].hasPrefix("stream all, keep: "), "\(said)")
  }

  @Test("of a column from the request, a constant and a filled text is part of the row")
  func request() async throws {
    let job = Job.things(
      [
        Column(name: "host", source: .parameter("host")), Column.id,
        Column(name: "list", source: .constant("all")),
        Column(name: "label", source: .filled(try #require(Template("words {q}")))),
        Column(name: "place", source: .position, kind: .integer),
      ], key: ["host", "id"])
    try await fixture.open(job).store(
      [#"[{"id": 1}, {"id": 2}]"#], stream: "all", of: "box",
      values: [ParameterValue("host", "a.example"), ParameterValue("q", "é")])
    #expect(
      try fixture.rows("SELECT * FROM box_things ORDER BY id").map { $0.prefix(25) }
        == ["a.example|1|all|words é|1", "a.example|2|all|words é|2"])
  }

  @Test("that is an empty text is a value, in a key too, unless the column says that it is none")
  func emptyText() async throws {
    let columns = [
      Column("id"), Column("part"), Column("name"), Column("note", absent: [""]),
      Column("first", "name | id"), Column("count", nil, .integer),
      Column("at", nil, .time(digits: 0, zone: nil), absent: ["0", "1970-01-01T00:00:00Z"]),
    ]
    let store = try await fixture.open(.things(columns, key: ["id", "part"]))
    let page = """
      [{"id": "a", "part": "", "name": "", "note": "", "count": "", "at": 0},
       {"id": "", "part": "", "at": "1970-01-01T00:00:00Z"}, {"id": "b", "name": "n"}]
      """
    let (_, receipts) = try await store.store(things: page)
    #expect(receipts[0].summary.counts.all == [2, 0, 0, 0, 0, 1])
    #expect(
      try fixture.rows("SELECT id, part, name, note, first, count, at FROM box_things ORDER BY id")
        == ["||-|-||-|-", "a|||-||-|-"])
  }

  @Test("that is empty is a value when the request was made with it")
  func emptyRequest() async throws {
    var job = Job.things(
      [Column.id, Column("name"), Column(name: "words", source: .parameter("q"))])
    job.streams[0].membership = Membership(
      table: "found",
      columns: [
        Column(name: "q", source: .parameter("q")), Column(name: "list", source: .constant("")),
      ], keyNames: ["thing_id"])
    try await fixture.open(job).store(
      [#"[{"id": 1}]"#], stream: "all", of: "box", values: [ParameterValue("q", "")])
    #expect(try fixture.rows("SELECT id, name, words FROM box_things") == ["1|-|"])
    #expect(try fixture.rows("SELECT q, list, thing_id FROM box_found") == ["||1"])
  }

  @Test("that a list column lacks leaves the record, and a reject instead of a membership")
  func listColumns() async throws {
    let job = Job.things([Column.id]) {
      $0.membership = Membership(
        table: "found",
        columns: [Column("day", nil, .date), Column(name: "q", source: .parameter("q"))],
        keyNames: ["thing_id"])
    }
    let store = try await fixture.open(job)
    let page = #"[{"id": 1, "day": "2026-01-01"}, {"id": 2}]"#
    let (_, receipts) = try await store.store(
      [page], stream: "all", of: "box", values: [ParameterValue("q", "x")])
    #expect(receipts[0].summary.counts.new == 2)
    #expect(try fixture.one("SELECT field_rejects FROM trawl_pages") == "1")
    #expect(try fixture.rows("SELECT day, q, thing_id FROM box_found") == ["2026-01-01|x|1"])
  }

  @Test("of a nested list fills the child table, and an entry that goes is marked")
  func children() async throws {
    let job = Job.things([Column.id, Column("name")]) {
      $0.children = [
        ChildTable(
          table: "images", records: path("images"), key: ["id"], parentKeyNames: ["thing_id"],
          columns: [Column.id, Column("url", nil, .url)]),
        ChildTable(
          table: "vendors", records: path("vendor"), key: ["id"], parentKeyNames: [],
          columns: [Column.id, Column("name")]),
      ]
    }
    let store = try await fixture.open(job)
    func page(_ ids: [Int]) -> String {
      let images = ids.map { #"{"id": \#($0), "url": "https://i.example/\#($0)"}"# }
      return """
        [{"id": 1, "name": "A", "images": [\(images.joined(separator: ","))],
          "vendor": {"id": 7, "name": "V"}}]
        """
    }
    try await store.walk(things: page([1, 2, 3]))
    try await store.walk(things: page([1, 3, 4]))
    #expect(
      try fixture.rows(
        "SELECT thing_id, id, vanished_at IS NULL FROM box_images ORDER BY id")
        == ["1|1|1", "1|2|0", "1|3|1", "1|4|1"])
    #expect(try fixture.rows("SELECT id, name FROM box_vendors") == ["7|V"])
    #expect(try await store.prove().holds)
  }

  @Test("in the place of a nested list is no field without a column, whatever it is")
  func notAList() throws {
    let job = Job.things([Column("id")]) {
      $0.children = [
        ChildTable(
          table: "tags", records: path("tags"), key: ["name"], parentKeyNames: ["thing"],
          columns: [Column("name")])
      ]
    }
    for tags in ["[]", "{}", "null", #""none""#, "5"] {
      let record = try #require(JSONValue(text: #"{"id":"a","color":1,"tags":\#(tags)}"#))
      #expect(UnmappedFields(of: [record], stream: job.streams[0]).fields.map(\.path) == ["color"])
    }
  }
}
