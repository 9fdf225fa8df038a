import Base
@testable import Store
import TestSupport
internal import Testing

@Suite("The copy for readers")
struct ReadersValuesTests {
  /// What a type of its own would turn into another value.
  private static let odd = [
    "9223372036854775807", "9007199254740993", "0.5", "2.0", "1e400", "-0.0", "true", "null", "7",
    #""007""#, #""1e3""#, #""12345678901234567890123""#, #""2024""#, #"" 7 ""#, #""0x10""#,
    #""-0""#, #""1.0""#, #""inf""#, #""""#, #""2024-01-02T03:04:05Z""#, #""2024-01-02""#,
    #""20240102""#,
  ]
  /// Names that mean something in the copy, in its history or in `items`.
  private static let named = [
    "at", "date", "time", "value", "column_name", "title", "published_at", "source", "record_key",
  ]

  private static func job(_ kind: Column.Kind) -> Job {
    let columns =
      [Column.id, Column("seen", nil, .text, volatile: true)]
      + named.map { Column($0, nil, kind) }
    return .things(columns) {
      $0.takesAll = true
      $0.roles = ["title": "id", "summary": "title", "published_at": "published_at"]
    }
  }

  @Test("is not made while a view that it reads is missing, and is after the next run")
  func lostView() async throws {
    let fixture = Fixture()
    let store = try await fixture.walked(Self.job(.text), #"[{"id": 1, "seen": "x"}]"#)
    await store.close()
    for view in ["items", "box_things_history"] {
      try fixture.alter("DROP VIEW \(view)")
      let error = #expect(throws: StoreError.self) { try fixture.readersCopy() }
      #expect(error?.kind == .damaged && error?.message.contains("the view \(view) is") == true)
      try await fixture.open(Self.job(.text)).close()
      try fixture.readersCopy()
    }
  }

  @Test("has the history of records whose key is called as a column of it, as the database does")
  func namedKey() async throws {
    let fixture = Fixture()
    let job = Job.things(
      [Column("value"), Column("likes", nil, .integer, volatile: true)], key: ["value"])
    for likes in 1...2 {
      let store = try await fixture.open(job)
      fixture.time.advance(by: .seconds(3_600))
      try await store.walk(things: #"[{"value": "k", "likes": \#(likes)}]"#)
      await store.close()
    }
    try fixture.readersCopy([job])
    let sql =
      "SELECT value, column_name, history_value FROM box_things_history ORDER BY history_value"
    let held = ["k|likes|1", "k|likes|2"]
    #expect(try fixture.rows(sql) == held)
    #expect(try Database(fixture.readersPath).rows(sql) == held)
  }

  @Test("finds words in all searched columns but one called rank, which FTS5 keeps for itself")
  func rank() async throws {
    let fixture = Fixture()
    let job = Job.things([Column("id"), Column("title"), Column("rank")]) {
      $0.searchable = ["title", "rank"]
    }
    let store = try await fixture.walked(job, #"[{"id": "a", "title": "swift", "rank": "first"}]"#)
    await store.close()
    try fixture.readersCopy([job])
    let copy = Database(fixture.readersPath)
    #expect(try copy.rows("SELECT rank, title FROM box_things") == ["first|swift"])
    #expect(
      try copy.rows("SELECT title FROM box_things_fts WHERE box_things_fts MATCH 'swift'")
        == ["swift"])
  }

  @Test("holds exactly what the database holds, whatever a column is called", arguments: 0..<8)
  func values(seed: UInt64) async throws {
    let fixture = Fixture()
    var random = SeededRandom(seed: seed)
    func records() -> String {
      let all = (1...12).map { id in
        // The others have values of one kind, or of a few.
        let few = (0..<3).map { _ in Self.odd.randomElement(using: &random) ?? "1" }
        let members = (Self.named + ["seen", "n", "m"]).map { name in
          "\"\(name)\": \((name == "m" ? few : Self.odd).randomElement(using: &random) ?? "1")"
        }
        return "{\"id\": \(id), \(members.joined(separator: ", "))}"
      }
      return "[\(all.joined(separator: ", "))]"
    }
    // Texts stay when their column is called a time.
    for kind in [Column.Kind.text, .text, seed % 2 == 0 ? .time : .text] {
      let store = try await fixture.open(Self.job(kind))
      fixture.time.advance(by: .seconds(3_600))
      if case .text = kind { try await store.walk(things: records()) }
      await store.close()
    }
    let copy = try fixture.readersCopy()
    #expect(copy.tables.map(\.name).sorted() == ["box_things", "box_things_history", "items"])
    for table in copy.tables {
      for column in table.columns {
        let name = "\"\(column.name)\""
        let sql =
          "SELECT typeof(\(name)) || ' ' || quote(\(name)) FROM \"\(table.name)\" ORDER BY 1"
        let copied = try Database(fixture.readersPath).rows(sql, null: "-")
        let held = try fixture.rows(sql)
        #expect(copied == held, "\(table.name).\(column.name) \(column.type)")
      }
    }
  }
}
