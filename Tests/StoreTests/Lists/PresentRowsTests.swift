import Base
import Store
import TestSupport
import Testing

@Suite("How many rows a list has, where nothing was counted")
struct PresentRowsTests {
  private let fixture = Fixture()
  private static let table = "box_things"
  private static let kept =
    "SELECT fact FROM trawl_facts WHERE kind = 'present' AND subject = '\(table)'"
  private static let job = Job.things([Column.id, Column("login")]) { $0.marksVanished = true }

  /// How a walk ends.
  private enum Ending: CaseIterable {
    case whole, known, unproven, paused, killed, again
  }

  /// One night: a walk over some ids, and the end of its run.
  private func night(
    _ pages: [[Int]], _ ending: Ending, exitCode: Int = 0, _ store: RecordStore
  ) async throws -> CertifiedUnit? {
    let run = try await store.newRun(of: "box")
    let opening = try await store.openAnswers(
      Unit(stream: "all"), of: "box", run: run, asWalk: pages.count == 1)
    // A resumed walk has its first pages already.
    var stored = opening.resumed ?? []
    func walk() async throws -> [PageReceipt] {
      var receipts: [PageReceipt] = []
      for (index, ids) in pages.enumerated() {
        receipts.append(
          try await store.commit(
            try Page(people(ids)), step: Step(page: stored.count + index + 1), of: opening.id))
      }
      return receipts
    }
    var receipts = try await walk()
    if ending == .again {
      try await store.startAgain(opening.id)
      stored = []
      receipts = try await walk()
    }
    let (verdict, rule): (Verdict, StopRule)
    switch ending {
    case .killed: return nil
    case .whole, .again: (verdict, rule) = (.complete, .noNextPage)
    case .known: (verdict, rule) = (.complete, .lastCompleteRange)
    case .unproven: (verdict, rule) = (.unproven, .noNextPage)
    case .paused: (verdict, rule) = (.paused, .limit)
    }
    var certificate = Certificate(receipts, verdict: verdict, rule: rule)
    for page in stored {
      certificate.counts += page.counts
      certificate.distinctKeys += page.unseen
      certificate.pages += 1
    }
    let done = try await store.certifyAnswers(opening.id, certificate, acceptVanishing: .max)
    try await store.endRun(run, outcome: "as the test says", exitCode: exitCode)
    return done
  }

  private func there() throws -> [Int] {
    try fixture.rows("SELECT id FROM \(Self.table) WHERE vanished_at IS NULL ORDER BY id")
      .compactMap { Int($0) }
  }

  @Test(
    "is what a person counts, and what went is marked, after any nights",
    arguments: Torture.seeds(plain: 16, long: 1_000))
  func nights(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    var store = try await fixture.open(Self.job)
    for _ in 0..<8 {
      fixture.time.advance(by: .seconds(3_600))
      let ids = (1...12).filter { _ in random.next() % 4 > 0 }
      let cut = Int(random.next() % UInt64(ids.count + 1))
      let ending = Ending.allCases.randomElement(using: &random) ?? .whole
      let code = random.next() % 5 == 0 ? 75 : 0
      let isFresh = try fixture.one("SELECT is_open FROM trawl_windows") != "1"
      let done = try await night(
        [Array(ids[..<cut]), Array(ids[cut...])], ending, exitCode: code, store)
      let there = try there()
      if let done {
        // A walk of the whole list reports what it received.
        let isAll = done.certificate.verdict == .unproven || done.certificate.verdict == .paused
        #expect(isAll || done.rows == there.count, "seed \(seed), \(ending)")
      }
      if isFresh, ending == .whole { #expect(there == ids, "seed \(seed)") }
      #expect(Set(ids).isSubset(of: there), "seed \(seed), \(ending)")
      if random.next() % 3 == 0 {
        await store.close()
        store = try await fixture.open(Self.job)
      }
    }
    let proof = try await store.prove()
    #expect(proof.rowsHold, "seed \(seed): \(proof.findings)")
  }

  @Test(
    "is one number for status and for prove, also where a stream marks nothing as gone",
    arguments: Torture.seeds(plain: 16, long: 1_000))
  func agreed(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    var job = Self.job
    job.streams[0].marksVanished = random.next() % 3 == 0
    let store = try await fixture.open(job)
    for _ in 0..<6 {
      fixture.time.advance(by: .seconds(3_600))
      let ids = (1...12).filter { _ in random.next() % 4 > 0 }
      let ending =
        [Ending.whole, .known, .unproven, .again].randomElement(using: &random) ?? .whole
      _ = try await night([ids], ending, store)
      let told = try await store.trustedLists(of: "box").map(\.rows)
      #expect(
        try await store.prove().certificates.suffix(1).map(\.rows) == told,
        "seed \(seed), \(ending), \(ids)")
    }
  }

  @Test(
    "stays what it was where a walk did not come to its end",
    arguments: [(Verdict.paused, StopRule.limit), (.failed, .failure), (.absent, .gone)])
  func cut(verdict: Verdict, rule: StopRule) async throws {
    let store = try await fixture.walked(Self.job, people(1...9))
    let (done, _) = try await store.walk(things: people(1...2), verdict: verdict, rule: rule)
    #expect(done.rows == 9)
    #expect(try await store.trustedLists(of: "box").map(\.rows) == [9])
  }

  @Test("is known to the next run, after a kill, and where several streams share the table")
  func known() async throws {
    let first = try await fixture.open(Self.job)
    #expect(try fixture.one(Self.kept) == "0")
    _ = try await night([[1, 2], [3]], .killed, first)
    #expect(try fixture.one(Self.kept) == "3")
    await first.close()
    let second = try await fixture.open(Self.job)
    #expect(try await night([[4]], .known, second)?.rows == 4)
    await second.close()
    var shared = Self.job
    shared.streams.append(shared.streams[0])
    shared.streams[1].name = "others"
    await (try await fixture.open(shared)).close()
    #expect(try fixture.one(Self.kept) == "4")
  }

  @Test("is counted anew behind a file that did not know it, and by a walk of the whole list")
  func counted() async throws {
    let store = try await fixture.open(Self.job)
    _ = try await night([[1, 2, 3]], .whole, store)
    try fixture.alter(
      "DELETE FROM trawl_facts WHERE kind = 'present' AND subject = '\(Self.table)'")
    #expect(try await night([[4]], .known, store)?.rows == 4)
    #expect(try fixture.one(Self.kept) == "4")
    // A row is deleted by hand: the proof says so until the list is read again.
    try fixture.alter("DELETE FROM \(Self.table) WHERE id = 2")
    let findings = try await store.prove().findings.map(\.what)
    #expect(
      findings.filter { $0.contains("without vanished_at") }
        == ["it has 3 rows without vanished_at, and 4 should be there"])
    let told = try await store.adopt(Self.job)
    #expect(told == ["another program removed 1 row of box_things: the stream all is read anew"])
    #expect(try await store.trustedLists(of: "box").map(\.verdict) != ["complete"])
    _ = try await night([[1, 2, 3, 4]], .whole, store)
    #expect(try await !store.prove().findings.contains { $0.table == Self.table })
  }

  @Test("holds what did not fit and fits now, and so does what came in a day")
  func fitted() async throws {
    var job = Self.job
    job.streams[0].columns[1] = Column("login", nil, .integer, required: true)
    let strict = try await fixture.walked(job, people(1...3))
    await strict.close()
    let store = try await fixture.open(Self.job)
    #expect(try await night([[4]], .known, store)?.rows == 1)
    let run = try await store.beginRun(job: "box", command: "backfill", arguments: [])
    #expect(try await store.retryRejects(job: "box", run: run).fitted == 3)
    #expect(try fixture.one(Self.kept) == "4")
    let counts = try await store.changeCounts(since: fixture.time.now)
    #expect(counts["box"]?.tables.values.map(\.new) == [4])
    #expect(try await store.prove().rowsHold)
  }

  @Test("marks what a job that marked nothing has left")
  func marking() async throws {
    var old = Self.job
    old.streams[0].marksVanished = false
    let first = try await fixture.open(old)
    _ = try await night([[1, 2, 3]], .whole, first)
    _ = try await night([[2, 3]], .whole, first)
    await first.close()
    let second = try await fixture.open(Self.job)
    _ = try await night([[2, 3]], .whole, second)
    #expect(try there() == [2, 3])
  }
}
