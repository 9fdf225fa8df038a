import Base
@testable import Store
import TestSupport
internal import Testing

@Suite("A committed page")
struct CommitTests {
  let fixture = Fixture()

  @Test("holds records, memberships, images and its own facts")
  func everything() async throws {
    let store = try await fixture.open()
    let (_, receipts) = try await store.store([people([1, 2, 3]), people([3, 4])])
    #expect(receipts.map(\.summary.counts.all) == [[3, 0, 0, 0, 0, 0], [1, 0, 0, 1, 0, 0]])
    #expect(receipts.map(\.summary.unseen) == [3, 1])
    #expect(receipts.map(\.summary.leadingRepeats) == [0, 1])
    #expect(try fixture.one("SELECT count(*) FROM trawl_media_urls") == "4")
    #expect(
      try fixture.rows("SELECT id, login FROM people_users ORDER BY id")
        == ["1|u1", "2|u2", "3|u3", "4|u4"])
    #expect(
      try fixture.rows("SELECT user_id, follower_id, position FROM people_follows ORDER BY 3")
        == ["1|1|1", "1|2|2", "1|3|3", "1|4|5"])
    #expect(
      try fixture.one("SELECT url FROM trawl_media_urls WHERE record_key = '2'")
        == "https://img.example.org/2?v=4&s=120")
    #expect(
      try fixture.rows("SELECT ordinal, received, length(keys) FROM trawl_pages")
        == ["1|3|24", "2|2|16"])
  }

  @Test("is stored as a whole or not at all")
  func atomic() async throws {
    let store = try await fixture.open()
    let (id, _) = try await store.store([people([1, 2])])
    try fixture.alter(
      """
      CREATE TRIGGER fail BEFORE INSERT ON people_follows WHEN NEW.follower_id = 5
      BEGIN SELECT RAISE(ABORT, 'the disk is on fire'); END
      """)
    let before = try fixture.everything()
    await #expect(throws: StoreError.self) {
      try await store.commit(try Page(people([3, 4, 5])), step: Step(page: 2), of: id)
    }
    #expect(try fixture.everything() == before)
    try fixture.alter("DROP TRIGGER fail")
    let again = try await store.commit(try Page(people([3, 4, 5])), step: Step(page: 2), of: id)
    #expect(again.summary.counts.all == [3, 0, 0, 0, 0, 0])
  }

  @Test("ends with its cure where another program's trigger passes over rows")
  func passedOver() async throws {
    let store = try await fixture.walked([1])
    for (event, table) in [
      ("UPDATE", "people_users"), ("INSERT", "people_users"), ("INSERT", "trawl_pages"),
    ] {
      try fixture.alter(
        "CREATE TRIGGER t BEFORE \(event) ON \(table) BEGIN SELECT RAISE(IGNORE); END")
      await #expect {
        _ = try await store.walk([people([1, 2]) { "v\($0)" }])
      } throws: { error in
        let error = error as? StoreError
        return error?.kind == .foreign
          && error?.description.contains("\(table) did not take a row: trigger t") == true
      }
      try fixture.alter("DROP TRIGGER t")
    }
  }

  @Test("of two streams that fill one table neither overwrites the other's columns or digest")
  func sharedTable() async throws {
    let store = try await fixture.walked([7])
    let full = profile(7, "Seven", followers: 3)
    for (stream, page, changed) in [
      ("profile", full, 1), ("followers", people([7]), 0), ("profile", full, 0),
    ] {
      let counts = try await store.walk([page], stream: stream).1[0].summary.counts
      #expect(counts.all == [0, changed, 1 - changed, 0, 0, 0], "\(stream)")
    }
    #expect(
      try fixture.one("SELECT name, followers, created_at FROM people_users")
        == "Seven|3|2020-01-01T00:00:00Z")
  }

  @Test("a volatile value leaves changed_at alone and goes into the history when it moves")
  func volatile() async throws {
    let store = try await fixture.open()
    var counts: [[Int]] = []
    for (followers, name) in [(3, "Seven"), (3, "Seven"), (4, "Seven"), (5, "Sieben")] {
      let page = profile(7, name, followers: followers)
      counts.append(try await store.walk([page], stream: "profile").1[0].summary.counts.all)
      fixture.time.advance(by: .seconds(3600))
    }
    #expect(
      counts == [
        [1, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 1, 0, 0, 0, 0],
      ])
    #expect(
      try fixture.rows("SELECT id, column_name, value FROM people_users_history ORDER BY at")
        == ["7|followers|3", "7|followers|4", "7|followers|5"])
    #expect(try fixture.one("SELECT name, followers FROM people_users") == "Sieben|5")
  }

  @Test("a counter keeps every value, though its second comes twice or the clock stands still")
  func secondSecond() async throws {
    let store = try await fixture.open()
    let first = fixture.time.now
    for (followers, at) in [(3, 0), (4, 3600), (5, 0), (6, 0), (7, 3600)] as [(Int, Int64)] {
      fixture.time.setWallClock(first + .seconds(at))
      try await store.walk([profile(7, followers: followers)], stream: "profile")
    }
    let history = try fixture.rows("SELECT value, at FROM people_users_history ORDER BY value")
    let times = [0, 3600, 0, 0, 3600].map { (first + .seconds($0)).description }
    #expect(history == zip(3...7, times).map { "\($0)|\($1)" })
    #expect(try fixture.one("SELECT followers FROM people_users") == "7")
  }

  @Test("takes two spellings of one letter for two keys")
  func normalForms() async throws {
    let store = try await fixture.open(.things([Column("id"), Column("v", nil, .integer)]))
    let (_, receipts) = try await store.store(
      things: "[{\"id\": \"é\", \"v\": 1}, {\"id\": \"e\u{301}\", \"v\": 2}]")
    #expect(receipts[0].summary.counts.all == [2, 0, 0, 0, 0, 0])
    #expect(try fixture.rows("SELECT v FROM box_things ORDER BY v") == ["1", "2"])
  }

  @Test("a closing check stores what it brings and enters no sum")
  func closingCheck() async throws {
    let store = try await fixture.open()
    let (id, _) = try await store.store([people([1, 2]), people([3, 4])])
    let check = try await store.commit(
      try Page(people([9, 1])), step: Step(page: 1, .closingCheck), of: id)
    #expect(check.summary.counts.all == [1, 0, 0, 1, 0, 0])
    #expect(check.summary.unseen == 1)
    let next = try await store.commit(try Page(people([5])), step: Step(page: 3), of: id)
    #expect(next.summary.unseen == 1)
    #expect(
      try fixture.rows("SELECT follower_id, position FROM people_follows ORDER BY 2, 1")
        == ["1|1", "9|1", "2|2", "3|3", "4|4", "5|5"])
  }

  @Test("what another stream fills into a record that is new in this run is no change of it")
  func filling() async throws {
    let store = try await fixture.open()
    func page(_ stream: String, _ json: String, _ run: RunID, user: Int = 1) async throws -> [Int] {
      let (_, receipts) = try await store.store(
        [json], stream: stream, values: .user(user), run: run)
      return receipts[0].summary.counts.all
    }
    let profile = #"[{"id": 1, "login": "u1", "name": "One", "followers": 5}]"#
    let first = try await store.newRun()
    #expect(try await page("followers", people([1, 2]), first) == [2, 0, 0, 0, 0, 0])
    #expect(try await page("profile", profile, first) == [0, 0, 1, 0, 0, 0])
    #expect(try fixture.rows("SELECT value FROM people_users_history") == ["5"])
    // To a later run the record is known: what it adds is a change.
    let second = try await store.newRun()
    let other = profile.replacing("One", with: "Uno")
    #expect(try await page("profile", other, second, user: 2) == [0, 1, 0, 0, 0, 0])
  }
}
