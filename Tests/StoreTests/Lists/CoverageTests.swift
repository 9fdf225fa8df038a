import Base
@testable import Store
import TestSupport
internal import Testing

@Suite("Windows of a list")
struct CoverageTests {
  let fixture = Fixture()

  private static func days(_ from: Int, _ to: Int) -> TimeWindow {
    TimeWindow(
      from: Instant(seconds: Int64(from) * 86_400), to: Instant(seconds: Int64(to) * 86_400))
  }

  /// Reads a window of the list, and certifies it.
  private func certify(
    _ window: TimeWindow, in store: RecordStore, _ verdict: Verdict = .complete,
    cause: Shortfall? = nil, isAsDeclared: Bool? = nil
  ) async throws {
    let (id, receipts) = try await store.store([people([1])], window: window)
    var certificate = Certificate(receipts, verdict: verdict)
    certificate.cause = cause
    if let isAsDeclared { certificate.isAsDeclared = isAsDeclared }
    _ = try await store.certifyAnswers(id, certificate)
  }

  private static func list(_ prints: Fingerprints = Fixture.prints) -> RecordStore.ListKey {
    let unit = Unit(stream: "followers", values: .user(1))
    return RecordStore.ListKey(job: "people", unit: unit, prints: prints)
  }

  private func covered(
    _ store: RecordStore, _ prints: Fingerprints = Fixture.prints
  ) async throws -> CoveredRanges {
    try await store.coverage(Self.list(prints))
  }

  @Test(
    "cover what they prove, what they only read, and what ends at a declared limit, apart",
    arguments: 0..<8)
  func verdicts(seed: UInt64) async throws {
    let store = try await fixture.open()
    var random = SeededRandom(seed: seed)
    // The best verdict so far for each of forty days, or none.
    var days = [Int](repeating: 0, count: 40)
    let ranks: [Verdict] = [.failed, .limited, .unproven, .complete]
    for _ in 0..<25 {
      let from = Int(random.next() % 38)
      let to = from + 1 + Int(random.next() % UInt64(39 - from))
      let rank = Int(random.next() % 4)
      try await certify(
        Self.days(from + 1000, to + 1000), in: store, ranks[rank], isAsDeclared: rank > 0)
      for day in from..<to { days[day] = max(days[day], rank) }
    }
    for rank in 1...3 {
      let covered = try await covered(store).with(ranks[rank])
      let told = days.indices.filter { day in
        let own = Self.days(day + 1000, day + 1001)
        return covered.contains { $0.from <= own.from && own.to <= $0.to }
      }
      #expect(told == days.indices.filter { days[$0] == rank }, "\(ranks[rank])")
    }
    let findings = try await store.prove().findings.filter { $0.table == "trawl_coverage" }
    #expect(findings.isEmpty, "\(findings)")
  }

  @Test(
    "with records that did not fit are read, and not requested again for them; no proof covers them"
  )
  func rejects() async throws {
    let store = try await fixture.open()
    func days(_ verdict: Verdict? = nil) async throws -> [Int64] {
      let covered = try await covered(store)
      return (verdict.map(covered.with) ?? covered.all).map { $0.from.seconds / 86_400 }
    }
    try await certify(Self.days(10, 11), in: store, .incomplete, cause: .rejects)
    try await certify(Self.days(20, 21), in: store, .incomplete, cause: .count)
    #expect(try await days() == [10])
    #expect(try await days(.unproven) == [10])
    #expect(try await days(.complete) == [])
    #expect(try await store.prove().rowsHold)
  }

  @Test(
    "speak for the list when only the last fifty have rows: one without a proof denies the whole")
  func pruned() async throws {
    let store = try await fixture.open()
    for day in 100..<170 {
      try await certify(Self.days(day, day + 1), in: store, day == 103 ? .unproven : .complete)
    }
    #expect(try fixture.one("SELECT count(*) FROM trawl_windows") == "50")
    let list = try #require(try await store.overview(of: "people").first?.lists.first)
    #expect(list.verdict == "unproven" && list.proof == nil && list.completeAsOf == nil)
    #expect(list.why.contains("from 1970-04-14T00:00:00Z to 1970-04-15T00:00:00Z"), "\(list.why)")
    try await certify(Self.days(103, 104), in: store)
    let healed = try #require(try await store.overview(of: "people").first?.lists.first)
    #expect(healed.verdict == "complete" && healed.proof == "joined")
    #expect(try fixture.one("SELECT count(*) FROM trawl_coverage") == "1")
  }

  @Test("join into coverage where they touch, and leave holes where they do not")
  func join() async throws {
    let store = try await fixture.open()
    for window in [Self.days(10, 12), Self.days(12, 13), Self.days(20, 22)] {
      try await certify(window, in: store)
    }
    try await certify(Self.days(14, 16), in: store, .limited)
    #expect(try await store.trustedLists().map(\.verdict) == ["unfinished"])
    #expect(try await covered(store).all == [Self.days(10, 13), Self.days(20, 22)])
    try await certify(Self.days(13, 20), in: store)
    #expect(try await covered(store).all == [Self.days(10, 22)])
    // Of another mapping, and of another request.
    #expect(
      try await covered(store, Fingerprints(request: 1, mapping: 5)).all == [Self.days(10, 22)])
    #expect(try await covered(store, Fingerprints(request: 5, mapping: 1)).all == [])
    #expect(try fixture.rows("SELECT DISTINCT position FROM people_follows") == ["-"])
    let trust = try await store.trustedLists()
    #expect(
      trust.map(\.verdict) == ["complete"], "a wider window has brought what was behind the cap")
    #expect(trust[0].name == "followers of 1")
    #expect(try fixture.one("SELECT count(DISTINCT window) FROM trawl_certificates") == "4")
  }

  @Test(
    "cover nothing where the stored stretches of time are none, overlap or are missing: the proof says so",
    arguments: [
      ("UPDATE trawl_coverage SET covered_to = covered_from", "it is not a stretch of time"),
      (
        "UPDATE trawl_coverage SET covered_to = (SELECT max(covered_to) FROM trawl_coverage)",
        "it overlaps the stretch before it"
      ),
      ("DELETE FROM trawl_coverage", "the window is certified, and no covered stretch holds it"),
    ])
  func wrongStretches(sql: String, says: String) async throws {
    let store = try await fixture.open()
    for window in [Self.days(10, 12), Self.days(20, 22)] { try await certify(window, in: store) }
    #expect(try await store.prove().rowsHold)
    try fixture.alter(sql)
    #expect(try await store.prove().findings.contains { $0.what == says })
  }

  @Test("that failed are all named, however many, and the last try first")
  func failed() async throws {
    let store = try await fixture.open()
    for day in [120] + Array(1...119) {
      let begin = Self.days(day, day).from
      try await certify(TimeWindow(from: begin, to: begin + .seconds(60)), in: store, .failed)
    }
    let found = try await store.failedWindows(Self.list())
    #expect(found.count == 120)
    let ends: [Int64?] = [119 * 86_400, 120 * 86_400]
    #expect([found.first, found.last].map { $0?.from.seconds } == ends)
  }

  @Test("goals stay open until they are reached")
  func goals() async throws {
    let store = try await fixture.open()
    let range = TimeWindow(from: Instant(seconds: 0), to: Instant(seconds: 86_400))
    try await store.addGoal(job: "people", range: range)
    try await store.addGoal(job: "people", range: range)
    let open = try await store.goals(of: "people")
    #expect(open.map(\.range) == [range])
    try await store.reachGoal(open[0].number)
    #expect(try await store.goals(of: "people").isEmpty)
    #expect(try fixture.one("SELECT count(*) FROM trawl_goals") == "1")
  }

  @Test("that failed go with the goal that wanted them, when a later one takes its place")
  func replaced() async throws {
    let store = try await fixture.open()
    let (old, new) = (Self.days(10, 100), Self.days(11, 101))
    try await store.addGoal(job: "people", range: old)
    try await certify(old, in: store, .failed)
    try await certify(Self.days(11, 50), in: store)
    let before = try await store.goals(of: "people")
    #expect(before.map(\.isBegun) == [false])
    try await store.addGoal(job: "people", range: new, insteadOf: before.map(\.number))
    #expect(try await store.goals(of: "people").map(\.range) == [new])
    try await certify(new, in: store)
    #expect(try await store.trustedLists().map(\.verdict) == ["complete"])
    // A walk that waits to be resumed keeps its goal.
    try await store.addGoal(job: "people", range: Self.days(200, 210))
    try await certify(Self.days(200, 205), in: store, .paused)
    #expect(try await store.goals(of: "people").map(\.isBegun) == [false, true])
  }

  @Test("are forgotten with their certificates by a reset; rows stay until everything is")
  func reset() async throws {
    let store = try await fixture.walked(1...3)
    #expect(
      try await store.resetPreview(.records, of: "people").lines.map { "\($0.count) \($0.what)" }
        == [
          "3 rows of people_follows", "3 rows of people_users",
          "1 list with its verdicts and resume point",
          "3 image addresses (the files stay in media/)",
        ])
    _ = try await store.reset(.coverage, of: "people")
    #expect(try fixture.rows("SELECT rows, verdict, as_of FROM trawl_trust") == ["0|unfinished|-"])
    #expect(try fixture.one("SELECT count(*) FROM people_users") == "3")
    try await store.adopt(.people())
    let gone = try await store.reset(.records, of: "people")
    #expect(gone.lines.map(\.count) == [3, 3, 1, 3])
    #expect(try fixture.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'people%'") == [])
    let other = Origin(scheme: "https", host: "other.example", port: 443)
    _ = try await store.adopt(.people(), origin: other)
    #expect(try await store.prove().holds)
  }
}
