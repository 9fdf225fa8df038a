import Base
import Walk
import Testing

@Suite("A feed that is declared newest first")
struct KnownGroundTests {
  /// Key k was created at second k; the newest comes first.
  static func page(_ keys: [Int], next: Cursor?) -> ScriptPage {
    var page = ScriptPage(keys, next: next)
    page.oldest = keys.last.map { Instant(seconds: Int64($0)) }
    page.isNewestFirst = zip(keys, keys.dropFirst()).allSatisfy { $0 >= $1 }
    return page
  }

  static func run(
    _ pages: [[Int]], pager: Pager? = nil, known: Set<Int>, ground: ClosedRange<Int64>?,
    total: Int? = nil, trust: Total.Trust = .counted, memory: WalkMemory = WalkMemory(),
    isDeclared: Bool = true
  ) throws -> (run: WalkRun, certificate: Certificate) {
    var stream = try FakeJob.stream(
      pager ?? FakeJob.token(), size: pages[0].count, total: total.map { _ in trust })
    if isDeclared { stream.newestFirst = "at" }
    let stretch = ground.map {
      TimeWindow(from: Instant(seconds: $0.lowerBound), to: Instant(seconds: $0.upperBound))
    }
    var walker = Walker(try FakeJob.builder(stream), lastCompleteRange: stretch, memory: memory)
    var run = WalkRun()
    run.known = known
    try run.drive(&walker) { step in
      guard step.ordinal <= pages.count else { return .page(ScriptPage([])) }
      let isLast = step.ordinal == pages.count
      var page = Self.page(pages[step.ordinal - 1], next: isLast ? nil : .token("t\(step.ordinal)"))
      page.total = total
      return .page(page)
    }
    return (run, try #require(run.certificate))
  }

  static let pages = [[100, 99, 98], [97, 96, 95], [94, 93, 92], [91, 90]]

  @Test(
    "stops where an earlier complete certificate covers the rest, and asks nothing ahead",
    arguments: [nil, FakeJob.number] as [Pager?])
  func stops(pager: Pager?) throws {
    let (run, certificate) = try Self.run(
      Self.pages, pager: pager, known: Set(1...96), ground: 0...96)
    // Two pages, and page 1 again.
    #expect(run.requests.count == 3 && run.promised == 0)
    #expect(certificate.verdict == .complete && certificate.rule == .lastCompleteRange)
    #expect(certificate.why.contains("an earlier complete walk covers up to"))
  }

  @Test(
    "does not stop where the API counts more than are here: what is missing lies behind",
    arguments: [(99, true), (98, false), (nil, true)])
  func lacking(rows: Int?, stops: Bool) throws {
    var memory = WalkMemory()
    memory.rowsListed = rows.map { $0 - 4 }
    let (_, certificate) = try Self.run(
      Self.pages, known: Set(1...96), ground: 0...96, total: 99, memory: memory)
    #expect((certificate.rule == .lastCompleteRange) == stops)
  }

  @Test("is read again by what is new alone where the API counts what is here")
  func countedAgain() throws {
    let pages = [[99, 98, 97], [96, 95, 94], [93, 92, 91], [90, 89, 88], [87, 86, 85], [84]]
    var memory = WalkMemory()
    memory.rowsListed = 92
    let (run, certificate) = try Self.run(
      pages, known: Set(1...92), ground: 0...92, total: 99, memory: memory)
    #expect(run.requests.count == 6, "\(run.requests)")
    #expect(certificate.proofs == [.joined])
  }

  @Test(
    "does not stop at what does not show that the rest is covered",
    arguments: [
      ("records that only an unfinished walk stored", 100, nil, true, 4),
      ("the very end of what is covered: equal times may be cut there", 98, 0...98, true, 3),
      ("a page that holds nothing which was here before", 0, 0...96, true, 4),
      ("records of a stream that is not declared so", 96, 0...96, false, 4),
    ] as [(String, Int, ClosedRange<Int64>?, Bool, Int)])
  func goesOn(
    at place: String, known: Int, ground: ClosedRange<Int64>?, isDeclared: Bool, requests: Int
  ) throws {
    let (run, certificate) = try Self.run(
      Self.pages, known: Set(0...known), ground: ground, isDeclared: isDeclared)
    #expect(run.requests.count == requests, "\(place): \(run.requests)")
    #expect((certificate.rule == .noNextPage) == (requests == 4), "\(place)")
  }

  @Test("is not ended by one old record out of order, such as a pinned one")
  func pinned() throws {
    let pages = [[100, 3, 99], [98, 97, 96], [95, 94, 93], [92, 91]]
    let (run, certificate) = try Self.run(pages, known: Set(1...96), ground: 0...95)
    #expect(run.requests.count == 6 && certificate.rule == .lastCompleteRange)
    let tail = [[100, 99, 3], [98, 97, 96], [95, 94, 93], [92, 91]]
    let (later, _) = try Self.run(tail, known: Set(1...95), ground: 0...95)
    #expect(later.requests.count == 4 && later.seen.isSuperset(of: 91...100))
  }

  @Test("is read again, as one, where its pages above the stretch are more than an hour apart")
  func pause() throws {
    for (pause, isAgain) in [(3600, false), (3601, true)] {
      var stream = try FakeJob.stream(FakeJob.token(), size: 3)
      stream.newestFirst = "at"
      stream.tokenLife = .seconds(90 * 86_400)
      let builder = try FakeJob.builder(stream)
      let ground = TimeWindow(from: Instant(seconds: 0), to: Instant(seconds: 96))
      let answer = { (step: Step) -> Reply in
        .page(Self.page(Self.pages[step.ordinal - 1], next: .token("t\(step.ordinal)")))
      }
      var first = Walker(builder, lastCompleteRange: ground)
      var run = WalkRun()
      run.known = Set(1...96)
      run.commitsMax = 1
      try run.drive(&first, answer)
      var second = Walker(
        builder, resuming: run.stored,
        after: WalkBreak(pausedFor: .seconds(pause), isPlanned: true, plannedStops: 2),
        lastCompleteRange: ground)
      var later = WalkRun(after: run)
      try later.drive(&second, answer)
      #expect(second.startsAgain == isAgain && later.certificate?.proofs == [.joined])
    }
  }

  @Test("is unproven itself where it stops at a stretch that an unproven walk read")
  func unprovenRange() throws {
    for isProven in [true, false] {
      let (_, certificate) = try Self.run(
        Self.pages, known: Set(1...96), ground: 0...96, memory: WalkMemory(isRangeProven: isProven))
      #expect(certificate.verdict == (isProven ? .complete : .unproven))
      #expect(certificate.proofs == (isProven ? [.joined] : []))
    }
  }

  @Test("stops at a stretch of which only rejects are missing, and says that they are")
  func lacking() throws {
    var memory = WalkMemory(isRangeProven: false)
    memory.isRangeLacking = true
    let (run, certificate) = try Self.run(
      Self.pages, known: Set(1...96), ground: 0...96, memory: memory)
    #expect(run.requests.count == 2)
    #expect(certificate.claim == "incomplete (rejects)")
    #expect(
      certificate.why.hasSuffix(
        "records of the stretch behind it were rejected and are still missing"))
  }

  @Test("killed at any commit brings what came between, and reaches its ground")
  func killed() throws {
    var ends = 0
    let commitsMax = 20
    for commits in 1...commitsMax {
      var stream = try FakeJob.stream(FakeJob.offset, size: 3)
      stream.newestFirst = "at"
      let builder = try FakeJob.builder(stream)
      let ground = TimeWindow(from: Instant(seconds: 0), to: Instant(seconds: 90))
      var keys = Array((1...100).reversed())
      let answer = { (step: Step) -> Reply in
        guard case .offset(let offset) = step.cursor, offset < keys.count else {
          return .page(ScriptPage([]))
        }
        return .page(Self.page(Array(keys[offset..<min(offset + 3, keys.count)]), next: nil))
      }
      var first = Walker(builder, lastCompleteRange: ground)
      var run = WalkRun()
      run.known = Set(1...90)
      run.commitsMax = commits
      try run.drive(&first, answer)
      // The walk ended before the kill.
      if run.certificate != nil { break }
      ends = commits
      keys = [103, 102, 101] + keys
      var second = Walker(builder, resuming: run.stored, lastCompleteRange: ground)
      var later = WalkRun(after: run)
      later.known = run.known.union(run.seen)
      try later.drive(&second, answer)
      // Records that arrived in the pause precede the walk, so it starts over.
      #expect(later.seen.isSuperset(of: 91...103), "killed at commit \(commits)")
      #expect(second.startsAgain && later.certificate?.verdict == .complete)
      var third = Walker(builder, lastCompleteRange: ground)
      var last = WalkRun()
      last.known = later.known.union(later.seen)
      try last.drive(&third, answer)
      #expect(last.seen.isSuperset(of: 91...103), "killed at commit \(commits)")
      #expect(last.certificate?.verdict == .complete, "killed at commit \(commits)")
    }
    // Four pages down to known records, twice.
    #expect(ends == 8)
  }

  @Test(
    "is incomplete where it ends above what was there before, whatever is estimated",
    arguments: [nil, 3])
  func endsAbove(total: Int?) throws {
    let (_, certificate) = try Self.run(
      [[100, 99, 98]], known: Set(1...96), ground: 0...96, total: total, trust: .estimate)
    #expect(certificate.claim == "incomplete (count)", "\(certificate.why)")
    #expect(certificate.why.contains("lies further down"), "\(certificate.why)")
  }
}
