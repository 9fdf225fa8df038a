@testable import Base
@testable import Store
import TestSupport
import Testing

@Suite("What a run changed, as its changes' numbers tell it")
struct RunChangesTests {
  private let fixture = Fixture()

  @Test("is what the dates of the rows say, too", arguments: Torture.seeds(plain: 25, long: 2_000))
  func same(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let job = Job.things([Column.id, Column("login")]) { $0.marksVanished = true }
    let store = try await fixture.open(job)
    for _ in 0..<3 {
      // Dates are whole seconds: they distinguish runs that begin in different ones.
      fixture.time.advance(by: .seconds(Int64.random(in: 1...2, using: &random)))
      let since = fixture.time.now
      let run = try await store.newRun(of: "box")
      let opening = try await store.openAnswers(Unit(stream: "all"), of: "box", run: run)
      if opening.resumed != nil { try await store.startAgain(opening.id) }
      var receipts: [PageReceipt] = []
      for number in 1...4 {
        if random.next() % 3 == 0 { fixture.time.advance(by: .milliseconds(700)) }
        let ids = (0..<Int.random(in: 1...40, using: &random)).map { _ in
          Int.random(in: 1...90, using: &random)
        }
        let isNamed = random.next() % 2 == 0
        let page = people(ids) { isNamed && $0 % 2 == 0 ? "n\(number)" : "u\($0)" }
        receipts.append(
          try await store.commit(try Page(page), step: Step(page: number), of: opening.id))
      }
      if random.next() % 3 > 0 {
        _ = try await store.certifyAnswers(opening.id, Certificate(receipts), acceptVanishing: .max)
      }
      let reader = try await fixture.openForReading()
      for most in [3, 25, 60] {
        let own = try await store.changes(
          of: "box", since: since, run: run, most: most, withMoving: true)
        let read = try await reader.changes(of: "box", since: since, most: most, withMoving: true)
        #expect(own == read, "seed \(seed), \(most) of each kind")
      }
      await reader.close()
      try await store.endRun(run, outcome: "as the test says", exitCode: 0)
    }
  }

  @Test("is the same where two runs share a second")
  func sharedSecond() async throws {
    var told: [[TableChanges]] = []
    for pause in [Duration.zero, .seconds(1)] {
      let fixture = Fixture()
      let job = Job.things([Column("id"), Column("login")])
      let store = try await fixture.open(job)
      for ids in [2...6, 1...6] {
        let page = people(ids) { ids.lowerBound == 1 && $0 < 5 ? "n\($0)" : "u\($0)" }
        let last = try await run(store, fixture, page, after: .zero)
        fixture.time.advance(by: pause)
        if ids.lowerBound == 1 { told.append(try await changes(last, store)) }
      }
    }
    #expect(told[0] == told[1])
    #expect([told[0].first?.new, told[0].first?.changed] == [1, 3])
    #expect(told[0].first?.isFirst == false)
  }

  /// A run, a minute later, which receives this page.
  private func run(
    _ store: RecordStore, _ fixture: Fixture, _ page: String, after pause: Duration = .seconds(60)
  ) async throws -> (run: RunID, since: Instant) {
    fixture.time.advance(by: pause)
    let since = fixture.time.now
    let run = try await store.newRun(of: "box")
    try await store.walk([page], stream: "all", of: "box", values: [], accept: true, run: run)
    try await store.endRun(run, outcome: "as the test says", exitCode: 0)
    return (run, since)
  }

  private func changes(
    _ last: (run: RunID, since: Instant), _ store: RecordStore
  ) async throws -> [TableChanges] {
    try await store.changes(of: "box", since: last.since, run: last.run, most: 10, withMoving: true)
  }

  @Test("names new records wherever the numbers that are their keys have put them")
  func numbers() async throws {
    let store = try await fixture.open(Job.things([Column.id, Column("login")]))
    _ = try await run(store, fixture, people([700, 900_000_000]))
    let few = try await run(store, fixture, people([5, 700, 600_000_000, 900_000_000]))
    var told = try await changes(few, store)
    #expect(told.first?.new == 2)
    #expect(told.first?.records.map(\.key).sorted() == ["5", "600000000"])
    // More rows than are searched at first.
    try fixture.alter(
      """
      INSERT INTO box_things (id, login, first_seen_at, trawl_change, trawl_hash)
      WITH RECURSIVE n(x) AS (SELECT 1000000 UNION ALL SELECT x + 1 FROM n WHERE x < 1010000)
      SELECT x, 'u', first_seen_at, trawl_change, trawl_hash FROM n, box_things WHERE id = 700
      """)
    let more = try await run(store, fixture, people([4, 700, 800, 700_000_000]))
    told = try await changes(more, store)
    #expect(told.first?.new == 3)
    #expect(told.first?.records.map(\.key).sorted() == ["4", "700000000", "800"])
  }

  @Test("is the same after rows were lost and the table was rebuilt")
  func rebuilt() async throws {
    let columns = [Column("id"), Column("login")]
    let store = try await fixture.open(Job.things(columns))
    _ = try await run(store, fixture, people(11...19))
    let second = try await run(store, fixture, people(11...21))
    try fixture.alter("DELETE FROM box_things WHERE id < '15'")
    fixture.time.advance(by: .seconds(60))
    try await store.adopt(.things(columns + [Column("name", "login")]))
    let told = try await changes(second, store)
    #expect(told.first?.new == 2)
    #expect(told.first?.records.map(\.key).sorted() == ["20", "21"])
  }

  @Test("shows a value that differs from the one before only in the spelling of a letter")
  func spelling() async throws {
    let store = try await fixture.open(Job.things([Column("id"), Column("login")]))
    for login in ["th\u{e9}", "the\u{301}"] {
      fixture.time.advance(by: .seconds(60))
      try await store.walk(things: people([1]) { _ in login })
    }
    let told = try await store.changes(
      of: "box", since: fixture.time.now, most: 10, withMoving: true)
    #expect(told.first?.records.first?.columns.count == 1)
  }
}
