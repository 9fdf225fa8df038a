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

  @Test("is never complete, though the counted total agrees with what came")
  func counted() throws {
    let stream = try FakeJob.stream(FakeJob.number, size: 10, total: .counted)
    let (_, certificate, _) = try walk(stream) { step in
      let first = (step.ordinal - 1) * 10 + 1
      return .page(Self.page(first...min(first + 9, 15), rejected: [3, 12], total: 15))
    }
    #expect(certificate.verdict == .incomplete && certificate.cause == .rejects)
    #expect(!certificate.isAsDeclared && certificate.proofs == [])
    #expect(certificate.why.contains("2 records were rejected (\(Self.reason))"))
  }

  @Test("of one answer is not complete either: 484 of 484", arguments: [1, 484])
  func oneAnswer(rejected: Int) throws {
    var stream = try FakeJob.stream(.single, size: nil)
    stream.hasOnePage = true
    let (_, certificate, _) = try walk(stream) { _ in
      .page(Self.page(1...484, rejected: Set(1...rejected)))
    }
    #expect(certificate.verdict == .incomplete && certificate.cause == .rejects)
  }

  @Test("is not complete where page 1 does not fit when it is read again")
  func again() throws {
    let stream = try FakeJob.stream(FakeJob.number, size: 10, total: .counted)
    let (_, certificate, _) = try walk(stream) { step in
      let isAgain = step.purpose == .closingCheck
      let first = (step.ordinal - 1) * 10 + 1
      return .page(Self.page(first...first + 9, rejected: isAgain ? [1] : [], total: 20))
    }
    #expect(certificate.verdict == .incomplete && certificate.cause == .rejects)
  }

  @Test("is no success at a cap that its job expects")
  func expectedCap() throws {
    let cap = Cap(at: 20, doubt: 20, expected: "the list is its first 20")
    let stream = try FakeJob.stream(FakeJob.number, size: 10, cap: cap)
    let (_, certificate, _) = try walk(stream) { step in
      let first = (step.ordinal - 1) * 10 + 1
      return .page(Self.page(first...first + 9, rejected: [11]))
    }
    #expect(certificate.verdict == .incomplete && certificate.cause == .rejects)
    #expect(!certificate.isAsDeclared)
  }

  @Test("remembers them over a pause")
  func paused() throws {
    let stream = try FakeJob.stream(FakeJob.token())
    let answer: (Step) throws -> Reply = { step in
      let next = Cursor.token("t\(step.ordinal)")
      let first = step.ordinal * 10
      return .page(
        Self.page(first...first + 9, rejected: [12], next: step.ordinal < 4 ? next : nil))
    }
    var run = WalkRun()
    run.commitsMax = 2
    var walker = Walker(try FakeJob.builder(stream))
    try run.drive(&walker, answer)
    var rest = WalkRun(after: run)
    walker = Walker(try FakeJob.builder(stream), resuming: run.stored)
    try rest.drive(&walker, answer)
    #expect(rest.certificate?.cause == .rejects)
    #expect(rest.certificate?.why.contains("1 record was rejected (\(Self.reason))") == true)
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
        let first = step.ordinal * 10
        let keys = first...first + 9
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
    var stream = try FakeJob.stream(.single, size: nil)
    stream.hasOnePage = true
    let (_, certificate, _) = try walk(stream) { _ in
      var page = ScriptPage(1...5)
      page.clashes = Self.clashes(onPage: 6)
      return .page(page)
    }
    #expect(certificate.verdict == .incomplete && certificate.cause == .ambiguousKey)
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
      let first = step.ordinal * 10
      var page = ScriptPage(first...first + 9, next: step.ordinal < 4 ? .token("t") : nil)
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
