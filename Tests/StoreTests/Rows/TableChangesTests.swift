import Base
@testable import Store
import TestSupport
import Testing

@Suite("What changed since an instant")
struct TableChangesTests {
  private let fixture = Fixture()

  /// A day apart: five followers and a profile; then one of them is gone, one has another login, two
  /// are new, and the profile has another number.
  private func twoDays() async throws -> (RecordStore, Instant) {
    let store = try await fixture.walked(1...5)
    try await store.walk([profile(9, followers: 100)], stream: "profile", values: .user(9))
    fixture.time.advance(by: .seconds(86_400))
    let since = fixture.time.now
    try await store.walk([people([1, 2, 3, 4, 6, 7]) { $0 == 2 ? "two" : "u\($0)" }], accept: true)
    try await store.walk([profile(9, followers: 120)], stream: "profile", values: .user(9))
    return (store, since)
  }

  @Test("counts and names what came, changed and went, and no other")
  func all() async throws {
    let (store, since) = try await twoDays()
    let tables = try await store.changes(of: "people", since: since, most: 10, withMoving: true)
    #expect(tables.map(\.table) == ["people_users", "people_follows"])
    let users = tables[0]
    #expect([users.new, users.changed, users.moving, users.gone] == [2, 1, 1, 1])
    func records(_ kind: RecordChange.Kind) -> [RecordChange] {
      users.records.filter { $0.kind == kind }
    }
    #expect(records(.new).map(\.name).sorted() == ["u6", "u7"])
    #expect(records(.changed).map(\.name) == ["two"])
    #expect(records(.gone).map(\.name) == ["u5"])
    #expect(
      (records(.moving) + records(.changed)).map(\.columns) == [
        [ColumnChange(name: "followers", old: "100", new: "120")],
        [ColumnChange(name: "login", old: "u2", new: "two")],
      ])
    let list = tables[1]
    // A new record's entries in lists are reported with the record.
    #expect([list.new, list.changed, list.gone] == [0, 0, 1])
    #expect(list.records.allSatisfy { $0.list == "1" })
    #expect(list.records.filter { $0.kind == .gone }.map(\.name) == ["u5"])
    // The same figures as from SQL that a user would write.
    #expect(
      try fixture.one("SELECT count(*) FROM people_users WHERE first_seen_at >= '\(since)'") == "2")
  }

  @Test("shows at most as many of each kind as are asked for, and still counts all")
  func bounded() async throws {
    let (store, _) = try await twoDays()
    let tables = try await store.changes(
      of: "people", since: Instant(seconds: 0), most: 2, withMoving: false)
    let users = try #require(tables.first)
    #expect(users.new == 7 && users.records.count { $0.kind == .new } == 2)
    let later = fixture.time.now + .seconds(1)
    #expect(try await store.changes(of: "people", since: later, most: 2, withMoving: true) == [])
  }

  @Test(
    "sums all walks of a day, also those that were folded, killed or begun anew",
    arguments: Torture.seeds(plain: 30, long: 600))
  func day(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let job = Job.things([Column.id, Column("login")]) { $0.marksVanished = true }
    let store = try await fixture.open(job)
    fixture.time.advance(by: .seconds(3 * 86_400))
    let since = fixture.time.now
    var logins: [Int: String] = [:]
    var gone: Set<Int> = []
    var counts = RunCounts.Table()
    for walk in 0..<6 {
      fixture.time.advance(by: .seconds(Int64.random(in: 1...7_200, using: &random)))
      let ids = (1...9).filter { _ in random.next() % 4 > 0 }
      let isNamed = random.next() % 3 == 0
      let page = people(ids) { isNamed && $0 % 2 == 0 ? "w\(walk)" : logins[$0] ?? "u\($0)" }
      for id in ids {
        let login = isNamed && id % 2 == 0 ? "w\(walk)" : logins[id] ?? "u\(id)"
        if let known = logins[id] {
          if known != login { counts.changed += 1 } else if gone.contains(id) { counts.back += 1 }
        } else {
          counts.new += 1
        }
        logins[id] = login
        gone.remove(id)
      }
      let run = try await store.newRun(of: "box")
      let opening = try await store.openAnswers(Unit(stream: "all"), of: "box", run: run)
      // A killed walk would resume after its page, and not return it again.
      if opening.resumed != nil { try await store.startAgain(opening.id) }
      let receipt = try await store.commit(try Page(page), step: Step(page: 1), of: opening.id)
      if random.next() % 3 == 0 { continue }
      let done = try await store.certifyAnswers(
        opening.id, Certificate([receipt]), acceptVanishing: .max)
      let left = Set(logins.keys).subtracting(ids).subtracting(gone)
      #expect(done.vanished == left.count, "seed \(seed)")
      counts.gone += left.count
      gone.formUnion(left)
      try await store.endRun(run, outcome: "as the test says", exitCode: 0)
    }
    var sums = try await store.changeCounts(since: since)["box"]?.tables
    sums?["box_things"]?.firstRow = nil
    #expect(sums == ["box_things": counts], "seed \(seed)")
    let findings = try await store.prove().findings
    #expect(findings == [], "seed \(seed): \(findings)")
  }

  @Test("counts other figures also where another column of the row got its first value")
  func figuresBesideFirstValue() async throws {
    let columns = [Column.id, Column("views", nil, .integer, volatile: true)]
    let store = try await fixture.open(.things(columns) { $0.takesAll = true })
    try await store.walk(things: "[{\"id\": 1, \"views\": 10}, {\"id\": 2, \"views\": 10}]")
    fixture.time.advance(by: .seconds(86_400))
    let since = fixture.time.now
    try await store.walk(
      things: "[{\"id\": 1, \"views\": 11}, {\"id\": 2, \"views\": 11, \"label\": \"new\"}]")
    let table = try await store.changes(of: "box", since: since, most: 10, withMoving: true).first
    #expect(table?.moving == 2 && table?.changed == 0)
  }

  /// One user, night after night, under these logins.
  private func nights(_ logins: some Sequence<String>, _ store: RecordStore) async throws {
    for login in logins {
      fixture.time.advance(by: .seconds(86_400))
      try await store.walk([people([1, 2]) { $0 == 1 ? login : "u2" }])
    }
  }

  private func logins(since: Instant, _ store: RecordStore) async throws -> [ColumnChange] {
    try await store.changes(of: "people", since: since, most: 10, withMoving: true)
      .first { $0.table == "people_users" }?.records.first { $0.kind == .changed }?.columns ?? []
  }

  @Test("of every column what it held at the beginning, however often it changed since")
  func earlier() async throws {
    let store = try await fixture.open()
    try await nights(["a"], store)
    let first = fixture.time.now + .seconds(1)
    try await nights(["b"], store)
    let second = fixture.time.now + .seconds(1)
    try await nights(["c"], store)
    #expect(
      try await logins(since: first, store) == [ColumnChange(name: "login", old: "a", new: "c")])
    #expect(
      try await logins(since: second, store) == [ColumnChange(name: "login", old: "b", new: "c")])
    #expect(
      try fixture.rows("SELECT record_key, kind, old FROM trawl_changes ORDER BY change")
        == [#"1|changed|{"login":"a"}"#, #"1|changed|{"login":"b"}"#])
    try await nights((4...9).map { "n\($0)" }, store)
    #expect(try await logins(since: second, store).map(\.old) == ["b"])
    #expect(try await logins(since: first, store).map(\.old) == ["a"])
    #expect(try await store.prove().holds)
    _ = try await store.reset(.records, of: "people")
    #expect(try fixture.one("SELECT count(*) FROM trawl_changes") == "0")
  }
}
