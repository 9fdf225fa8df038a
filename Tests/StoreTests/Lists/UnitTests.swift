import Base
import Store
import TestSupport
internal import Testing

@Suite("A unit")
struct UnitTests {
  let fixture = Fixture()
  let unit = Unit(stream: "followers", values: .user(1))

  func opening(
    _ store: RecordStore, prints: Fingerprints = Fixture.prints
  ) async throws -> UnitOpening {
    try await store.openAnswers(unit, of: "people", prints: prints)
  }

  @Test("holds behind a pause when the run that went on was cut off")
  func cutBehindPause() async throws {
    let store = try await fixture.open()
    try await store.walk([people([1, 2])], verdict: .paused, rule: .limit)
    let opening = try await opening(store)
    _ = try await store.commit(try Page(people([3, 4, 5])), step: Step(page: 2), of: opening.id)
    let proof = try await store.prove()
    #expect(proof.holds && proof.certificates.map(\.keys) == [2], "\(proof.findings)")
    // Damage after the pause is a finding of its own.
    await store.close()
    try fixture.alter("UPDATE trawl_pages SET received = 4, new = 4 WHERE ordinal = 2")
    #expect(try await !fixture.open().prove().holds)
  }

  @Test("that was stopped in the middle gives its pages back, in another process too")
  func resume() async throws {
    let first = try await fixture.open()
    let (_, receipts) = try await first.store([people(1...3), people(3...5)])
    await first.close()
    fixture.time.advance(by: .seconds(90))
    let second = try await fixture.open()
    let opening = try await opening(second)
    guard case .resume(let pages, let walkBreak) = opening.state else {
      Issue.record("it was not resumed")
      return
    }
    #expect(pages == receipts.map(\.summary))
    #expect(walkBreak == WalkBreak(pausedFor: .seconds(90)))
    let seam = try await second.commit(
      try Page(people(3...5)), step: Step(page: 2, .seam), of: opening.id)
    #expect(seam.summary.counts.all == [0, 0, 0, 3, 0, 0])
    #expect(seam.summary.leadingRepeats == 0)
    let next = try await second.commit(try Page(people(5...7)), step: Step(page: 3), of: opening.id)
    #expect(next.summary.counts.all == [2, 0, 0, 1, 0, 0])
    #expect(next.summary.leadingRepeats == 1)
    #expect(try fixture.one("SELECT position FROM people_follows WHERE follower_id = 7") == "9")
  }

  @Test("is found in trawl_trust without a look at the rejects of other streams")
  func rejectsOfOthers() async throws {
    _ = try await fixture.open()
    let plan = try fixture.rows("EXPLAIN QUERY PLAN SELECT * FROM trawl_trust")
    #expect(plan.contains { $0.contains("SEARCH j USING INDEX") }, "\(plan)")
    #expect(!plan.contains { $0.contains("SCAN j") })
  }

  @Test("tells in trawl_trust where it stands: unfinished, paused until, then its verdict")
  func trust() async throws {
    let store = try await fixture.open()
    func told() throws -> [String] {
      try fixture.rows(
        "SELECT table_name, list, rows, verdict, why, as_of, resumes_at FROM trawl_trust")
    }
    let (id, receipts) = try await store.store([people(1...3)])
    #expect(
      try told()
        == ["people_users|followers of 1|0|unfinished|the first walk has not come to its end|-|-"])
    var paused = Certificate(receipts, verdict: .paused, rule: .limit)
    paused.goesOnAt = Instant(seconds: 1_795_273_200)
    _ = try await store.certifyAnswers(id, paused)
    let now = fixture.time.now.description
    let until = "2026-11-21T15:00:00Z"
    #expect(try told() == ["people_users|followers of 1|3|paused|as the test says|\(now)|\(until)"])
    _ = try await store.certifyAnswers(id, Certificate(receipts))
    #expect(try told() == ["people_users|followers of 1|3|complete|as the test says|\(now)|-"])
  }

  @Test("that failed over pages it could not read goes on, one that looped begins anew")
  func failures() async throws {
    let store = try await fixture.open()
    try await store.walk([people(1...3)], verdict: .failed, rule: .failure)
    let opening = try await opening(store)
    #expect(opening.resumed != nil, "an ordinary failure goes on")
    try await store.commit(.unreadable, cause: .parse, step: Step(page: 2), of: opening.id)
    _ = try await store.certifyAnswers(
      opening.id, Certificate([], verdict: .failed, rule: .tooManyEmptyPages))
    #expect(try await self.opening(store).resumed == nil, "such a walk is over")
  }

  @Test("that is less than declared is news once, whatever pauses and failures lie between")
  func newlyLess() async throws {
    let store = try await fixture.open()
    let story: [(Verdict, StopRule, isNews: Bool)] = [
      (.paused, .limit, false), (.incomplete, .noNextPage, true), (.incomplete, .noNextPage, false),
      (.paused, .limit, false), (.failed, .failure, false), (.incomplete, .noNextPage, false),
      (.complete, .noNextPage, false), (.paused, .budget, false), (.failed, .failure, true),
      (.failed, .failure, false), (.incomplete, .noNextPage, false),
    ]
    for (index, (verdict, rule, isNews)) in story.enumerated() {
      let (done, _) = try await store.walk([people(1...3)], verdict: verdict, rule: rule)
      #expect(done.isNewShortfall == isNews, "\(verdict), number \(index)")
    }
  }

  @Test(
    "that loses its proof is less, once, where that does not depend on how busy it is",
    arguments: ProofKind.allCases)
  func lessProven(proof: ProofKind) async throws {
    let store = try await fixture.open()
    let isNews = [.anchored, .orderedOverlap, .overlap, .counted, .steady].contains(proof)
    for (verdict, isTold) in [
      (Verdict.complete, false), (.unproven, isNews), (.unproven, false), (.complete, false),
    ] {
      let (id, receipts) = try await store.store([people(1...3)])
      var certificate = Certificate(receipts, verdict: verdict)
      certificate.proofs = verdict == .complete ? [proof] : []
      certificate.isAsDeclared = true
      // With three pages or fewer, a lost overlap would not count.
      certificate.pages = 4
      let open: Set<ProofKind> = verdict == .complete && isNews ? [proof] : []
      #expect(
        try await store.certifyAnswers(id, certificate, open: open).isNewShortfall == isTold,
        "\(verdict)")
    }
  }

  @Test("that is absent is asked again at growing distance, at most 30 days")
  func absent() async throws {
    let store = try await fixture.open()
    var days: [Int64] = []
    for _ in 0..<8 {
      let opening = try await opening(store)
      let gone = Certificate([], verdict: .absent, rule: .gone)
      _ = try await store.certifyAnswers(opening.id, gone)
      guard case .absent(let until) = try await self.opening(store).state else {
        Issue.record("it must rest")
        return
      }
      let distance = until - fixture.time.now
      days.append(distance.milliseconds / 86_400_000)
      fixture.time.advance(by: distance)
    }
    #expect(days == [1, 2, 4, 8, 16, 30, 30, 30])
  }

  @Test("of another request is void, of another mapping is marked; both begin anew")
  func prints() async throws {
    let store = try await fixture.walked(1...3)
    _ = try await store.store([people(1...2)])
    let mapped = try await opening(store, prints: Fingerprints(request: 1, mapping: 2))
    #expect(mapped.last?.standing == .olderMapping)
    #expect(mapped.resumed == nil, "pages of another mapping do not go on")
    let trust = try await store.trustedLists()
    #expect(trust.map(\.verdict) == ["complete"])
    #expect(trust[0].why.hasPrefix("older mapping"))
    let asked = try await opening(store, prints: Fingerprints(request: 2, mapping: 1))
    #expect(asked.last?.standing == .otherRequest)
    #expect(asked.lastWhole == nil)
    #expect(try await store.trustedLists().map(\.verdict) == ["void"])
    #expect(try await opening(store).last?.standing == .valid)
  }

  @Test("folds the pages of earlier walks into its certificates")
  func folding() async throws {
    let store = try await fixture.open()
    for _ in 0..<5 { try await store.walk([people(1...3), people(4...6)]) }
    #expect(try fixture.one("SELECT count(*), count(DISTINCT traversal) FROM trawl_pages") == "2|1")
    #expect(try fixture.one("SELECT count(*) FROM trawl_certificates") == "1")
    // A drifted walk is no replacement for a complete one: both keep their pages.
    try await store.walk([people(1...3)], verdict: .incomplete, rule: .emptyPage)
    try await store.walk([people(1...3)], verdict: .incomplete, rule: .emptyPage)
    #expect(
      try fixture.rows("SELECT verdict FROM trawl_certificates ORDER BY certificate")
        == ["complete", "incomplete"])
    #expect(try fixture.one("SELECT count(*), count(DISTINCT traversal) FROM trawl_pages") == "3|2")
    #expect(try await store.prove().rowsHold)
  }

  @Test("asks with the validator of the page it stored, and a 304 stands for its records")
  func notModified() async throws {
    let store = try await fixture.open()
    let opening = try await opening(store)
    let page = try Page(people(1...3), next: .number(2), etag: "W/\"a\"")
    let first = try await store.commit(page, step: Step(page: 1), of: opening.id)
    _ = try await store.certifyAnswers(opening.id, Certificate([first], rule: .lastCompleteRange))
    let again = try await self.opening(store)
    let step = Step(page: 1)
    let validator = try #require(try await store.validator(for: step.address, of: again.id))
    #expect(validator.etag == "W/\"a\"")
    let receipt = try #require(
      try await store.commitNotModified(
        step: step, validator: validator, head: Page("[]", next: .number(2)), of: again.id))
    #expect(receipt.summary.counts.all == [0, 0, 3, 0, 0, 0])
    #expect(receipt.summary.next == .number(2))
    #expect(receipt.summary.unseen == 3)
    #expect(receipt.summary.isNotModified)
    #expect(receipt.summary.keysDigest == first.summary.keysDigest)
    let done = try await store.certifyAnswers(
      again.id, Certificate([receipt], rule: .lastCompleteRange))
    #expect(done.vanished == 0)
    #expect(try await store.prove().rowsHold)
    let other = try await self.opening(store, prints: Fingerprints(request: 1, mapping: 9))
    #expect(try await store.validator(for: step.address, of: other.id) == nil)
  }

  @Test("finds the validator of a page without reading the pages before it")
  func validatorOfLongList() async throws {
    let reports = Reports()
    let store = try await reports.open(fixture)
    let id = try await opening(store).id
    func commit(_ ordinal: Int) async throws {
      let page = try Page(people([ordinal]), next: .number(ordinal + 1), etag: "\(ordinal)")
      _ = try await store.commit(page, step: Step(page: ordinal), of: id)
    }
    try await commit(1)
    let names = try #require(
      try fixture.one(
        "SELECT group_concat(name) FROM pragma_table_info('trawl_pages') "
          + "WHERE name NOT IN ('page', 'ordinal')"))
    try fixture.alter(
      "WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) "
        + "INSERT INTO trawl_pages (ordinal, \(names)) SELECT i, \(names) FROM trawl_pages, n")
    try await commit(20_001)
    _ = reports.taken()
    for _ in 1...20 {
      let validator = try await store.validator(for: Step(page: 20_001).address, of: id)
      #expect(validator?.etag == "20001")
    }
    #expect(reports.taken() < 5)
  }
}
