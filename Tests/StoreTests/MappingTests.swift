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
    var isMisfit = false
    var testDescription: String { "\(kind): \(json)" }
  }

  static let cases: [Case] = [
    Case(kind: .integer, json: "7", stored: "integer 7"),
    Case(kind: .integer, json: #""3331930783""#, stored: "integer 3331930783"),
    Case(kind: .integer, json: "6.0E7", stored: "integer 60000000"),
    Case(kind: .integer, json: #""6.0E7""#, stored: "integer 60000000"),
    Case(kind: .integer, json: "20000.0", stored: "integer 20000"),
    Case(kind: .integer, json: "-0", stored: "integer 0"),
    Case(kind: .integer, json: "9007199254740993", stored: "integer 9007199254740993"),
    Case(kind: .integer, json: "9007199254740993.0", stored: "integer 9007199254740993"),
    Case(kind: .integer, json: "9223372036854775807", stored: "integer 9223372036854775807"),
    Case(kind: .integer, json: "-9223372036854775808", stored: "integer -9223372036854775808"),
    Case(kind: .integer, json: "9223372036854775808", stored: nil, isMisfit: true),
    Case(kind: .integer, json: "18446744073709551616", stored: nil, isMisfit: true),
    Case(kind: .integer, json: #""9223372036854775808""#, stored: nil, isMisfit: true),
    Case(kind: .integer, json: "7.5", stored: nil, isMisfit: true),
    Case(kind: .integer, json: "1e400", stored: nil, isMisfit: true),
    Case(kind: .integer, json: #""many""#, stored: nil, isMisfit: true),
    Case(kind: .integer, json: "true", stored: nil, isMisfit: true),
    Case(kind: .integer, json: "[1]", stored: nil, isMisfit: true),
    Case(kind: .integer, json: #""""#, stored: nil),
    Case(kind: .integer, json: "null", stored: nil),
    Case(kind: .text, json: #""a\u0000b""#, stored: "text a\0b"),
    Case(kind: .text, json: "18446744073709551616", stored: "text 18446744073709551616"),
    Case(kind: .text, json: "1.0", stored: "text 1.0"),
    Case(kind: .text, json: "-0", stored: "text -0"),
    Case(kind: .text, json: "false", stored: "text false"),
    Case(kind: .text, json: "{}", stored: nil, isMisfit: true),
    Case(kind: .text, json: #""none""#, stored: nil),
    Case(kind: .real, json: "1", stored: "real 1.0"),
    Case(kind: .real, json: #""2.5""#, stored: "real 2.5"),
    Case(kind: .real, json: "-0.0", stored: "real 0.0"),
    Case(kind: .real, json: "1e400", stored: nil, isMisfit: true),
    Case(kind: .boolean, json: "true", stored: "integer 1"),
    Case(kind: .boolean, json: "0", stored: "integer 0"),
    Case(kind: .boolean, json: #""true""#, stored: "integer 1"),
    Case(kind: .boolean, json: "2", stored: nil, isMisfit: true),
    Case(kind: .json, json: #"{"b": [1, {"a": null}]}"#, stored: #"text {"b":[1,{"a":null}]}"#),
    Case(kind: .json, json: #""x""#, stored: #"text "x""#),
    Case(kind: .json, json: "null", stored: nil),
    Case(
      kind: .url, json: #""https://a.example/x?y=1#z""#, stored: "text https://a.example/x?y=1#z"),
    Case(kind: .url, json: #""//a.example/x""#, stored: "text https://a.example/x"),
    Case(
      kind: .url, json: #"" HTTP://a.example/a b.png ""#, stored: "text HTTP://a.example/a%20b.png"),
    Case(kind: .url, json: #""/relative.png""#, stored: nil, isMisfit: true),
    Case(kind: .url, json: #""javascript:alert(1)""#, stored: nil, isMisfit: true),
    Case(kind: .url, json: #""https://a.example/\u000a""#, stored: "text https://a.example/"),
    Case(kind: .url, json: "7", stored: nil, isMisfit: true),
  ]

  @Test("is stored in the class of its column, or as NULL beside a reject", arguments: cases)
  func types(entry: Case) async throws {
    let store = try await fixture.open(
      .things([Column("id", nil, .integer), Column("v", nil, entry.kind, absent: ["none"])]))
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
    let store = try await fixture.open(
      .things([Column("id", nil, .integer), Column("v", "a.x | a.y | b", absent: [""])]))
    let page = """
      [{"id": 1, "a": {"x": "", "y": "why"}}, {"id": 2, "a": {"x": "ex", "y": "why"}},
       {"id": 3, "b": "bee"}, {"id": 4}]
      """
    try await store.store(things: page)
    #expect(
      try fixture.rows("SELECT id, v FROM box_things ORDER BY id")
        == ["1|why", "2|ex", "3|bee", "4|-"])
  }

  @Test("that the key or a required column lacks rejects the record, and the page goes on")
  func rejects() async throws {
    let store = try await fixture.open(
      .things([Column("id", nil, .integer), Column("v", nil, .integer, required: true)]))
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
    let mended = #"[{"id": 4, "v": 4}, {"id": 5, "v": 5}]"#
    let (_, later) = try await store.store(things: mended)
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
    let job = Job.things([Column("id", nil, .integer), Column("part", nil, .real)]) {
      $0.keep = "part"
    }
    let store = try await fixture.open(job)
    let page = #"[{"id": 1, "part": 0.5}, {"id": 2, "part": 0}, {"id": 3}, {"id": 4, "part": 2}]"#
    try await store.store(things: page)
    #expect(try fixture.rows("SELECT id FROM box_things ORDER BY id") == ["1", "3", "4"])
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
    let again = try await store.walk(things: page)
    #expect(again.1[0].summary.counts.all == [0, 0, 3, 0, 0, 0])
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
  }

  @Test("of a column from the request, a constant and a filled text is part of the row")
  func request() async throws {
    let job = Job.things(
      [
        Column(name: "host", source: .parameter("host")), Column("id", nil, .integer),
        Column(name: "list", source: .constant("all")),
        Column(name: "label", source: .filled(try #require(Template("words {q}")))),
        Column(name: "place", source: .position, kind: .integer),
      ], key: ["host", "id"])
    let store = try await fixture.open(job)
    let page = #"[{"id": 1}, {"id": 2}]"#
    try await store.store(
      [page], stream: "all", of: "box",
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
    var job = Job.things([
      Column("id", nil, .integer), Column("name", nil, .text),
      Column(name: "words", source: .parameter("q")),
    ])
    job.streams[0].membership = Membership(
      table: "found",
      columns: [
        Column(name: "q", source: .parameter("q")), Column(name: "list", source: .constant("")),
      ], keyNames: ["thing_id"])
    let store = try await fixture.open(job)
    try await store.store(
      [#"[{"id": 1}]"#], stream: "all", of: "box", values: [ParameterValue("q", "")])
    #expect(try fixture.rows("SELECT id, name, words FROM box_things") == ["1|-|"])
    #expect(try fixture.rows("SELECT q, list, thing_id FROM box_found") == ["||1"])
  }

  @Test("that a list column lacks leaves the record, and a reject instead of a membership")
  func listColumns() async throws {
    let job = Job.things([Column("id", nil, .integer)]) {
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
    let job = Job.things([Column("id", nil, .integer), Column("name")]) {
      $0.children = [
        ChildTable(
          table: "images", records: path("images"), key: ["id"], parentKeyNames: ["thing_id"],
          columns: [Column("id", nil, .integer), Column("url", nil, .url)]),
        ChildTable(
          table: "vendors", records: path("vendor"), key: ["id"], parentKeyNames: [],
          columns: [Column("id", nil, .integer), Column("name")]),
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
