import Base
@testable import Walk
import Testing

/// Pages that begin after the last record of the page before, by its key or time.
@Suite("Pages by the last record")
struct AfterRuleTests {
  private static func stream(
    isUnique: Bool = true, more: Bool = false, order: ListOrder? = nil, size: Int = 3
  ) throws -> Base.Stream {
    let last = LastRecord([try JSONPath(isUnique ? "id" : "at")], isUnique: isUnique)
    var stream = try FakeJob.stream(
      .chain(NextPage(.record(last), parameter: "after")), size: size, more: more)
    stream.order = order
    return stream
  }

  private static let falling = ListOrder("id", .falling, by: .key)
  private static let rising = ListOrder("at", .rising, by: .time)

  private static func value(_ step: Step) -> Int? { step.cursor.whole.tokenNumber }

  /// Keys from 100 down, after the last one.
  private static func keys(_ step: Step, _ count: Int, size: Int = 3) -> [Int] {
    let first = (value(step) ?? 101) - 1
    let asked = step.cursor.partSize ?? size
    return Array(((101 - count)...100).reversed().filter { $0 <= first }.prefix(asked))
  }

  private static func page(_ keys: [Int], _ step: Step, more: Bool? = nil) -> ScriptPage {
    let next = keys.last.flatMap { $0 == value(step) ? nil : Cursor.token(String($0)) }
    var page = ScriptPage(keys, more: more, next: next)
    page.ranks = keys
    return page
  }

  // MARK: the end

  @Test("end where one is empty; a short one is no end")
  func empty() throws {
    for count in 7...9 {
      let (run, certificate, _) = try walk(Self.stream()) { step in
        .page(Self.page(Self.keys(step, count), step))
      }
      #expect(certificate.rule == .emptyPage && certificate.distinctKeys == count)
      #expect(run.requests.count { $0.hasPrefix("page ") } == 4, "\(run.requests)")
    }
    // The API returns fewer records than requested.
    let (_, certificate, _) = try walk(Self.stream()) { step in
      .page(Self.page(Self.keys(step, 8, size: 2), step))
    }
    #expect(certificate.distinctKeys == 8)
  }

  @Test(
    "in a declared order are anchored behind a short page, and behind a full one by its last record"
  )
  func anchored() throws {
    for (count, requests) in [(8, 4), (9, 6)] {
      let (run, certificate, _) = try walk(Self.stream(order: Self.falling)) { step in
        .page(Self.page(Self.keys(step, count), step))
      }
      #expect(certificate.proof == .anchored, "\(certificate.why)")
      #expect(run.requests.count == requests, "\(run.requests)")
    }
  }

  @Test("end where the flag says so, and are anchored whatever stands on the last one")
  func flag() throws {
    for count in [8, 9] {
      let (run, certificate, _) = try walk(Self.stream(more: true, order: Self.falling)) { step in
        let keys = Self.keys(step, count)
        return .page(Self.page(keys, step, more: keys.last != 101 - count))
      }
      #expect(certificate.rule == .moreFlag && certificate.proof == .anchored)
      #expect(run.requests.count == (count == 8 ? 3 : 5), "\(run.requests)")
    }
  }

  @Test("with a flag that never says no end where one is empty, and are not called whole")
  func lyingFlag() throws {
    let (_, certificate, _) = try walk(Self.stream(more: true, order: Self.falling)) { step in
      .page(Self.page(Self.keys(step, 8), step, more: true))
    }
    #expect(certificate.claim == "incomplete (count)", "\(certificate.why)")
  }

  @Test("of one page are proven by what an empty place or the first record alone shows")
  func single() throws {
    let plain = try walk(Self.stream()) { step in .page(Self.page(Self.keys(step, 2), step)) }
    #expect(plain.certificate.proof == .ends, "\(plain.certificate.why)")
    let flag = try walk(Self.stream(more: true)) { step in
      let keys = Self.keys(step, 2)
      return .page(Self.page(keys, step, more: keys.last != 99))
    }
    #expect(flag.certificate.proof == .oneAnswer, "\(flag.certificate.why)")
    #expect(flag.run.requests.count == 2, "\(flag.run.requests)")
  }

  // MARK: an order that is not kept, a parameter that is not read

  @Test("that step back in the order moved, and are no end")
  func order() throws {
    let (_, certificate, _) = try walk(Self.stream(order: Self.falling)) { step in
      let keys = step.ordinal == 2 ? [99, 98, 96] : Self.keys(step, 8)
      return .page(Self.page(keys, step))
    }
    #expect(certificate.claim == "incomplete (moved)", "\(certificate.why)")
  }

  @Test("of an API that does not read the parameter are a failure, with or without a flag")
  func ignored() throws {
    for more in [nil, true] as [Bool?] {
      let (run, certificate, _) = try walk(Self.stream(more: more != nil)) { step in
        .page(Self.page([100, 99, 98], step, more: more))
      }
      #expect(certificate.verdict == .failed && run.requests.count == 2, "\(run.requests)")
      #expect(certificate.why.contains("does not seem to go by \"after\""), "\(certificate.why)")
    }
  }

  @Test(
    "that begin with the record of the page before end with it alone, which a flag proves or a walk"
  )
  func inclusive() throws {
    func walks(_ memory: WalkMemory, clamp: Int = 3) throws -> Certificate {
      try walk(Self.stream(order: Self.falling), memory: memory) { step in
        let from = Self.value(step) ?? 100
        let size = step.ordinal == 1 ? 3 : clamp
        return .page(
          Self.page(Array((94...100).reversed().filter { $0 <= from }.prefix(size)), step))
      }.certificate
    }
    let first = try walks(WalkMemory())
    #expect(first.verdict == .unproven && first.distinctKeys == 7, "\(first.why)")
    #expect(try walks(WalkMemory(pattern: first.pattern)).proof == .twice)
    // From now on the server returns one record at a time.
    #expect(try walks(WalkMemory(), clamp: 1).verdict == .unproven)
  }

  // MARK: ties

  /// Records by time, two of each; the start is inclusive or not.
  private static func times(
    _ step: Step, inclusive: Bool, size: Int = 3, hasFlag: Bool = false
  ) -> ScriptPage {
    let from = value(step) ?? 0
    let all = (0..<8).map { (key: $0, at: $0 / 2 + 1) }
    let shown = all.filter { inclusive ? $0.at >= from : $0.at > from }.prefix(size)
    let next = shown.last.flatMap { $0.at == from ? nil : Cursor.token(String($0.at)) }
    var page = ScriptPage(shown.map(\.key), next: next)
    page.ranks = shown.map(\.at)
    if hasFlag { page.more = shown.last.map { $0.key < 7 } ?? false }
    return page
  }

  @Test("by a time are whole where they begin with that time again")
  func ties() throws {
    let stream = try Self.stream(isUnique: false, more: true, order: Self.rising)
    let (_, certificate, _) = try walk(stream) {
      .page(Self.times($0, inclusive: true, hasFlag: true))
    }
    #expect(certificate.distinctKeys == 8 && certificate.proof == .anchored, "\(certificate.why)")
  }

  @Test("by a time that they begin behind lose records at their edges, on every night")
  func lostTies() throws {
    let stream = try Self.stream(isUnique: false, order: Self.rising)
    let first = try walk(stream) { .page(Self.times($0, inclusive: false)) }
    #expect(first.certificate.distinctKeys < 8, "the API loses them")
    #expect(first.certificate.verdict == .unproven, "\(first.certificate.why)")
    #expect(first.certificate.why.contains("page 2 does not begin with the last record"))
    let memory = WalkMemory(pattern: first.certificate.pattern, hasSeenMore: true)
    let second = try walk(stream, memory: memory) { .page(Self.times($0, inclusive: false)) }
    #expect(second.certificate.verdict == .unproven, "\(second.certificate.why)")
  }

  @Test("by a time that fills a page cannot go on, and say so")
  func full() throws {
    let stream = try Self.stream(isUnique: false, order: Self.rising, size: 2)
    let (_, certificate, _) = try walk(stream) { .page(Self.times($0, inclusive: true, size: 2)) }
    #expect(certificate.verdict == .failed, "\(certificate.why)")
    #expect(certificate.why.contains("holds only records of one value"), "\(certificate.why)")
  }

  // MARK: reading

  @Test("are named by the last record that came, by its first path with a value")
  func reading() throws {
    let last = LastRecord([try JSONPath("a.id"), try JSONPath("id")], isUnique: true)
    let pager = Pager.chain(NextPage(.record(last), parameter: "after"))
    func read(_ items: String, at cursor: Cursor = .start) throws -> Reading {
      let answer = try PageReaderTests.answer("{\"items\":\(items),\"total\":9}")
      return try FakeJob.read(answer, of: FakeJob.stream(pager, total: .counted), at: cursor)
    }
    #expect(
      try PageReaderTests.page(read(#"[{"id":1},{"id":12345678901234567890}]"#)).next
        == .token("12345678901234567890"))
    #expect(try PageReaderTests.page(read(#"[{"a":{"id":"x"},"id":1}]"#)).next == .token("x"))
    #expect(try PageReaderTests.page(read(#"[{"id":1}]"#, at: .token("1"))).next == nil)
    let spelled = try PageReaderTests.page(read(#"[{"id":"e\u0301"}]"#, at: .token("\u{e9}"))).next
    #expect(spelled == .token("e\u{301}") && spelled != .token("\u{e9}"))
    let none = PageReaderTests.trouble(try read(#"[{"id":1},{"id":null}]"#))
    #expect(
      none?.sentence.contains("nothing at \"a.id | id\"") == true, "\(String(describing: none))")
  }
}
