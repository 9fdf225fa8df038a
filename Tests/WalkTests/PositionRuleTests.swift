import Base
@testable import Walk
import Testing

/// A server of pages by number or offset, over the keys 1...count.
struct PositionServer {
  var keys: [Int]
  var total: Int?
  var hasFlag = false
  /// The largest page size that the server accepts.
  var sizeMax = Int.max
  /// It gives pages in the size that each request has of its own.
  var heedsSizes = false

  init(count: Int, total: Int? = nil, hasFlag: Bool = false) {
    keys = Array(1...max(1, count)).filter { $0 <= count }
    self.total = total
    self.hasFlag = hasFlag
  }

  func page(_ step: Step, size: Int) -> ScriptPage {
    var size = min(size, sizeMax)
    let start: Int
    switch step.cursor {
    case .number(let page): start = (page - 1) * size
    case .sized(let page, let own) where heedsSizes:
      size = min(own, sizeMax)
      start = (page - 1) * size
    case .offset(let offset): start = offset
    default: start = 0
    }
    let end = min(keys.count, start + size)
    return ScriptPage(
      start < end ? keys[start..<end] : [], total: total, more: hasFlag ? end < keys.count : nil)
  }
}

/// Runs a stream against such a server to its end.
func walk(
  _ stream: Base.Stream, of server: PositionServer, size: Int = 100, varies: Bool = false,
  sourceLocation: SourceLocation = #_sourceLocation
) throws -> (run: WalkRun, certificate: Certificate, warnings: [String]) {
  try walk(stream, varies: varies, sourceLocation: sourceLocation) {
    .page(server.page($0, size: size))
  }
}

@Suite("A walk by page number or offset")
struct PositionRuleTests {
  static let pagers = [FakeJob.number, FakeJob.offset]

  /// `size=100&page=3` and `size=100&offset=200` alike.
  static func request(_ pager: Pager, _ index: Int, _ purpose: String = "page") -> String {
    pager == FakeJob.number
      ? "\(purpose) size=100&page=\(index)" : "\(purpose) size=100&offset=\((index - 1) * 100)"
  }

  @Test("ends at a counted total, after one look back at page 1", arguments: pagers)
  func countedTotal(pager: Pager) throws {
    let (run, certificate, warnings) = try walk(
      FakeJob.stream(pager, total: .counted), of: PositionServer(count: 230, total: 230))
    #expect(
      run.requests == [1, 2, 3].map { Self.request(pager, $0) } + [
        Self.request(pager, 1, "closingCheck")
      ])
    #expect(certificate.verdict.isWhole)
    #expect(certificate.rule == .countedTotal)
    #expect(certificate.why == "all 230 that the API counts, in 3 pages")
    #expect(certificate.counts.received == 230 && certificate.distinctKeys == 230)
    #expect(certificate.firstTotal == 230 && certificate.trust == .counted)
    #expect(run.promised == 2 && warnings.isEmpty)
  }

  @Test("ends at an empty page when nothing else tells the end", arguments: pagers)
  func emptyPage(pager: Pager) throws {
    let (run, certificate, _) = try walk(FakeJob.stream(pager), of: PositionServer(count: 150))
    #expect(run.requests.count == 4 && run.requests.last == Self.request(pager, 1, "closingCheck"))
    #expect(certificate.verdict.isWhole && certificate.rule == .emptyPage)
    #expect(run.promised == 0)
  }

  @Test("does not end at a short page", arguments: pagers)
  func shortPage(pager: Pager) throws {
    let pages = [1...48, 51...100, 101...120].map(Array.init) + [[]]
    let (run, certificate, _) = try walk(FakeJob.stream(pager, size: 100)) {
      .page(ScriptPage(pages[$0.ordinal - 1]))
    }
    #expect(run.requests.count == 5)
    if case .offset = pager {
      #expect(run.requests[1].hasSuffix("offset=48"), "an offset advances by what came")
    }
    #expect(certificate.counts.received == 118 && certificate.rule == .emptyPage)
  }

  @Test("a short last page of uneven ones is not requested again as it was", arguments: pagers)
  func unevenEnd(pager: Pager) throws {
    let pages = [1...100, 101...140, 201...201].map(Array.init) + [[]]
    let (run, certificate, _) = try walk(FakeJob.stream(pager, size: 100)) {
      .page(ScriptPage($0.purpose == .closingCheck ? pages[0] : pages[$0.ordinal - 1]))
    }
    #expect(!run.requests.contains { $0.hasPrefix("lastRecord") }, "\(run.requests)")
    #expect(certificate.verdict == .unproven)
  }

  @Test("does not end at an estimated total", arguments: pagers)
  func estimate(pager: Pager) throws {
    let (run, certificate, _) = try walk(
      FakeJob.stream(pager, total: .estimate), of: PositionServer(count: 150, total: 100))
    #expect(run.requests.count == 4 && run.promised == 0)
    #expect(certificate.verdict.isWhole && certificate.rule == .emptyPage)
    #expect(certificate.why.hasSuffix("the API said 100 (an estimate)"))
  }

  @Test("ends where the answer's flag says that no more follow", arguments: pagers)
  func moreFlag(pager: Pager) throws {
    let (run, certificate, _) = try walk(
      FakeJob.stream(pager, more: true), of: PositionServer(count: 230, hasFlag: true))
    #expect(run.requests.count == 4 && run.promised == 2)
    #expect(certificate.verdict.isWhole && certificate.rule == .moreFlag)
  }

  @Test(
    "counts dropped, rejected and repeated records as positions, and distinct keys as records",
    arguments: pagers)
  func positions(pager: Pager) throws {
    let (run, certificate, _) = try walk(FakeJob.stream(pager, size: 4, total: .counted)) { step in
      var page = ScriptPage(step.ordinal == 1 ? [1, 2, 2, 3] : [4, 5], total: 6)
      page.dropped = [3]
      page.rejected = [5]
      return .page(page)
    }
    #expect(run.requests.count == 3)
    #expect(certificate.cause == .count && certificate.rule == .countedTotal)
    #expect(
      certificate.why.hasSuffix(
        "the API counts 6, and 5 different ones were received; 3 rows, 1 dropped by rule, "
          + "1 repeated, 1 rejected of 6 received; 1 record was rejected"))
    #expect(certificate.counts.received == 6 && certificate.distinctKeys == 5)
  }

  @Test("asks one more page after one without an unseen key", arguments: pagers)
  func nothingUnseen(pager: Pager) throws {
    // A server that ignores the position.
    let (run, certificate, _) = try walk(FakeJob.stream(pager)) { _ in .page(ScriptPage(1...100)) }
    let isNumber = pager == FakeJob.number
    #expect(
      run.requests == [1, 2, 3].map { Self.request(pager, $0) }
        + (isNumber ? [] : [Self.request(pager, 1, "closingCheck")]))
    #expect(certificate.cause == (isNumber ? .unread : .moved))
    #expect(certificate.rule == .nothingUnseen)
  }

  @Test("is incomplete where the counted total is not reached", arguments: pagers)
  func short(pager: Pager) throws {
    let (_, certificate, _) = try walk(
      FakeJob.stream(pager, total: .counted), of: PositionServer(count: 210, total: 230))
    #expect(certificate.cause == .count && certificate.rule == .emptyPage)
    #expect(certificate.why.hasSuffix("the API counts 230, and 210 were received"))
    #expect(!certificate.isAsDeclared)
  }

  @Test("is incomplete where an empty page says that more follow", arguments: pagers)
  func shortByFlag(pager: Pager) throws {
    let (_, certificate, _) = try walk(FakeJob.stream(pager, more: true)) {
      .page(ScriptPage($0.ordinal == 1 ? Array(1...100) : [], more: true))
    }
    #expect(certificate.cause == .count)
  }

  @Test("is incomplete where page 1 is another at the end", arguments: pagers)
  func movedFront(pager: Pager) throws {
    let (_, certificate, _) = try walk(FakeJob.stream(pager)) { step in
      var server = PositionServer(count: 230)
      if step.purpose == .closingCheck { server.keys.insert(999, at: 0) }
      return .page(server.page(step, size: 100))
    }
    #expect(certificate.cause == .moved && certificate.hasMoved)
    #expect(certificate.rule == .emptyPage)
    #expect(certificate.why.hasSuffix("page 1 held other records at the end"))
  }

  @Test(
    "is not complete where pages by number grow in its midst: what is between them was never read",
    arguments: [false, true])
  func growingPages(isCounted: Bool) throws {
    // Pages of 100, and from page 3 on of 200, which begin at 400.
    let keys = Array(1...1000)
    for isWhole in [false, true] {
      let (_, certificate, _) = try walk(
        FakeJob.stream(FakeJob.number, total: isCounted ? .counted : nil)
      ) { step in
        guard case .number(let page) = step.cursor else { return .page(ScriptPage([])) }
        let size = page < 3 ? 100 : 200
        let start = page < 3 || !isWhole ? (page - 1) * size : 200 + (page - 3) * 200
        return .page(
          ScriptPage(
            start < 1000 ? keys[start..<min(1000, start + size)] : [],
            total: isCounted ? 1000 : nil))
      }
      #expect(certificate.verdict == (isCounted && isWhole ? .complete : .incomplete))
      #expect(certificate.cause == (isCounted ? isWhole ? nil : .count : .moved))
    }
  }

  @Test("tells a list that moved all the time in one short sentence", arguments: pagers)
  func movedAllTheTime(pager: Pager) throws {
    let (_, certificate, _) = try walk(FakeJob.stream(pager, size: 10, total: .counted)) { step in
      let start = (step.ordinal - 1) * 9
      return .page(ScriptPage(start..<min(start + 10, 91), total: 80 + step.ordinal))
    }
    #expect(certificate.cause == .moved)
    #expect(
      certificate.why.contains(
        "pages 2, 3, 4, 5, 6 and 3 more begin with records of the page before"))
    #expect(certificate.why.contains("the total changed and returned to 81"))
  }

  @Test("takes pages that are longer than asked for what they are", arguments: pagers)
  func overlong(pager: Pager) throws {
    // The server ends a page at offset + 2 x size: pages overlap, and are longer than requested.
    let keys = Array(1...113)
    let (run, certificate, _) = try walk(FakeJob.stream(pager, size: 20, total: .counted)) { step in
      let start = (step.ordinal - 1) * 20
      return .page(ScriptPage(keys[start..<min(113, start + 20 * step.ordinal)], total: 113))
    }
    #expect(run.seen.count == 113 && certificate.distinctKeys == 113)
    #expect(certificate.verdict.isWhole && certificate.rule == .countedTotal)
    #expect(run.requests.count == 5, "4 pages reach the end, and page 1 once more")
  }

  @Test("takes any place for the last page of an earlier walk, also one that no list reaches")
  func farLastPage() throws {
    var server = PositionServer(count: 150)
    server.heedsSizes = true
    for place in [Int.min, -1, .max / 25, .max] {
      var memory = WalkMemory()
      memory.lastPage = .number(place)
      let stream = try FakeJob.stream(FakeJob.number, size: 25)
      let (_, certificate, _) = try walk(stream, memory: memory, varies: true) { step in
        .page(step.purpose == .lastPage ? ScriptPage([]) : server.page(step, size: 25))
      }
      #expect(certificate.distinctKeys == 150, "\(place): \(certificate.why)")
    }
  }

  @Test("reads a clamped page size as it comes")
  func clamped() throws {
    var server = PositionServer(count: 90, total: 90)
    server.sizeMax = 30
    let (run, certificate, warnings) = try walk(
      FakeJob.stream(FakeJob.number, total: .counted), of: server)
    #expect(run.requests.count == 4 && certificate.verdict.isWhole)
    #expect(warnings.count == 1 && warnings[0].contains("\"size\" and got 30"))
  }
}
