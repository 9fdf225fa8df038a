import Base
import Store
import TestSupport
internal import Testing

@Suite("A history that its job lets thin")
struct ThinningTests {
  let fixture = Fixture()

  private func job(_ history: HistoryKeeping?, key: [String] = ["id"]) -> Job {
    .things(
      [
        Column("id", nil, .integer), Column("part"),
        Column("views", nil, .integer, volatile: true),
        Column("likes", nil, .integer, volatile: true),
      ], key: key
    ) { $0.history = history }
  }

  private static let keeping = HistoryKeeping(columns: ["views"], full: .seconds(30 * 86_400))

  /// Four values a day of two counters of two records, for 40 days.
  private func fill(_ store: RecordStore) async throws {
    for step in 0..<160 {
      let page = """
        [{"id": 1, "part": "a", "views": \(100 + step), "likes": \(step)},
         {"id": 2, "part": "b", "views": \(900 + step), "likes": \(step)}]
        """
      try await store.walk([page], stream: "all", of: "box", values: [])
      fixture.time.advance(by: .seconds(6 * 3600))
    }
  }

  private func values(_ column: String, id: Int = 1) throws -> [String] {
    try fixture.rows(
      "SELECT at || ' ' || value FROM box_things_history WHERE id = \(id) "
        + "AND column_name = '\(column)' ORDER BY at")
  }

  /// What should be left of values, as people would pick them: the last of each day before a day.
  private func lastOfDays(_ values: [String], before day: String) -> [String] {
    values.indices.filter { index in
      let own = String(values[index].prefix(10))
      return own >= day || index + 1 == values.count || values[index + 1].prefix(10) != own
    }.map { values[$0] }
  }

  @Test(
    "keeps the last value of each day of what is older, all of what is newer, and other columns whole",
    arguments: [["id"], ["id", "part"]])
  func daily(key: [String]) async throws {
    let store = try await fixture.open(job(Self.keeping, key: key))
    try await fill(store)
    let (views, likes) = (try values("views"), try values("likes"))
    let day = (fixture.time.now - Self.keeping.full).day
    let left = lastOfDays(views, before: day)
    #expect(views.count == 160 && left.count < 140)
    let removed = try await store.thinHistories(of: "box")
    #expect(removed == 2 * (160 - left.count))
    #expect(try values("views") == left)
    #expect(try values("likes") == likes)
    #expect(try await store.prove().holds)
    #expect(
      try fixture.rows("SELECT thinned_to, done_to, removed FROM trawl_thinned")
        == ["\(day)T00:00:00Z|\(day)T00:00:00Z|\(removed)"])
    // Nothing is due before the next day.
    #expect(try await store.thinHistories(of: "box") == 0)
    fixture.time.advance(by: .seconds(86_400))
    #expect(try await store.thinHistories(of: "box") == 6)
    #expect(try await store.prove().holds)
    await store.close()
  }

  @Test("loses nothing where the job does not say so")
  func undeclared() async throws {
    let store = try await fixture.open(job(nil))
    try await fill(store)
    #expect(try await store.thinHistories(of: "box") == 0)
    #expect(try values("views").count == 160)
    await store.close()
  }

  @Test("tells a value that is missing from those that were thinned, and keeps its damage")
  func missing() async throws {
    let store = try await fixture.open(job(Self.keeping))
    try await fill(store)
    try fixture.alter(
      "UPDATE box_things_history_rows SET value = 7 WHERE id = 2 AND value = 900")
    _ = try await store.thinHistories(of: "box")
    #expect(try await store.prove().findings.count == 1)
    #expect(try values("views", id: 2).first?.hasSuffix(" 7") == true)
    try fixture.alter(
      "PRAGMA foreign_keys = OFF; DELETE FROM box_things_history_rows WHERE id = 1 AND at = "
        + "(SELECT min(at) FROM box_things_history_rows WHERE id = 1 AND trawl_column = 1)")
    let findings = try await store.prove().findings
    #expect(findings.contains { $0.table == "box_things_history_rows" && $0.key == nil })
    await store.close()
  }

  @Test("goes on where a run was stopped in between, and says from the first that it is thinned")
  func stopped() async throws {
    let store = try await fixture.open(job(Self.keeping))
    try await fill(store)
    #expect(try await store.thinHistories(of: "box", isStopped: { true }) == 0)
    #expect(try fixture.rows("SELECT done_to, removed FROM trawl_thinned") == ["-|0"])
    let began = fixture.time.now - .seconds(40 * 86_400)
    let told = try await store.changes(of: "box", since: began, most: 5, withMoving: true)
    #expect(told.map { $0.thinnedTo?.day } == [(fixture.time.now - Self.keeping.full).day])
    let lately = fixture.time.now - .seconds(86_400)
    let since = try await store.changes(of: "box", since: lately, most: 5, withMoving: true)
    #expect(since.count == 1 && since[0].thinnedTo == nil)
    #expect(try await store.thinHistories(of: "box") > 0)
    #expect(try await store.prove().holds)
    await store.close()
  }
}
