import Base
import Store
import TestSupport
internal import Testing

@Suite("What a change costs in the database")
struct HistorySizeTests {
  let fixture = Fixture()

  /// Three counters of each record, each of which moves from run to run.
  private func job(_ key: Column) -> Job {
    .things(
      [
        key, Column("views", nil, .integer, volatile: true),
        Column("likes", nil, .integer, volatile: true),
        Column("comments", nil, .integer, volatile: true),
      ])
  }

  @Test(
    "is at most 32 bytes with a number for key, and 42 with a short text, where three counters move at once",
    arguments: [(false, 32), (true, 42)])
  func bytes(isText: Bool, most: Int) async throws {
    let store = try await fixture.open(job(Column("id", nil, isText ? .text : .integer)))
    let (records, runs) = (100, 40)
    for run in 1...runs {
      let page = (1...records).map { record in
        let key = isText ? #""vid-\#(String(record * 7_919, radix: 36))""# : "\(record)"
        return #"{"id": \#(key), "views": \#(1_000_000 + record * 37 + run * 11), "#
          + #""likes": \#(20_000 + record + run * 3), "comments": \#(900 + record + run)}"#
      }
      try await store.walk(things: "[\(page.joined(separator: ", "))]")
      fixture.time.advance(by: .seconds(3600))
    }
    #expect(try await store.prove().holds)
    await store.close()
    let changes = records * (runs - 1) * 3
    #expect(
      try fixture.one("SELECT count(*) FROM box_things_history") == "\(changes + records * 3)")
    let bytes = try fixture.one("SELECT sum(pgsize) FROM dbstat WHERE name LIKE 'trawl_changes%'")
    let each = try #require(bytes.flatMap(Double.init)) / Double(changes)
    #expect(each <= Double(most), "\(each) bytes a change")
  }
}
