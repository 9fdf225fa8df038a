import Base
import Walk
import Testing

/// Tokens that a job declares: a first one, and those that mean the end.
@Suite("A token that its job speaks of")
struct TokenRuleTests {
  private static func stream(_ change: (inout NextPage) -> Void) throws -> Base.Stream {
    var next = NextPage(.body(try JSONPath("next")), parameter: "cursor")
    change(&next)
    return try FakeJob.stream(.chain(next), size: 2)
  }

  /// A server whose tokens count from 0, in pages of two.
  private static func reply(
    _ stream: Base.Stream, _ step: Step, count: Int = 6, last: (Int) -> String
  ) throws -> Reply {
    let query = step.address.query ?? ""
    let token = query.split(separator: "&").first { $0.hasPrefix("cursor=") }?.dropFirst(7)
    let from = token.flatMap { Int($0) } ?? 0
    let size = step.purpose == .signOfMore ? 1 : 2
    let keys = Array((from..<count).prefix(size))
    let next = from + size < count ? "\(from + size)" : last(from)
    let body = "{\"items\":[\(keys.map(String.init).joined(separator: ","))],\"next\":\(next)}"
    let answer = try PageReaderTests.answer(body, at: step.address.description)
    let reading = try FakeJob.read(answer, of: stream, at: step.cursor)
    return .page(ScriptPage(keys, next: try PageReaderTests.page(reading).next))
  }

  @Test("goes with page 1, with its closing check and with the look at its first record")
  func first() throws {
    let stream = try Self.stream { $0.first = "*" }
    let (run, certificate, _) = try walk(stream) { step in
      try Self.reply(stream, step, count: 4) { _ in "null" }
    }
    #expect(certificate.verdict == .complete && certificate.proof == .ends, "\(certificate.why)")
    #expect(
      run.requests == [
        "page size=2&cursor=%2A", "page size=2&cursor=2", "signOfMore size=1&cursor=2",
        "lastRecord size=2&cursor=3", "closingCheck size=2&cursor=%2A",
      ], "\(run.requests)")
    let single = try walk(stream) { step in
      try Self.reply(stream, step, count: 2) { _ in "null" }
    }
    #expect(single.run.requests.last == "lastRecord size=2&cursor=1", "\(single.run.requests)")
    #expect(single.certificate.proof == .oneAnswer, "\(single.certificate.why)")
  }

  @Test("means the end where the job says so, as text or as a number", arguments: ["\"-1\"", "-1"])
  func sentinel(last: String) throws {
    let stream = try Self.stream { $0.ends = ["", "-1"] }
    let (run, certificate, _) = try walk(stream) { step in
      try Self.reply(stream, step) { _ in last }
    }
    #expect(certificate.rule == .noNextPage && certificate.distinctKeys == 6)
    #expect(run.requests.count == 5, "\(run.requests)")
    // If the job does not declare it, nothing is claimed.
    let plain = try Self.stream { _ in }
    let other = try walk(plain) { step in try Self.reply(plain, step) { _ in last } }
    #expect(!other.certificate.verdict.isWhole, "\(other.certificate.why)")
  }

  @Test("means the end where it is named again, of the page that it was requested with alone")
  func repeated() throws {
    let stream = try Self.stream { $0.endsByRepeat = true }
    let (run, certificate, _) = try walk(stream) { step in
      try Self.reply(stream, step) { "\"\($0)\"" }
    }
    #expect(certificate.rule == .noNextPage && certificate.distinctKeys == 6, "\(certificate.why)")
    #expect(run.requests.count == 5, "\(run.requests)")
    // The token of an earlier page is a loop, not an end.
    let loop = try walk(stream) { step in try Self.reply(stream, step) { _ in "\"2\"" } }
    #expect(loop.certificate.verdict == .failed && loop.certificate.rule == .loop)
    // Page 1 has no token that could be repeated.
    let once = try walk(stream) { step in
      try Self.reply(stream, step, count: 2) { _ in "\"0\"" }
    }
    #expect(!once.certificate.verdict.isWhole, "\(once.certificate.why)")
  }

  /// Pages of two, each with a next one, to the end and beyond.
  private static func endless(_ step: Step, count: Int, total: Int?) -> Reply {
    let from = step.cursor.whole.tokenNumber ?? 0
    let size = step.cursor.partSize ?? 2
    let keys = Array((from..<max(from, count)).prefix(size))
    return .page(ScriptPage(keys, total: total, next: .token("\(from + size)")))
  }

  @Test(
    "ends at an empty answer where its job says so, as counted; and by itself where a short page is before it",
    arguments: [(6, true), (5, true), (6, false), (5, false)])
  func empty(count: Int, isCounted: Bool) throws {
    var stream = try Self.stream { $0.endsEmpty = true }
    if isCounted { stream.total = Total(paths: [try JSONPath("total")], trust: .counted) }
    let (run, certificate, _) = try walk(stream) { step in
      Self.endless(step, count: count, total: isCounted ? count : nil)
    }
    #expect(certificate.rule == .emptyPage && certificate.distinctKeys == count)
    #expect(certificate.verdict == (isCounted ? .complete : .unproven), "\(certificate.why)")
    #expect(run.requests.count { $0.hasPrefix("page") } == 4, "\(run.requests)")
    // A failure instead of the second page does not end a counted list.
    let cut = try walk(stream) { step in
      step.ordinal == 2
        ? .page(ScriptPage([], total: isCounted ? count : nil, next: .token("4")))
        : Self.endless(step, count: count, total: isCounted ? count : nil)
    }
    #expect(cut.certificate.claim == (isCounted ? "incomplete (count)" : "unproven"))
  }
}
