import Base
import Walk
import Testing

/// Lists that seem to end, although no answer shows it.
@Suite("An end that no answer shows")
struct UnseenEndTests {
  private static func agreeing(_ stream: Base.Stream, _ answer: (Step) throws -> Reply) throws
    -> Certificate
  {
    var memory = WalkMemory(pattern: try walk(stream, answer).certificate.pattern)
    memory.isPatternOld = true
    return try walk(stream, memory: memory, answer).certificate
  }

  @Test("is never proven by equal walks where the job does not say how the list is paged")
  func unpaged() throws {
    let stream = try FakeJob.stream(.single, size: nil)
    let certificate = try Self.agreeing(stream) { _ in .page(ScriptPage(1...20)) }
    #expect(certificate.verdict == .unproven && certificate.proofs == [])
  }

  @Test(
    "nor where the only page is as full as APIs give them, and no answer ever named the next one",
    arguments: [(50, 50, false), (100, 20, false), (100, 21, true), (100, 2, true)])
  func unnamed(asked: Int, came: Int, isProven: Bool) throws {
    let stream = try FakeJob.stream(.link, size: asked, isAsked: false)
    let certificate = try Self.agreeing(stream) { _ in .page(ScriptPage(1...came)) }
    #expect((certificate.verdict == .complete) == isProven, "\(certificate.why)")
  }

  @Test("nor where no answer of the stream had the place that names the next page")
  func neverThere() throws {
    let last = UnreadSign("next", .last, "")
    for (size, signs, more, isProven) in [
      (nil, [], nil, false), (nil, [last], nil, true), (nil, [], false, true), (20, [], nil, true),
      (17, [], nil, false),
    ] as [(Int?, [UnreadSign], Bool?, Bool)] {
      let stream = try FakeJob.stream(FakeJob.token(), size: size, isAsked: false)
      let certificate = try Self.agreeing(stream) { _ in
        .page(ScriptPage(1...17, more: more).with(signs))
      }
      #expect(
        (certificate.verdict == .complete) == isProven, "\(size ?? 0), \(signs): \(certificate.why)"
      )
    }
  }

  @Test("is none where a look behind it brings records that no page holds, in any night")
  func misreadFlag() throws {
    let id = LastRecord([try JSONPath("id")], isUnique: true)
    let after = Pager.chain(NextPage(.record(id), parameter: "after"))
    for pager in [FakeJob.number, FakeJob.offset, after] {
      let stream = try FakeJob.stream(pager, size: 20, more: true, overlaps: true)
      for hasSeenMore in [nil, false] as [Bool?] {
        let memory = WalkMemory(hasSeenMore: hasSeenMore)
        let (run, certificate, _) = try walk(stream, memory: memory, varies: true) { step in
          let size = step.cursor.partSize ?? 20
          let keys: Range<Int> =
            switch step.cursor.whole {
            case .number(let page): (0..<95).dropFirst(max(0, page - 1) * 20).prefix(20)
            case .sized(let page, let size): (0..<95).dropFirst((page - 1) * size).prefix(size)
            case .offset(let offset): (0..<95).dropFirst(offset).prefix(20)
            case .token(let key): (0..<95).dropFirst((Int(key) ?? 0) + 1).prefix(size)
            default: (0..<95).prefix(size)
            }
          return .page(
            ScriptPage(
              keys, more: false,
              next: pager == after ? keys.last.map { Cursor.token("\($0)") } : nil))
        }
        #expect(certificate.claim == "incomplete (unread)", "\(certificate.why)")
        #expect(certificate.why.contains("\"more\" may mean the reverse"), "\(certificate.why)")
        #expect(run.isDerived(certificate))
      }
    }
  }

  @Test("is not proven where one record more came behind it, which may be new")
  func grown() throws {
    let stream = try FakeJob.stream(FakeJob.offset, size: 20, more: true, overlaps: true)
    let certificate = try Self.agreeing(stream) { step in
      .page(ScriptPage(step.purpose == .lastRecord ? 20...21 : 1...20, more: false))
    }
    #expect(certificate.verdict == .unproven, "\(certificate.why)")
    #expect(certificate.why.contains("1 record that no page holds"), "\(certificate.why)")
  }

  @Test(
    "is none where the API gives less than its pages are apart, though one hidden record is no harm",
    arguments: [
      (430, 200, 100), (380, 200, 100), (500, 200, 100),
      (2400, 1000, 100), (1500, 100, 75), (250, 100, 100),
    ])
  func apart(count: Int, asked: Int, most: Int) throws {
    for isApart in [true, false] {
      let stream = try FakeJob.stream(FakeJob.number, size: asked)
      let (run, certificate, _) = try walk(stream, varies: true) { step in
        var (page, size) = (1, asked)
        if case .number(let number) = step.cursor { page = max(1, number) }
        if case .sized(let number, let own) = step.cursor { (page, size) = (number, own) }
        let given = min(size, most)
        let start = (page - 1) * (isApart ? size : given)
        return .page(ScriptPage((1...count).dropFirst(start).prefix(given).filter { $0 != 7 }))
      }
      let isUnread = certificate.claim == "incomplete (unread)"
      #expect(isUnread == (isApart && most < asked), "\(certificate.claim): \(certificate.why)")
      #expect(run.isDerived(certificate))
    }
  }

  @Test("is not doubted where the place is part of the key: a record has another one in a look")
  func placeInKey() throws {
    for isInKey in [true, false] {
      var stream = try FakeJob.stream(FakeJob.number, size: 200)
      stream.columns.append(Column(name: "place", source: .position, kind: .integer))
      if isInKey { stream.key.append("place") }
      let (run, certificate, _) = try walk(stream, varies: true) { step in
        guard case .number(let page) = step.cursor else { return .page(ScriptPage(1001...1100)) }
        return .page(ScriptPage((1...430).dropFirst(max(0, page - 1) * 100).prefix(100)))
      }
      #expect(certificate.claim == (isInKey ? "unproven" : "incomplete (unread)"))
      #expect(run.isDerived(certificate))
    }
  }

  @Test(
    "is asked for where page 1 has as many as APIs give at most and page 2 is empty, whatever was asked for"
  )
  func ownMaximum() throws {
    for (count, empty, isProven) in [(35, true, false), (10, true, true), (10, false, true)] {
      let stream = try FakeJob.stream(FakeJob.number)
      var server = PositionServer(count: count)
      (server.sizeMax, server.heedsSizes) = (10, true)
      var memory = WalkMemory()
      memory.sizesHold = true
      let done = try walk(stream, memory: memory) { step in
        if empty, step.cursor == .number(2) { return .page(ScriptPage([])) }
        return .page(server.page(step, size: 100))
      }
      #expect(
        (done.certificate.verdict == .complete) == isProven, "\(count): \(done.certificate.why)")
    }
  }

  @Test("is not shown by a page of one record that is requested again as it was")
  func oneRecord() throws {
    let stream = try FakeJob.stream(FakeJob.offset, size: 20, more: true, overlaps: true)
    let (run, certificate, _) = try walk(stream) { _ in .page(ScriptPage([1], more: false)) }
    #expect(certificate.verdict == .unproven && run.requests.count == 1, "\(run.requests)")
  }
}
