import Glibc
import Base
@testable import Store
import TestSupport
import Testing

@Suite("A job that got another name")
struct RenamedJobTests {
  let fixture = Fixture()

  /// Its images are identified by a column, its rows have a history, and its words are searched.
  private static func job(_ name: String, was: String? = nil) -> Job {
    .people { job in
      job.name = name
      job.was = was
      job.streams[0].searchable = ["login"]
      job.streams[1].media[0].identity = ["id"]
    }
  }

  /// A year of it in short: lists, a profile, a record that left, a favorite, a reject, and a user's additions.
  private static func live(in fixture: Fixture, as name: String) async throws {
    let store = try await fixture.open(job(name))
    try await store.walk([people(1...6)], of: name)
    fixture.time.advance(by: .seconds(86_400))
    try await store.walk([people(1...5) { $0 == 3 ? "renamed" : "u\($0)" }], of: name)
    let profile =
      #"{"id": 2, "login": "u2", "avatar_url": "https://img.example.org/2?v=4", "followers": 7}"#
    try await store.walk([#"[\#(profile), {"id": "x"}]"#], stream: "profile", of: name)
    _ = try await store.addFavorites(table: "\(name)_users", keys: ["2"])
    await store.close()
    try fixture.alter(
      "CREATE INDEX mine ON \(name)_users (login, id); "
        + "CREATE VIEW my_people AS SELECT login FROM \(name)_users WHERE vanished_at IS NULL")
  }

  @Test("keeps its rows, lists, first sights, favorites and pictures, and is walked as before")
  func renamed() async throws {
    try await Self.live(in: fixture, as: "people")
    let sights = "SELECT id, login, first_seen_at, changed_at, vanished_at FROM"
    let before = try fixture.rows("\(sights) people_users ORDER BY id")
    let numbers = "SELECT list_number, list, rows FROM trawl_lists ORDER BY 1"
    let lists = try fixture.rows(numbers)
    let history = try fixture.rows("SELECT * FROM people_users_history")
    var store = try await fixture.openBare()
    let notes = try await store.adopt(Self.job("folk-2", was: "people"))
    #expect(
      notes.first
        == "people is called folk-2 now: its tables, lists and what is known of them are kept")
    #expect(try await store.prove().rowsHold)
    #expect(try fixture.rows("\(sights) folk_2_users ORDER BY id") == before)
    #expect(try fixture.rows(numbers) == lists)
    #expect(try fixture.rows("SELECT * FROM folk_2_users_history") == history)
    #expect(
      try fixture.rows("SELECT table_name, record_key FROM trawl_favorites") == ["folk_2_users|2"])
    #expect(try fixture.rows("SELECT DISTINCT source FROM items") == ["folk-2"])
    #expect(try fixture.rows("SELECT count(*) FROM my_people") == ["5"])
    #expect(
      try fixture.one("SELECT tbl_name FROM sqlite_schema WHERE name = 'mine'") == "folk_2_users")
    let picture = try fixture.one("SELECT identity FROM trawl_media_urls WHERE record_key = '2'")
    #expect(picture == "folk_2_users.avatar:2")
    // Nothing else has the old name.
    let old = try fixture.everything().filter { $0.contains("people") && !$0.contains("my_people") }
    #expect(old == [])
    // The same list, requested as before: nothing is new, and no picture is wanted again.
    let pictures = try fixture.rows("SELECT * FROM trawl_media_urls")
    let done = try await store.walk(
      [people(1...5) { $0 == 3 ? "renamed" : "u\($0)" }], of: "folk-2")
    #expect(done.1[0].summary.counts.all == [0, 0, 5, 0, 0, 0])
    #expect(try fixture.rows("SELECT * FROM trawl_media_urls") == pictures && done.0.rows == 5)
    await store.close()
    // From then on, `was` may stay in the file.
    store = try await fixture.openBare()
    #expect(try await store.adopt(Self.job("folk-2", was: "people")) == [])
    #expect(try await store.prove().rowsHold)
  }

  @Test("has the schema of a new one of that name")
  func schema() async throws {
    try await Self.live(in: fixture, as: "people")
    try fixture.alter("DROP INDEX mine; DROP VIEW my_people")
    let store = try await fixture.open(Self.job("folk", was: "people"))
    await store.close()
    let fresh = Fixture()
    let other = try await fresh.open(Self.job("folk"))
    // The schema shows which tables have a favorite.
    _ = try await other.addFavorites(table: "folk_users", keys: ["2"])
    await other.close()
    let schema = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name, type"
    #expect(try fixture.rows(schema) == fresh.rows(schema))
  }

  @Test("is refused where the file holds both, and neither is touched")
  func both() async throws {
    try await Self.live(in: fixture, as: "people")
    await (try await fixture.open(Self.job("folk"))).close()
    let before = try fixture.everything()
    let error = await #expect(throws: StoreError.self) {
      try await fixture.open(Self.job("folk", was: "people"))
    }
    #expect("\(try #require(error))".contains("holds rows of both"))
    #expect(try fixture.everything() == before)
    // The cure that the sentence names.
    let store = try await fixture.openBare()
    _ = try await store.reset(.records, of: "folk")
    await store.close()
    let renamed = try await fixture.open(Self.job("folk", was: "people"))
    #expect(try await renamed.prove().rowsHold)
    await renamed.close()
    #expect(try fixture.one("SELECT count(*) FROM folk_users") == "6")
  }

  @Test("begins anew where there is nothing of the old name, and says so of another origin")
  func nothing() async throws {
    await (try await fixture.open(Self.job("folk", was: "people"))).close()
    #expect(try fixture.rows("SELECT job FROM trawl_jobs") == ["folk"])
    let other = Fixture()
    try await Self.live(in: other, as: "people")
    let store = try await RecordStore.open(other.folder, other.settings)
    await #expect(throws: StoreError.self) {
      try await store.adopt(
        Self.job("folk", was: "people"),
        origin: Origin(scheme: "https", host: "elsewhere.example", port: 443))
    }
    await store.close()
    #expect(try other.rows("SELECT job FROM trawl_jobs") == ["people"])
  }

  @Test("is as damaged as before: a new name makes no damage look sound")
  func damaged() async throws {
    try await Self.live(in: fixture, as: "people")
    try fixture.alter("UPDATE trawl_lists SET rows = rows + 1 WHERE list_number = 1")
    let store = try await fixture.open(Self.job("folk", was: "people"))
    let findings = try await store.prove().findings
    #expect(findings.contains { $0.table == "trawl_lists" && $0.key == "1" })
  }

  @Test(
    "that is killed meanwhile has its old name, and gets the new one next time",
    arguments: [1, 3, 6, 12, 18])
  func killed(visit: Int) async throws {
    try await Self.live(in: fixture, as: "people")
    let before = try fixture.everything()
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = try fixture.folder.path as String, visit = visit as Int] in
      var settings = Fixture().settings
      settings.faults = .killing(at: FaultPoint.Place.duringUpgrade.rawValue, visit: visit)
      let store = try await RecordStore.open(DataFolder(creating: path), settings)
      try await store.adopt(RenamedJobTests.job("folk", was: "people"))
    }
    #expect(try fixture.everything() == before)
    let store = try await fixture.open(Self.job("folk", was: "people"))
    #expect(try await store.prove().rowsHold)
    #expect(try fixture.one("SELECT count(*) FROM folk_users") == "6")
  }
}
