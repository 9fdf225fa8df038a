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
    var stream = try FakeJob.stream(.link, size: asked)
    stream.size?.parameter = nil
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
      var stream = try FakeJob.stream(FakeJob.token(), size: size)
      stream.size?.parameter = nil
      let certificate = try Self.agreeing(stream) { _ in
        var page = ScriptPage(1...17, more: more)
        page.signs = signs
        return .page(page)
      }
      #expect(
        (certificate.verdict == .complete) == isProven, "\(size ?? 0), \(signs): \(certificate.why)"
      )
    }
  }

  @Test(
    "is asked for where page 1 has as many as APIs give at most and page 2 is empty, whatever was asked for"
  )
  func ownMaximum() throws {
    for (count, empty, isProven) in [(35, true, false), (10, true, true), (10, false, true)] {
      let stream = try FakeJob.stream(FakeJob.number)
      var server = PositionServer(count: count)
      server.sizeMax = 10
      var memory = WalkMemory()
      memory.sizesHold = true
      let done = try walk(stream, memory: memory) { step in
        if empty, step.cursor == .number(2) { return .page(ScriptPage([])) }
        if case .sized(let page, let size) = step.cursor {
          let start = (page - 1) * min(size, 10)
          return .page(ScriptPage(Array(server.keys.dropFirst(start).prefix(min(size, 10)))))
        }
        return .page(server.page(step, size: 100))
      }
      #expect(
        (done.certificate.verdict == .complete) == isProven, "\(count): \(done.certificate.why)")
    }
  }
}
