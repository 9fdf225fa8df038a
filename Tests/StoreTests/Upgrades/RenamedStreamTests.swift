import Base
import Store
import TestSupport
import Testing

@Suite("A stream that got another name")
struct RenamedStreamTests {
  let fixture = Fixture()

  private static func job(_ name: String, was: String? = nil) -> Job {
    .people { job in
      job.streams[1].name = name
      job.streams[1].was = was
      // The list is called after its stream.
      job.streams[1].listName = nil
    }
  }

  @Test("keeps its table, first sights and lists, and is walked as before")
  func renamed() async throws {
    let before = "followers"
    let first = try await fixture.open(Self.job(before))
    try await first.walk([people(1...6)], stream: before)
    await first.close()
    let sights =
      "SELECT id, login, first_seen_at, changed_at, vanished_at FROM people_users ORDER BY id"
    let rows = try fixture.rows(sights)
    let numbers = "SELECT list_number, rows FROM trawl_lists ORDER BY 1"
    let lists = try fixture.rows(numbers)
    fixture.time.advance(by: .seconds(86_400))

    let store = try await fixture.openBare()
    let notes = try await store.adopt(Self.job("fans", was: before))
    #expect(
      notes.first
        == "\(before) of people is called fans now: its lists and what is known of them are kept")
    #expect(try await store.prove().holds)
    #expect(try fixture.rows(sights) == rows)
    #expect(try fixture.rows(numbers) == lists)
    #expect(try fixture.rows("SELECT DISTINCT stream FROM trawl_lists") == ["fans"])
    #expect(try fixture.rows("SELECT list FROM trawl_lists WHERE list NOT LIKE 'fans %'") == [])
    let done = try await store.walk([people(1...6)], stream: "fans")
    #expect(done.1[0].summary.counts.all == [0, 0, 6, 0, 0, 0])
    #expect(done.0.rows == 6)
    #expect(try fixture.rows(numbers) == lists)
    #expect(try await store.prove().holds)
    await store.close()
    // From then on, `was` may stay in the file.
    let again = try await fixture.openBare()
    #expect(try await again.adopt(Self.job("fans", was: before)) == [])
  }

  private static func ownTable(_ name: String, was: String? = nil) -> Job {
    .people { job in
      job.streams = [job.streams[1]]
      job.streams[0].name = name
      job.streams[0].was = was
      job.streams[0].table = name
      job.streams[0].listName = nil
    }
  }

  private func walkOnce() async throws {
    let store = try await fixture.open(Self.ownTable("followers"))
    try await store.walk([people(1...6)])
    await store.close()
  }

  @Test("takes the table along that is called after it")
  func table() async throws {
    try await walkOnce()
    let store = try await fixture.openBare()
    let notes = try await store.adopt(Self.ownTable("fans", was: "followers"))
    #expect(notes.contains("people_followers is called people_fans now, with its rows"))
    let done = try await store.walk([people(1...6)], stream: "fans")
    #expect(done.1[0].summary.counts.all == [0, 0, 6, 0, 0, 0])
    #expect(try fixture.rows("SELECT count(*) FROM people_fans") == ["6"])
    #expect(
      try fixture.rows("SELECT name FROM sqlite_schema WHERE name = 'people_followers'") == [])
    #expect(try await store.prove().holds)
  }

  @Test("keeps the goals that name it, alone or among others")
  func goals() async throws {
    let store = try await fixture.open(Self.job("followers"))
    try await store.walk([people(1...2)])
    let range = TimeWindow(from: Instant(seconds: 0), to: Instant(seconds: 86_400))
    for streams in ["followers", "profile,followers", "profile"] {
      try await store.addGoal(job: "people", stream: streams, range: range)
    }
    await store.close()
    let again = try await fixture.open(Self.job("fans", was: "followers"))
    #expect(
      try fixture.rows("SELECT stream FROM trawl_goals ORDER BY goal") == [
        "fans", "profile,fans", "profile",
      ])
    #expect(try await again.prove().holds)
  }

  @Test("takes its table along beside a view of the user's own that can no longer be read")
  func brokenView() async throws {
    try await walkOnce()
    try fixture.alter(
      "CREATE TABLE mine (a); CREATE VIEW my_view AS SELECT a FROM mine; DROP TABLE mine")
    let store = try await fixture.open(Self.ownTable("fans", was: "followers"))
    #expect(
      try fixture.rows(
        "SELECT name FROM sqlite_schema WHERE name IN ('people_followers', 'people_fans', 'my_view') "
          + "ORDER BY name") == ["my_view", "people_fans"])
    try await store.walk([people(1...6)], stream: "fans")
    #expect(try await store.prove().holds)
  }

  @Test("is refused where a view of the user's own has the new table's name, and nothing changes")
  func taken() async throws {
    try await walkOnce()
    try fixture.alter("CREATE VIEW people_fans AS SELECT 1")
    let before = try fixture.everything()
    let error = await #expect(throws: StoreError.self) {
      try await fixture.open(Self.ownTable("fans", was: "followers")).close()
    }
    #expect(error?.description.contains("the view people_fans is there already") == true)
    #expect(try fixture.everything() == before)
  }

  @Test("a record that had left its lists before is gone when all were read twice since")
  func leavers() async throws {
    let old = try await fixture.open(Self.ownTable("followers"))
    for ids in [[1, 2, 4], [1, 4]] {
      try await old.walk([people(ids)])
      try await old.walk([people([3, 9])], values: .user(2))
    }
    await old.close()
    let store = try await fixture.open(Self.ownTable("fans", was: "followers"))
    for _ in 1...3 {
      fixture.time.advance(by: .seconds(86_400))
      try await store.walk([people([1, 4])], stream: "fans")
      try await store.walk([people([3, 9])], stream: "fans", values: .user(2))
      let run = try await store.newRun()
      _ = try await store.markLeavers(of: "people", run: run)
    }
    #expect(try fixture.gone("people_fans") == ["2"])
    #expect(try fixture.rows("SELECT subject FROM trawl_facts WHERE kind = 'left'") == [])
    #expect(try await store.prove().holds)
  }

  @Test("is refused where there are lists of both, and begins anew where there are none")
  func both() async throws {
    let old = "followers"
    for name in [old, "fans"] {
      let store = try await fixture.open(Self.job(name))
      try await store.walk([people(1...2)], stream: name)
      await store.close()
    }
    let error = await #expect(throws: StoreError.self) {
      try await fixture.open(Self.job("fans", was: old)).close()
    }
    #expect("\(try #require(error))".contains("there are lists of both"))
    let other = Fixture()
    await (try await other.open(Self.job("fans", was: old))).close()
    #expect(try other.rows("SELECT stream FROM trawl_lists") == [])
  }
}
