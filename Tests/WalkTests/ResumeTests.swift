import Base
import Walk
import Testing

@Suite("A walk that goes on later")
struct ResumeTests {
  /// Stops after some commits, then resumes with what is stored.
  static func twoRuns(
    _ stream: Base.Stream, commits: Int, after walkBreak: WalkBreak = WalkBreak(),
    _ answer: (Step, Int) throws -> Reply
  ) throws -> (run: WalkRun, certificate: Certificate, startsAgain: Bool) {
    let builder = try FakeJob.builder(stream)
    var memory = WalkMemory()
    memory.sizesHold = false
    var first = Walker(builder, memory: memory)
    var killed = WalkRun()
    killed.commitsMax = commits
    try killed.drive(&first) { try answer($0, 1) }
    #expect(killed.certificate == nil, "it was killed")
    var second = Walker(builder, resuming: killed.stored, after: walkBreak, memory: memory)
    var run = WalkRun(after: killed)
    try run.drive(&second) { try answer($0, 2) }
    return (run, try #require(run.certificate), second.startsAgain)
  }

  static let pagers = PositionRuleTests.pagers

  @Test(
    "looks at the last page before the second, wherever it was killed, and is proven by it",
    arguments: 1...4)
  func lastPage(commits: Int) throws {
    let (run, certificate, _) = try Self.twoRuns(FakeJob.stream(.link), commits: commits) {
      step, _ in .page(ChainRuleTests.linked(step, of: 4))
    }
    #expect(certificate.proof == .ends, "\(certificate.why)")
    #expect(run.requests.count == [5, 3, 2, 1][commits - 1])
    #expect(run.requests.contains { $0.hasPrefix("lastPage") } == (commits == 1))
  }

  @Test(
    "by position reads the last committed page again, then the rest, and ends as one that never stopped",
    arguments: pagers)
  func seam(pager: Pager) throws {
    let server = PositionServer(count: 450, total: 450)
    let stream = try FakeJob.stream(pager, total: .counted)
    let whole = try walk(stream) { .page(server.page($0, size: 100)) }.certificate
    for commits in 1...5 {
      let (run, certificate, _) = try Self.twoRuns(stream, commits: commits) { step, _ in
        .page(server.page(step, size: 100))
      }
      #expect(commits == 5 || certificate == whole)
      let request = PositionRuleTests.request
      // Page 5 ends the list: only the look back is left.
      let expected =
        commits == 5
        ? []
        : [request(pager, commits, "seam")] + (commits + 1...5).map { request(pager, $0, "page") }
      #expect(run.requests == expected + [request(pager, 1, "closingCheck")])
      #expect(certificate.verdict.isWhole && certificate.rule == .countedTotal)
      #expect(certificate.counts.received == 450 && certificate.counts.new == 450)
      #expect(certificate.pages == 5 && certificate.distinctKeys == 450)
    }
  }

  /// After a pause the list has grown at its front, or is another one altogether.
  private static func changed(
    _ pager: Pager, by keys: ClosedRange<Int>, after walkBreak: WalkBreak
  ) throws -> (run: WalkRun, certificate: Certificate, startsAgain: Bool) {
    try twoRuns(FakeJob.stream(pager), commits: 2, after: walkBreak) { step, run in
      var server = PositionServer(count: 450)
      if run == 2 { server.keys.insert(contentsOf: keys, at: 0) }
      return .page(server.page(step, size: 100))
    }
  }

  @Test(
    "begins again where the list moved in the pause, and certifies no drift of its own",
    arguments: pagers, [1000...1009, 1000...1500])
  func changedInPause(pager: Pager, keys: ClosedRange<Int>) throws {
    let (run, certificate, startsAgain) = try Self.changed(
      pager, by: keys, after: WalkBreak(pausedFor: .seconds(60)))
    // The page that shows it, and then the list from its start.
    #expect(run.requests[0] == PositionRuleTests.request(pager, 2, "seam"))
    #expect(run.requests[1] == PositionRuleTests.request(pager, 1, "page"))
    #expect(startsAgain && certificate.verdict.isWhole && !certificate.hasMoved)
    #expect(run.seen == Set(1...450).union(keys))
  }

  @Test(
    "and takes several nights loses nothing where the list grew meanwhile, and says that it moved",
    arguments: pagers)
  func grownOverNights(pager: Pager) throws {
    let night = WalkBreak(
      pausedFor: .seconds(86_400), isPlanned: true, plannedStops: 1, lastTook: .seconds(90_000),
      interval: .seconds(172_800))
    let (run, certificate, startsAgain) = try Self.changed(pager, by: 1000...1009, after: night)
    #expect(run.requests[0] == PositionRuleTests.request(pager, 2, "seam"))
    #expect(run.seen.isSuperset(of: 1...450) && !startsAgain)
    #expect(certificate.cause == .moved && certificate.hasMoved)
  }

  @Test("begins again, and makes no seam, once the next walk of the list is due", arguments: pagers)
  func overdue(pager: Pager) throws {
    let night = Duration.seconds(85_000)
    for walkBreak in [
      WalkBreak(pausedFor: .seconds(3601)),
      // Its pages are trusted for long, but the list is read each night.
      WalkBreak(pausedFor: .seconds(3000), age: night, interval: .seconds(86_400)),
      // A quota stopped it this time, and the list usually takes a minute.
      WalkBreak(
        pausedFor: night, isPlanned: true, plannedStops: 1, lastTook: .seconds(60),
        interval: .seconds(86_400)),
      WalkBreak(pausedFor: night, isPlanned: true, plannedStops: 1, isWindow: true),
    ] {
      let (run, certificate, startsAgain) = try Self.twoRuns(
        FakeJob.stream(pager), commits: 2, after: walkBreak
      ) { step, _ in .page(PositionServer(count: 450).page(step, size: 100)) }
      #expect(run.requests[0] == PositionRuleTests.request(pager, 1, "page"))
      #expect(startsAgain && certificate.verdict == .unproven)
    }
  }

  @Test(
    "is resumed over a pause of a night that a quota made, and is no proof by itself",
    arguments: pagers)
  func quotaNight(pager: Pager) throws {
    let night = Duration.seconds(86_400)
    let first = WalkBreak(pausedFor: night, isPlanned: true, plannedStops: 1)
    for walkBreak in [
      // It was never read to its end before.
      first,
      // The walk before took as long, or two in a row were stopped like this.
      WalkBreak(
        pausedFor: night, isPlanned: true, plannedStops: 1, lastTook: night,
        interval: .seconds(172_800)),
      WalkBreak(
        pausedFor: night, isPlanned: true, plannedStops: 2, lastTook: .seconds(60), interval: night),
      // Killed this time, but stopped by a quota before.
      WalkBreak(pausedFor: night, age: .seconds(172_800), longestPause: night),
    ] {
      let (run, certificate, startsAgain) = try Self.twoRuns(
        FakeJob.stream(pager, total: .counted), commits: 8, after: walkBreak
      ) { step, _ in .page(PositionServer(count: 1_350, total: 1_350).page(step, size: 100)) }
      #expect(run.requests[0] == PositionRuleTests.request(pager, 8, "seam"))
      #expect(!startsAgain && certificate.verdict == .unproven && certificate.cause == nil)
      #expect(certificate.why.contains("paused for so long that records may"))
    }
    // A run that read the larger part reads all of it, and proves it; a few pages are read again at once.
    for (commits, count, begin) in [
      (6, 1_350, PositionRuleTests.request(pager, 6, "seam")),
      (2, 450, PositionRuleTests.request(pager, 1)),
    ] {
      let (run, certificate, startsAgain) = try Self.twoRuns(
        FakeJob.stream(pager, total: .counted), commits: commits, after: first
      ) { step, _ in .page(PositionServer(count: count, total: count).page(step, size: 100)) }
      #expect(run.requests[0] == begin && startsAgain)
      #expect(certificate.verdict == .complete && run.seen.count == count)
    }
  }

  private static let pages = (0..<4).map { Array(($0 * 10)..<min($0 * 10 + 10, 35)) }

  @Test(
    "by token goes on from it, or begins again where the pause outlived it, unless a quota stopped two in a row",
    arguments: ChainRuleTests.Style.allCases)
  func token(style: ChainRuleTests.Style) throws {
    let answer = ChainRuleTests.chain(style, Self.pages)
    let night = Duration.seconds(86_400)
    for (walkBreak, page) in [
      (WalkBreak(pausedFor: .seconds(3600)), 3), (WalkBreak(pausedFor: .seconds(3601)), 1),
      (WalkBreak(pausedFor: night, isPlanned: true, plannedStops: 1), 1),
      (WalkBreak(pausedFor: night, isPlanned: true, plannedStops: 2), 3),
    ] {
      let (run, certificate, startsAgain) = try Self.twoRuns(
        ChainRuleTests.stream(style), commits: 2, after: walkBreak
      ) { step, _ in answer(step) }
      #expect(run.requests == (page...4).map { ChainRuleTests.request(style, $0) })
      #expect(certificate.verdict.isWhole && certificate.pages == 4)
      #expect(startsAgain ? page == 1 : certificate.counts.new == 35)
    }
  }

  @Test(
    "by token goes on for as long as it is valid, and is no proof by itself over a longer pause than an hour",
    arguments: ChainRuleTests.Style.allCases)
  func longLife(style: ChainRuleTests.Style) throws {
    let answer = ChainRuleTests.chain(style, Self.pages, total: 35)
    var stream = try ChainRuleTests.stream(style, total: .counted)
    stream.tokenLife = .seconds(90 * 86_400)
    for (pause, verdict) in [(3600, Verdict.complete), (3601, .unproven)] {
      let (_, certificate, startsAgain) = try Self.twoRuns(
        stream, commits: 2,
        after: WalkBreak(pausedFor: .seconds(pause), isPlanned: true, plannedStops: 2)
      ) { step, _ in answer(step) }
      #expect(!startsAgain && certificate.verdict == verdict, "\(certificate.why)")
    }
  }

  @Test("by token begins again, once, where the server refuses it")
  func refusedToken() throws {
    let answer = ChainRuleTests.chain(.token, Self.pages)
    let requests = [3, 1, 2, 3, 4].map { ChainRuleTests.request(.token, $0) }
    for trouble in [Walker.Trouble(.refused, "400"), .init(.restart, "the token died")] {
      for refusals in [1, 2] {
        var refused = 0
        let (run, certificate, startsAgain) = try Self.twoRuns(
          ChainRuleTests.stream(.token), commits: 2
        ) { step, run in
          guard run == 2, step.ordinal == 3, refused < refusals else { return answer(step) }
          refused += 1
          return .trouble(trouble)
        }
        #expect(startsAgain)
        #expect(run.requests == Array(requests.prefix(refusals == 1 ? 5 : 4)))
        #expect(certificate.verdict == (refusals == 1 ? .unproven : .failed))
      }
    }
  }

  @Test("that had ended concludes without a request, or with the look back alone")
  func ended() throws {
    let builder = try FakeJob.builder(FakeJob.stream(.single))
    let page = PageSummary(purpose: .page, ordinal: 1, cursor: .start, next: nil)
    var single = Walker(builder, resuming: [page])
    guard case .conclude(let certificate) = single.begin() else {
      Issue.record("a single answer asks nothing again")
      return
    }
    #expect(certificate.verdict.isWhole)
  }

  @Test("fails where the page that it resumes from is refused", arguments: [400, 403])
  func refusedSeam(status: Int) throws {
    let (run, certificate, _) = try Self.twoRuns(
      FakeJob.stream(FakeJob.number), commits: 2
    ) { step, _ in
      step.purpose == .seam
        ? .trouble(.init(.refused, "no", status: status))
        : .page(PositionServer(count: 450).page(step, size: 100))
    }
    #expect(certificate.verdict == .failed && run.requests.count == 1)
  }
}

@Suite("A page that cannot be read")
struct RepairTests {
  static let pagers = PositionRuleTests.pagers

  @Test("is skipped, asked once more at the end, and then the walk is complete", arguments: pagers)
  func sameRun(pager: Pager) throws {
    let server = PositionServer(count: 430, total: 430)
    let (run, certificate, _) = try walk(FakeJob.stream(pager, total: .counted)) { step in
      if step.purpose == .page && step.ordinal == 3 { return .trouble(.init(.unreadable, "HTML")) }
      return .page(server.page(step, size: 100))
    }
    let request = PositionRuleTests.request
    #expect(
      run.requests == (1...5).map { request(pager, $0, "page") } + [
        request(pager, 3, "repair"), request(pager, 1, "closingCheck"),
      ])
    #expect(certificate.verdict.isWhole && certificate.counts.received == 430)
  }

  @Test(
    "leaves a walk failed that names it; a run soon after requests only that page",
    arguments: pagers)
  func nextRun(pager: Pager) throws {
    let server = PositionServer(count: 430)
    let stream = try FakeJob.stream(pager)
    let builder = try FakeJob.builder(stream)
    var first = Walker(builder)
    var run = WalkRun()
    try run.drive(&first) { step in
      step.ordinal == 3 ? .trouble(.init(.unreadable, "HTML")) : .page(server.page(step, size: 100))
    }
    let failed = try #require(run.certificate)
    #expect(failed.verdict == .failed && failed.rule == .failure)
    #expect(
      failed.why == "page 3 could not be read (HTML); a run within 1 h requests only that page")
    #expect(run.stored.count { $0.isUnreadable } == 1)

    var second = Walker(builder, resuming: run.stored, after: WalkBreak(pausedFor: .seconds(60)))
    var repair = WalkRun(after: run)
    try repair.drive(&second) { .page(server.page($0, size: 100)) }
    let request = PositionRuleTests.request
    #expect(repair.requests == [request(pager, 3, "repair"), request(pager, 1, "closingCheck")])
    let certificate = try #require(repair.certificate)
    #expect(certificate.verdict.isWhole && certificate.counts.received == 430)

    var third = Walker(builder, resuming: repair.stored)
    var again = WalkRun(after: repair)
    try again.drive(&third) { .page(server.page($0, size: 100)) }
    #expect(again.requests == [request(pager, 1, "closingCheck")], "not the repaired page again")
  }

  @Test("ends the walk when three in a row cannot be read; the next run goes on", arguments: pagers)
  func threeInARow(pager: Pager) throws {
    let server = PositionServer(count: 930)
    let builder = try FakeJob.builder(FakeJob.stream(pager))
    var memory = WalkMemory()
    memory.sizesHold = false
    var first = Walker(builder, memory: memory)
    var run = WalkRun()
    try run.drive(&first) { step in
      (3...5).contains(step.ordinal)
        ? .trouble(.init(.unreadable, "503")) : .page(server.page(step, size: 100))
    }
    #expect(run.requests.count == 5 && run.certificate?.verdict == .failed)

    var second = Walker(builder, resuming: run.stored, memory: memory)
    var later = WalkRun(after: run)
    try later.drive(&second) { .page(server.page($0, size: 100)) }
    let request = PositionRuleTests.request
    var expected = [request(pager, 2, "seam")]
    expected += (6...11).map { request(pager, $0, "page") }
    expected += (3...5).map { request(pager, $0, "repair") }
    if case .number = pager {
      #expect(later.requests == expected + [request(pager, 1, "closingCheck")])
    }
    #expect(later.certificate?.verdict.isWhole == true && later.seen.count == 930)
  }

  @Test("does not make a walk ask beyond a counted total", arguments: pagers)
  func total(pager: Pager) throws {
    let server = PositionServer(count: 400, total: 400)
    let (run, certificate, _) = try walk(FakeJob.stream(pager, total: .counted)) { step in
      step.ordinal == 4 && step.purpose == .page
        ? .trouble(.init(.unreadable, "cut")) : .page(server.page(step, size: 100))
    }
    #expect(run.requests.count == 6)
    #expect(certificate.verdict.isWhole && certificate.rule == .countedTotal)
  }

  @Test(
    "that is page 1 is a list that is dead in this run: no other page is requested",
    arguments: pagers)
  func pageOne(pager: Pager) throws {
    for total in [nil, 250] {
      let server = PositionServer(count: 250, total: total)
      let stream = try FakeJob.stream(pager, total: total.map { _ in .counted })
      let (run, certificate, _) = try walk(stream) { step in
        step.ordinal == 1 && step.purpose == .page
          ? .trouble(.init(.unreadable, "cut")) : .page(server.page(step, size: 100))
      }
      #expect(certificate.verdict == .failed && run.seen.isEmpty)
      let pageOne = PositionRuleTests.request(pager, 1, "")
      #expect(run.requests.allSatisfy { $0.hasSuffix(pageOne) }, "\(run.requests)")
    }
  }

  @Test("and holds records of other pages when it is read at last shows that the list moved")
  func shifted() throws {
    // One record comes and goes again while page 2 is unreadable.
    var list = Array(0..<14)
    let (run, certificate, _) = try walk(FakeJob.stream(FakeJob.number, size: 3)) { step in
      if step.purpose == .page, step.ordinal == 3 { list.insert(99, at: 0) }
      if step.purpose == .page, step.ordinal == 4 || step.ordinal == 5 {
        list.removeAll { $0 == 99 }
      }
      if step.purpose == .page, step.ordinal == 2 { return .trouble(.init(.unreadable, "cut")) }
      let start = (step.ordinal - 1) * 3
      return .page(ScriptPage(list.dropFirst(start).prefix(3)))
    }
    #expect(!run.seen.isSuperset(of: list) && certificate.cause == .moved)
  }

  @Test(
    "and tells another total when it is read at last shows that the list moved", arguments: pagers)
  func otherTotal(pager: Pager) throws {
    let server = PositionServer(count: 430, total: 430)
    // The record that had left is replaced by another one when page 1 is looked at.
    let (_, certificate, _) = try walk(FakeJob.stream(pager, total: .counted)) { step in
      if step.purpose == .page && step.ordinal == 2 { return .trouble(.init(.unreadable, "cut")) }
      var page = server.page(step, size: 100)
      if step.purpose == .repair { page.total = 429 }
      return .page(page)
    }
    #expect(certificate.cause == .moved)
    #expect(certificate.why.contains("the total changed and returned to 430"))
  }
}
