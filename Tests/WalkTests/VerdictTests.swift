import Base
import Walk
import Testing

@Suite("The verdict of a walk")
struct VerdictTests {
  static let cap = Cap(at: 500, doubt: 450, expected: nil)

  @Test(
    "is limited by the count of records, whatever ended the walk",
    arguments: [(449, Verdict.unproven), (450, .limited), (480, .limited)])
  func doubt(count: Int, verdict: Verdict) throws {
    let stream = try FakeJob.stream(
      FakeJob.token(), size: 50, total: verdict == .limited ? .estimate : .worthless,
      cap: Self.cap)
    let (_, certificate, _) = try walk(stream) { step in
      let first = (step.ordinal - 1) * 50 + 1
      let last = min(count, first + 49)
      return .page(
        ScriptPage(
          first...last, total: 9000, next: last < count ? .token("t\(step.ordinal)") : nil))
    }
    #expect(certificate.verdict == verdict && certificate.rule == .noNextPage)
    #expect(certificate.isAsDeclared == (verdict == .unproven))
    if verdict == .limited {
      let why = "ended with \(count) records, and the API ends such lists near 500; "
      #expect(certificate.why == why + "the API said 9000 (an estimate)")
    }
  }

  @Test(
    "is limited and yet as declared where the job expects the cap, which costs no request more",
    arguments: [
      (FakeJob.offset, 499, "page size=49&offset=450"),
      (FakeJob.number, 500, "page size=50&page=10"),
    ])
  func expected(pager: Pager, limit: Int, last: String) throws {
    let cap = Cap(at: limit, doubt: 450, expected: "the list is its first \(limit)")
    let server = PositionServer(count: 4000)
    let (run, certificate, _) = try walk(FakeJob.stream(pager, size: 50, cap: cap)) { step in
      .page(server.page(step, size: step.cursor == .offset(450) ? 49 : 50))
    }
    #expect(run.requests.last == last, "up to the limit; no look back")
    #expect(run.requests.count == 10 && run.seen.count == limit)
    #expect(certificate.cause == .ceiling && certificate.rule == .capReached)
    let why = "the API's limit of \(limit); declared in the job: the list is its first \(limit)"
    #expect(certificate.isAsDeclared && certificate.why == why)
  }

  @Test(
    "never asks for a page that passes the cap, and for all before it",
    arguments: [(30, 4), (40, 3), (100, 1), (150, 1)])
  func wholeWindow(size: Int, requests: Int) throws {
    let cap = Cap(at: 100, doubt: 100, expected: nil)
    let stream = try FakeJob.stream(FakeJob.number, size: size, total: .counted, cap: cap)
    var server = PositionServer(count: 5000, total: 36_072)
    server.heedsSizes = true
    let (run, certificate, _) = try walk(stream, of: server, size: min(size, 100), varies: true)
    #expect(run.requests.count == requests, "\(run.requests)")
    #expect(run.seen == Set(1...100))
    #expect(certificate.cause == .ceiling && certificate.rule == .capReached)
    #expect(!certificate.isAsDeclared)
  }

  @Test("where the size cannot be chosen, takes what comes of a page that passes the cap")
  func fixedSize() throws {
    let cap = Cap(at: 250, doubt: 250, expected: nil)
    for pager in PositionRuleTests.pagers {
      let stream = try FakeJob.stream(pager, cap: cap, overlaps: true, isAsked: false)
      for (last, stored) in [
        (.page(ScriptPage([])), 200), (.trouble(.init(.refused, "too far", status: 400)), 200),
        (nil, 250),
      ] as [(Reply?, Int)] {
        let (run, certificate, _) = try walk(stream) { step in
          let page = PositionServer(count: 250).page(step, size: 100)
          return page.keys.count == 100 ? .page(page) : last ?? .page(page)
        }
        let overlap = pager == FakeJob.offset && last != nil ? 1 : 0
        #expect(run.seen.count == stored - overlap, "\(run.requests)")
        #expect(certificate.verdict == .limited && certificate.rule == .capReached)
      }
    }
  }

  @Test(
    "is not complete where a counted total stops at the cap as the list does",
    arguments: [(99, nil, .complete), (100, nil, .limited), (100, "all", .complete)]
      as [(Int, String?, Verdict)])
  func totalAtTheCap(count: Int, expected: String?, verdict: Verdict) throws {
    let cap = Cap(at: 100, doubt: 100, expected: expected)
    for size in [100, 40] {
      let stream = try FakeJob.stream(FakeJob.number, size: size, total: .counted, cap: cap)
      var server = PositionServer(count: count, total: count)
      server.heedsSizes = true
      let (run, certificate, _) = try walk(stream, of: server, size: size, varies: true)
      #expect(run.seen.count == count && certificate.rule == .countedTotal)
      #expect(certificate.verdict == verdict, "\(certificate.why)")
    }
  }

  @Test("is limited at 200 with zeros behind the front: the API's silent ceiling")
  func silentZeros() throws {
    let stream = try FakeJob.stream(FakeJob.offset, size: 50, total: .estimate)
    let (run, certificate, _) = try walk(stream) { step in
      guard step.ordinal < 4 else { return .page(ScriptPage([], total: 0)) }
      return .page(PositionServer(count: 9000, total: 4252).page(step, size: 50))
    }
    #expect(run.requests.count == 4)
    #expect(certificate.cause == .ceiling && certificate.rule == .capSign)
    #expect(certificate.lastTotal == 4252 && !certificate.hasMoved)
    #expect(certificate.why.hasPrefix("the page at offset 150 is empty and its total fell to 0"))
  }

  @Test("is complete where the list itself is empty: zeros on page 1 are no ceiling")
  func trulyEmpty() throws {
    let stream = try FakeJob.stream(FakeJob.offset, size: 50, total: .estimate)
    let (run, certificate, _) = try walk(stream) { _ in .page(ScriptPage([], total: 0)) }
    #expect(run.requests.count == 1)
    #expect(certificate.verdict.isWhole && certificate.rule == .emptyPage)
  }

  @Test(
    "is limited where the error table takes an answer for the cap, or for further back than it answers",
    arguments: [
      (.init(.cap, "no more than 100 on this plan"), .ceiling, .capSign),
      (.init(.gap, "no more than 100 on this plan"), .outOfReach, .outOfReach),
      (.init(.cap, "no more than 100 on this plan", status: 422), .ceiling, .capSign),
      (.init(.gap, "no more than 100 on this plan", status: 422), .outOfReach, .outOfReach),
    ] as [(Walker.Trouble, Shortfall, StopRule)])
  func capError(trouble: Walker.Trouble, cause: Shortfall, rule: StopRule) throws {
    let stream = try FakeJob.stream(FakeJob.number, total: .counted)
    let (run, certificate, _) = try walk(stream) { step in
      if step.ordinal == 2 { return .trouble(trouble) }
      return .page(PositionServer(count: 500, total: 500).page(step, size: 100))
    }
    #expect(run.requests.count == 2, "one page cannot shift under itself")
    #expect(certificate.verdict == .limited && certificate.cause == cause)
    #expect(certificate.rule == rule && certificate.why == "no more than 100 on this plan")
  }

  @Test("of a search is short of its counted total, though that changed under it")
  func searchTotal() throws {
    var stream = try FakeJob.stream(FakeJob.number, size: 10, total: .counted)
    stream.isSearch = true
    let (_, certificate, _) = try walk(stream) { step in
      let keys = [Array(1...10), Array(11...15), []][step.ordinal - 1]
      return .page(ScriptPage(keys, total: step.ordinal == 1 ? 30 : 31))
    }
    #expect(certificate.claim == "incomplete (count)", "\(certificate.why)")
  }

  @Test("is complete where the error table takes an answer for the end of the list")
  func endError() throws {
    let (run, certificate, _) = try walk(FakeJob.stream(FakeJob.number)) { step in
      if step.ordinal == 3 { return .trouble(.init(.ended, "page 3 is past the end")) }
      return .page(PositionServer(count: 200).page(step, size: 100))
    }
    #expect(run.requests.count == 4)
    #expect(certificate.verdict.isWhole && certificate.rule == .errorMeansEnd)
  }

  @Test("is unproven where page 1 cannot be requested again: nothing shows that the list rested")
  func unknown() throws {
    let (_, certificate, _) = try walk(FakeJob.stream(FakeJob.number)) { step in
      if step.purpose == .closingCheck { return .trouble(.init(.unreadable, "timed out")) }
      return .page(PositionServer(count: 200).page(step, size: 100))
    }
    #expect(certificate.verdict == .unproven && !certificate.hasMoved)
    #expect(certificate.why.contains("page 1 could not be requested again"))
  }

  @Test(
    "warns of nothing where a short page is the whole list, or the API filters a few",
    arguments: [([30], 0), ([97, 99, 20], 0), ([60, 60, 10], 1), ([60, 58, 10], 0)])
  func sizes(received: [Int], count: Int) throws {
    let stream = try FakeJob.stream(FakeJob.token())
    let (_, _, warnings) = try walk(stream) { step in
      let keys = (0..<received[step.ordinal - 1]).map { step.ordinal * 1000 + $0 }
      let isLast = step.ordinal == received.count
      return .page(ScriptPage(keys, next: isLast ? nil : .token("t\(step.ordinal)")))
    }
    #expect(warnings.count == count)
  }
}
