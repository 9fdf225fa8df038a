import Base
@testable import Store
import TestSupport
import Testing

@Suite("What records held before, once it is forgotten")
struct HistoryLimitTests {
  private static let hour = Duration.seconds(3_600)

  private static var job: Job {
    .things([
      Column.id, Column("login"), Column("views", nil, .integer, volatile: true),
    ]) { $0.marksVanished = true }
  }

  private struct Told: Equatable {
    var counts: [Int]
    var columns: [String: [ColumnChange]]

    init(_ changes: TableChanges?) {
      counts = RecordChange.Kind.allCases.map { changes?.count($0) ?? 0 }
      columns = Dictionary(changes?.records.map { ($0.key, $0.columns) } ?? []) { one, _ in one }
    }
  }

  @Test(
    "is never told as if nothing had been: no value is older than is known, and no change is missing unsaid",
    arguments: Torture.seeds(plain: 16, long: 300))
  func neverClaimed(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let fixture = Fixture()
    let store = try await fixture.open(Self.job)
    let begin = fixture.time.now
    for _ in 0..<10 {
      fixture.time.advance(by: Self.hour)
      let records = (1...6).filter { _ in random.next() % 6 > 0 }.map { id in
        "{\"id\": \(id), \"login\": \"u\(random.next() % 5 / 4)\", \"views\": \(random.next() % 3 / 2)}"
      }
      try await store.walk(things: "[\(records.joined(separator: ","))]", accept: true)
    }
    let starts = (0...10).map { begin + Self.hour * $0 + .seconds(1) }
    func told(_ start: Instant) async throws -> TableChanges? {
      try await store.changes(of: "box", since: start, most: 100, withMoving: true).first
    }
    var before: [Told] = []
    for start in starts { before.append(Told(try await told(start))) }
    let history = Set(try fixture.rows("SELECT * FROM box_things_history"))
    let time = begin + Self.hour * Int.random(in: 0...10, using: &random)
    try await store.forgetChanges(of: "box", before: time)
    #expect(try fixture.one("SELECT count(*) FROM trawl_changes WHERE at < \(time.seconds)") == "0")
    for (start, known) in zip(starts, before) {
      let changes = try await told(start)
      // What the rows themselves show is never forgotten.
      let own = [0, 1, 3]
      let now = Told(changes)
      #expect(own.map { now.counts[$0] } == own.map { known.counts[$0] }, "seed \(seed): \(start)")
      if changes?.knownSince == nil { #expect(now == known, "seed \(seed): \(start)") }
      if start > time { #expect(changes?.knownSince == nil, "seed \(seed): \(start)") }
    }
    // A time is the same as before, or missing.
    for row in try fixture.rows("SELECT * FROM box_things_history WHERE at IS NOT NULL") {
      #expect(history.contains(row), "seed \(seed): \(row)")
    }
    #expect(try await store.prove().rowsHold, "seed \(seed)")
  }

  @Test(
    "goes a bounded number at a time, that of the one job alone, and another time nothing is left to do"
  )
  func bounded() async throws {
    let fixture = Fixture()
    let store = try await fixture.open(Self.job)
    for login in ["a", "b"] {
      fixture.time.advance(by: Self.hour)
      for page in 0..<4 {
        let records = (1...300).map {
          #"{"id": \#(page * 300 + $0), "login": "\#(login)", "views": 1}"#
        }
        try await store.walk(
          things: "[\(records.joined(separator: ","))]", verdict: .unproven, rule: .noNextPage)
      }
    }
    #expect(try fixture.one("SELECT count(*) FROM trawl_changes") == "1200")
    try await store.forgetChanges(of: "other", before: fixture.time.now + Self.hour)
    #expect(try fixture.one("SELECT count(*) FROM trawl_changes") == "1200")
    try await store.forgetChanges(of: "box", before: fixture.time.now)
    #expect(try fixture.one("SELECT count(*) FROM trawl_changes") == "1200")
    try await store.forgetChanges(of: "box", before: fixture.time.now + Self.hour)
    #expect(try fixture.one("SELECT count(*) FROM trawl_changes") == "0")
    #expect(try await store.prove().rowsHold)
  }
}
