import Base
import Store
import TestSupport
internal import Testing

@Suite("changed_at")
struct ChangedAtTests {
  let fixture = Fixture()

  private func changed(_ table: String = "people_users") throws -> [String] {
    try fixture.rows("SELECT id FROM \(table) WHERE changed_at IS NOT NULL ORDER BY id")
  }

  @Test("stays where a row only comes back; its pictures are wanted again")
  func back() async throws {
    let store = try await fixture.walked(1...4)
    fixture.time.advance(by: .seconds(86_400))
    try await store.walk([people([1, 4])])
    fixture.time.advance(by: .seconds(86_400))
    let back = try await store.walk([people([1, 2, 4])])
    #expect(back.1[0].summary.counts.all == [0, 0, 3, 0, 0, 0])
    #expect(try changed() == [])
    #expect(try fixture.gone() == ["3"])
    // A record that comes back with other values counts as changed.
    let other = try await store.walk([people([1, 2, 3, 4]) { $0 == 3 ? "renamed" : "u\($0)" }])
    #expect(other.1[0].summary.counts.all == [0, 1, 3, 0, 0, 0])
    #expect(try changed() == ["3"])
    #expect(try await store.prove().holds)
  }

  private func things(_ columns: [Column]) -> Job {
    .things([Column.id] + columns)
  }

  private func walk(_ store: RecordStore, _ page: String) async throws -> [Int] {
    fixture.time.advance(by: .seconds(86_400))
    return try await store.walk(things: page).1[0].summary.counts.all
  }

  private static let first =
    #"[{"id": 1, "a": "x", "b": 5}, {"id": 2, "a": "y", "b": null}, {"id": 3, "a": "z", "b": 7}]"#

  @Test("stays where a column is new; a change beside it, and one of its own later, are changes")
  func newColumn() async throws {
    var store = try await fixture.open(things([Column("a")]))
    #expect(try await walk(store, Self.first) == [3, 0, 0, 0, 0, 0])
    await store.close()
    fixture.time.advance(by: .seconds(3600))
    store = try await fixture.open(things([Column("a"), Column("b", nil, .integer)]))
    // The same records, and one that changed as well.
    let second = Self.first.replacing("\"z\"", with: "\"zz\"")
    #expect(try await walk(store, second) == [0, 1, 2, 0, 0, 0])
    #expect(try changed("box_things") == ["3"])
    #expect(try fixture.rows("SELECT b FROM box_things ORDER BY id") == ["5", "-", "7"])
    // A column with a value can change; a later row has always had the column.
    let third = second.replacing("5}", with: "6}").replacing(
      "]", with: ", {\"id\": 4, \"a\": \"w\", \"b\": null}]")
    #expect(try await walk(store, third) == [1, 1, 2, 0, 0, 0])
    #expect(try changed("box_things") == ["1", "3"])
    let fourth = third.replacing("\"w\", \"b\": null", with: "\"w\", \"b\": 1")
    #expect(try await walk(store, fourth) == [0, 1, 3, 0, 0, 0])
    #expect(try changed("box_things") == ["1", "3", "4"])
    #expect(try await store.prove().holds)
  }

  @Test("stays where a row was never read with the columns that it gets now; later ones change it")
  func neverRead() async throws {
    let all = Job.things([Column.id]) { $0.takesAll = true }
    let rows = "[{\"id\": 1, \"a\": 1}, {\"id\": 2, \"a\": 5}]"
    var store = try await fixture.open(things([]))
    #expect(try await walk(store, rows) == [2, 0, 0, 0, 0, 0])
    // Each night another process. The first finds the column, and reads only one of the rows.
    for (page, count) in [
      ("[{\"id\": 1, \"a\": 1}]", 0), (rows, 0), ("[{\"id\": 2, \"a\": 6}]", 1),
    ] {
      await store.close()
      store = try await fixture.open(all)
      #expect(try await walk(store, page)[1] == count)
    }
    #expect(try changed("box_things") == ["2"])
  }

  @Test("stays where a walk goes on in the run after the one that found a column")
  func resumedWalk() async throws {
    let all = Job.things([Column.id]) { $0.takesAll = true }
    var store = try await fixture.open(all)
    #expect(try await walk(store, "[{\"id\": 1}, {\"id\": 2}]")[0] == 2)
    fixture.time.advance(by: .seconds(86_400))
    try await store.store(things: "[{\"id\": 1, \"a\": 1}]")
    await store.close()
    fixture.time.advance(by: .seconds(3600))
    store = try await fixture.open(all)
    let opening = try await store.openAnswers(Unit(stream: "all"), of: "box")
    #expect(opening.resumed != nil, "the walk goes on")
    let receipt = try await store.commit(
      try Page("[{\"id\": 2, \"a\": 1}]"), step: Step(page: 2), of: opening.id)
    #expect(receipt.summary.counts.all == [0, 0, 1, 0, 0, 0])
    #expect(try changed("box_things") == [])
  }

  @Test("stays where a volatile column is new: its history begins with the value that it has")
  func newVolatileColumn() async throws {
    var store = try await fixture.open(things([Column("a")]))
    _ = try await walk(store, Self.first)
    await store.close()
    store = try await fixture.open(
      things([Column("a"), Column("b", nil, .integer, volatile: true)]))
    #expect(try await walk(store, Self.first) == [0, 0, 3, 0, 0, 0])
    #expect(try changed("box_things") == [])
    #expect(
      try fixture.rows("SELECT id, value FROM box_things_history ORDER BY id") == ["1|5", "3|7"])
    // A column that the job lacked for a while counts as new.
    await store.close()
    for columns in [[Column("a")], [Column("a"), Column("c", "b", .integer)], [Column("a")]] {
      store = try await fixture.open(things(columns))
      #expect(try await walk(store, Self.first) == [0, 0, 3, 0, 0, 0])
      await store.close()
    }
    store = try await fixture.open(things([Column("a"), Column("c", "b", .integer)]))
    #expect(try await walk(store, Self.first) == [0, 0, 3, 0, 0, 0])
    #expect(try changed("box_things") == [])
    #expect(try await store.prove().holds)
  }
}
