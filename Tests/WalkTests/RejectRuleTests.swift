import Base
import Walk
import Testing

@Suite("A walk with records that do not fit")
struct RejectRuleTests {
  static let reason = "id: the value is missing and the record needs it"

  private static func page(
    _ keys: ClosedRange<Int>, rejected: Set<Int>, total: Int? = nil, next: Cursor? = nil
  ) -> ScriptPage {
    var page = ScriptPage(keys, total: total, next: next)
    page.rejected = rejected
    page.rejectReason = reason
    return page
  }

  @Test("is never complete: where the total agrees, where page 1 at the end has one, at a cap")
  func counted() throws {
    let cap = Cap(at: 20, doubt: 20, expected: "the list is its first 20")
    for (total, cap, rejected) in [
      (15, nil, { _ in [3, 12] }), (20, nil, { $0.purpose == .closingCheck ? [1] : [] }),
      (nil, cap, { _ in [11] }),
    ] as [(Int?, Cap?, (Step) -> Set<Int>)] {
      let stream = try FakeJob.stream(
        FakeJob.number, size: 10, total: total.map { _ in .counted }, cap: cap)
      let (_, certificate, _) = try walk(stream) { step in
        let first = (step.ordinal - 1) * 10 + 1
        let last = total == 15 && first == 11 ? 15 : first + 9
        return .page(Self.page(first...last, rejected: rejected(step), total: total))
      }
      #expect(certificate.claim == "incomplete (rejects)" && !certificate.isAsDeclared)
      let told = "\(total == 15 ? "2 records were" : "1 record was") rejected (\(Self.reason))"
      #expect(certificate.why.contains(told), "\(certificate.why)")
    }
  }

  @Test("of one answer is not complete either: 484 of 484", arguments: [1, 484])
  func oneAnswer(rejected: Int) throws {
    let stream = try FakeJob.stream(.single, size: nil, isOnePage: true)
    let (_, certificate, _) = try walk(stream) { _ in
      .page(Self.page(1...484, rejected: Set(1...rejected)))
    }
    #expect(certificate.claim == "incomplete (rejects)")
  }

  @Test("remembers them over a pause")
  func paused() throws {
    let (_, certificate, _) = try ResumeTests.twoRuns(
      FakeJob.stream(FakeJob.token()), commits: 2
    ) { step, _ in
      let next = step.ordinal < 4 ? Cursor.token("t\(step.ordinal)") : nil
      let first = step.ordinal * 10
      return .page(Self.page(first...first + 9, rejected: [12], next: next))
    }
    #expect(certificate.cause == .rejects)
    #expect(certificate.why.contains("1 record was rejected (\(Self.reason))"))
  }

  @Test("fails after three pages of which nothing fits, and says why and what to do")
  func nothingFits() throws {
    for pager in [FakeJob.number, try FakeJob.token()] {
      let stream = try FakeJob.stream(pager, size: 10)
      let (run, certificate, _) = try walk(stream) { step in
        let first = step.ordinal * 10
        return .page(
          Self.page(
            first...first + 9, rejected: Set(first...first + 9), next: .token("t\(step.ordinal)")))
      }
      #expect(run.requests.count == 3)
      #expect(certificate.verdict == .failed && certificate.rule == .onlyRejects)
      #expect(
        certificate.why.hasPrefix(
          "every record of the first 3 pages was rejected (\(Self.reason)); correct `key`"))
    }
  }

  @Test("reads on over pages of which nothing fits where others did, and not without end")
  func stretch() throws {
    let stream = try FakeJob.stream(FakeJob.token(), size: 10)
    func run(_ bad: ClosedRange<Int>) throws -> (WalkRun, Certificate) {
      let (run, certificate, _) = try walk(stream) { step in
        let keys = step.ordinal * 10...step.ordinal * 10 + 9
        return .page(
          Self.page(
            keys, rejected: bad.contains(step.ordinal) ? Set(keys) : [],
            next: step.ordinal < 99 ? .token("t\(step.ordinal)") : nil))
      }
      return (run, certificate)
    }
    #expect(try run(3...20).1.cause == .rejects)
    let (long, certificate) = try run(3...99)
    #expect(long.requests.count == 52 && certificate.rule == .onlyRejects)
    #expect(certificate.why.hasPrefix("every record of 50 pages in a row was rejected"))
  }

  // MARK: keys that are not unique

  private static func clashes(onPage: Int = 0, acrossPages: Int = 0) -> KeyClashes {
    var clashes = KeyClashes()
    (clashes.onPage, clashes.acrossPages, clashes.example) = (onPage, acrossPages, "7")
    return clashes
  }

  @Test("is not complete where two records of one page have one key")
  func ambiguous() throws {
    let stream = try FakeJob.stream(.single, size: nil, isOnePage: true)
    let (_, certificate, _) = try walk(stream) { _ in
      var page = ScriptPage(1...5)
      page.clashes = Self.clashes(onPage: 6)
      return .page(page)
    }
    #expect(certificate.cause == .ambiguousKey)
    #expect(
      certificate.why.contains(
        "6 records came with the key of another one (7): the key does not distinguish them"))
  }

  @Test(
    "takes a few keys that come again with other values for changes, and many for no keys",
    arguments: [(1, nil), (9, Shortfall.ambiguousKey)])
  func acrossPages(count: Int, cause: Shortfall?) throws {
    let stream = try FakeJob.stream(FakeJob.token(), size: 10)
    let (_, certificate, _) = try walk(stream) { step in
      var page = ScriptPage(step.ordinal * 10...step.ordinal * 10 + 9)
      if step.ordinal == 3 { page.clashes = Self.clashes(acrossPages: count) }
      if step.ordinal < 4 { page.next = .token("t\(step.ordinal)") }
      return .page(page)
    }
    #expect(certificate.cause == cause)
    if cause == nil {
      #expect(certificate.verdict == .unproven)
      #expect(
        certificate.why.contains("1 record came again with other values under the same key (7)"))
    }
  }
}
