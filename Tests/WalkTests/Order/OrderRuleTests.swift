import Base
import Walk
import Testing

@Suite("A list in a declared order")
struct OrderRuleTests {
  private static func stream(
    _ order: ListOrder, _ pager: Pager? = nil, total: Total.Trust? = nil
  ) throws -> Base.Stream {
    var stream = try FakeJob.stream(
      pager ?? FakeJob.token(), size: 3, total: total, overlaps: true)
    stream.order = order
    return stream
  }

  private static let falling = ListOrder("id", .falling, by: .key)
  private static let rising = ListOrder("id", .rising, by: .key)

  /// Pages by token, each in one piece: keys, and the values that they are sorted by.
  private static func pages(_ pages: [[Int]], ranks: [[Int]]? = nil) -> (Step) -> Reply {
    { .page(page(of: pages, ranks: ranks, $0)) }
  }

  private static func page(of pages: [[Int]], ranks: [[Int]]? = nil, _ step: Step) -> ScriptPage {
    let at = step.cursor.tokenNumber ?? 0
    var page = ScriptPage(pages[at], next: at + 1 < pages.count ? .token("p\(at + 1)") : nil)
    page.ranks = ranks?[at] ?? pages[at]
    if page.next == nil { page.signs = [UnreadSign("next", .last, "")] }
    return page
  }

  @Test("is proven by its pages alone on the first night, and needs no look")
  func anchored() throws {
    let done = try walk(
      Self.stream(Self.falling), Self.pages([[9, 8, 7], [6, 4], [3, 1]]))
    #expect(done.certificate.verdict == .complete && done.certificate.proof == .anchored)
    #expect(done.run.requests.count == 3)
  }

  @Test("proves nothing where a page is not in it, and says which; another proof still holds")
  func unsorted() throws {
    let stream = try Self.stream(Self.falling)
    let pages = Self.pages([[9, 8, 7], [4, 6], [3, 1]])
    let first = try walk(stream, pages)
    #expect(first.certificate.verdict == .unproven)
    #expect(
      first.certificate.why.contains(
        "the records of page 2 are not in the declared order (id falling)"))
    let second = try walk(stream, memory: WalkMemory(pattern: first.certificate.pattern), pages)
    #expect(second.certificate.proofs == [.twice])
    #expect(second.certificate.why.contains("not in the declared order"))
  }

  @Test("has moved, or is no such list, where a page begins before the one before it ended")
  func slipped() throws {
    let done = try walk(
      Self.stream(Self.falling), Self.pages([[9, 8, 6], [7, 5], [3, 1]]))
    #expect(done.certificate.claim == "incomplete (moved)")
    #expect(
      done.certificate.why.contains(
        "page 2 begins before the record that the page before ended with"))
  }

  @Test("of a time is not anchored where a page is older than the answer before it; of a key it is")
  func older() throws {
    for (order, proof) in [
      (ListOrder("changed_at", .rising, by: .time), nil), (Self.rising, ProofKind.anchored),
    ] {
      let done = try walk(Self.stream(order)) { step in
        var page = Self.page(of: [[1, 2, 3], [5, 6], [8]], step)
        if step.ordinal == 2 { page.signs.append(UnreadSign("Age", .older, "5 s")) }
        return .page(page)
      }
      #expect(done.certificate.proof == proof, "\(done.certificate)")
    }
  }

  @Test("counts the records that were dropped and those without a value of it")
  func received() throws {
    var stream = try Self.stream(Self.falling)
    stream.keep = "1"
    let done = try walk(stream) { step in
      var page = Self.page(of: [[9, 8, 7], [6, 5]], step)
      page.dropped = [7]
      return .page(page)
    }
    #expect(done.certificate.proof == .anchored)
    let lacking = try walk(
      Self.stream(Self.falling), Self.pages([[9, 8, 7], [6, 5]], ranks: [[9, 8, 7], []]))
    #expect(lacking.certificate.proofs == [.ends] || lacking.certificate.proofs == [])
  }

  @Test("that counts positions in its addresses is not anchored, whatever its job says")
  func disguised() throws {
    let stream = try Self.stream(Self.rising, FakeJob.address())
    let done = try walk(stream) { step in
      let at = if case .address = step.cursor { step.cursor.lastNumber } else { 0 }
      var page = ScriptPage(at..<at + 3)
      page.ranks = page.keys
      if at < 6 { page.next = .address("https://api.example/v1/things?offset=\(at + 3)") }
      return .page(page)
    }
    #expect(done.certificate.verdict == .unproven)
  }

  @Test(
    "is not anchored where a token or a path counts records or pages, in plain letters or in Base64",
    arguments: [
      { .token("\($0)") }, { .token("\($0 / 3 + 1)") }, { .token("after:\($0)") },
      { .token(Base64.encoded(Array("off=\($0)".utf8), isForAddress: true)) },
      { .address("https://api.example/v1/things/\($0)") },
      {
        .address("https://api.example/v1/things?at=\(Base64.encoded(Array("{\"o\":\($0)}".utf8)))")
      },
    ] as [@Sendable (Int) -> Cursor])
  func hidden(name: @Sendable (Int) -> Cursor) throws {
    func verdict(_ step: Int) throws -> Verdict {
      let isAddress = if case .address = name(3) { true } else { false }
      let stream = try Self.stream(
        Self.rising, isAddress ? FakeJob.address() : FakeJob.token())
      return try walk(stream) { asked in
        let at = (3...9).first { asked.cursor == name($0 * step) } ?? 0
        var page = ScriptPage(Array(at..<min(at + 3, 8)).map { $0 * 7 + 1 })
        page.ranks = page.keys
        if at < 6 { page.next = name((at + 3) * step) }
        if page.next == nil { page.signs = [UnreadSign("next", .last, "")] }
        return .page(page)
      }.certificate.verdict
    }
    #expect(try verdict(1) == .unproven)
    // A rising value may be that of the last record.
    #expect(try verdict(1000) == .complete)
  }

  @Test("is complete however much its counted total changes under the walk")
  func counted() throws {
    let stream = try Self.stream(Self.rising, total: .counted)
    var totals = [7, 6, 8]
    let done = try walk(stream) { step in
      var page = Self.page(of: [[1, 2, 3], [5, 6], [8]], step)
      page.total = totals.removeFirst()
      return .page(page)
    }
    #expect(done.certificate.verdict == .complete && done.certificate.proofs == [.anchored])
    #expect(done.certificate.hasMoved)
  }

  /// A walk over a list that falls by a time, whose front is these pages each time that it is read again.
  private static func fronts(
    _ fronts: [[[Int]]]
  ) throws -> (run: WalkRun, certificate: Certificate, warnings: [String]) {
    let order = ListOrder("changed_at", .falling, by: .time)
    var stream = try Self.stream(order)
    stream.window = Window(from: "from", to: nil, column: nil, overlap: .milliseconds(2))
    var fronts = fronts
    var front: [[Int]] = []
    return try walk(stream) { step in
      let at = step.cursor.tokenNumber ?? 0
      if step.purpose == .closingCheck, at == 0 { front = fronts.removeFirst() }
      let pages = step.purpose == .closingCheck ? front : [[50, 40, 30], [20, 10], [5]]
      var page = ScriptPage(pages[at].map { 1_000 - $0 })
      page.ranks = pages[at]
      page.next = .token("p\(at + 1)")
      if step.purpose == .page, at + 1 == pages.count {
        page.next = nil
        page.signs = [UnreadSign("next", .last, "")]
      }
      return .page(page)
    }
  }

  @Test("falling by a time: its front is read again until one answer reaches below page 1's first")
  func front() throws {
    // Page 1 at the end is all newer, so it is read on, and then started over.
    let done = try Self.fronts([[[80, 70, 60], [55, 50, 40]], [[80, 70, 48]]])
    #expect(done.certificate.proof == .anchored, "\(done.certificate)")
    let purposes = done.run.requests.map { $0.prefix { $0 != " " } }
    #expect(purposes == ["page", "page", "page", "closingCheck", "closingCheck", "closingCheck"])
  }

  @Test("falling by a time: has moved where a page of its front begins before the one before ended")
  func frontSlipped() throws {
    let certificate = try Self.fronts([[[80, 70, 60], [65, 50, 40]], [[80, 70, 48]]]).certificate
    #expect(certificate.claim == "incomplete (moved)")
    #expect(certificate.why.contains("page 2 of the front begins before the record"))
  }

  @Test("falling by a time, and never at rest: unproven after five readings of its front")
  func restless() throws {
    let order = ListOrder("changed_at", .falling, by: .time)
    var clock = 1_000
    let done = try walk(Self.stream(order)) { step in
      let at = step.cursor.tokenNumber ?? 0
      if step.cursor == .start { clock += 100 }
      var page = ScriptPage((0..<3).map { clock * 10 + at * 3 + $0 })
      page.ranks = (0..<3).map { clock - at * 30 - $0 }
      page.next = at < 6 ? .token("p\(at + 1)") : nil
      return .page(page)
    }
    #expect(done.certificate.verdict == .unproven)
    #expect(done.certificate.why.contains("did not come to rest"), "\(done.certificate.why)")
    let fronts = done.run.requests.filter { $0 == "closingCheck size=3" }
    #expect(fronts.count == 5, "\(done.run.requests)")
  }

  @Test("by offset steps back where a page holds nothing of the pages before")
  func stepsBack() throws {
    let stream = try Self.stream(Self.rising, FakeJob.offset)
    // Two of the first three go while page 2 is in flight.
    let before = Array(1...9)
    let after = Array(3...9)
    let done = try walk(stream) { step in
      guard case .offset(let offset) = step.cursor else { return .trouble(.init(.nothing, "")) }
      let list = step.ordinal == 1 ? before : after
      var page = ScriptPage(Array(list.dropFirst(offset).prefix(3)))
      page.ranks = page.keys
      return .page(page)
    }
    #expect(done.certificate.proof == .orderedOverlap, "\(done.certificate)")
    #expect(done.run.seen == Set(1...9))
    let offsets = done.run.requests.compactMap { Int($0.split(separator: "=").last ?? "") }
    #expect(offsets.prefix(4) == [0, 2, 1, 0])
  }

  @Test("by offset ends where the answer says so, and is proven by its pages")
  func flagged() throws {
    let stream = try Self.stream(Self.rising, FakeJob.offset)
    let done = try walk(stream) { .page(Self.page(of: 1...8, at: $0)) }
    #expect(done.certificate.rule == .moreFlag)
    #expect(done.certificate.proof == .orderedOverlap, "\(done.certificate)")
  }

  @Test("by offset proves nothing where a page could only be read last")
  func repaired() throws {
    let stream = try Self.stream(Self.rising, FakeJob.offset)
    let done = try walk(stream) { step in
      if step.ordinal == 2, step.purpose == .page {
        return .trouble(.init(.unreadable, "no JSON"))
      }
      return .page(Self.page(of: 1...8, at: step))
    }
    #expect(done.run.requests.contains { $0.hasPrefix("repair") }, "\(done.run.requests)")
    #expect(!done.certificate.proofs.contains(.orderedOverlap), "\(done.certificate)")
  }

  private static func page(of list: ClosedRange<Int>, at step: Step) -> ScriptPage {
    guard case .offset(let offset) = step.cursor else { return ScriptPage([Int]()) }
    var page = ScriptPage(Array(list.dropFirst(offset).prefix(3)))
    page.ranks = page.keys
    page.more = offset + 3 < list.count
    return page
  }
}
