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
    { step in
      let at: Int
      if case .token(let token) = step.cursor { at = Int(token.dropFirst()) ?? 0 } else { at = 0 }
      var page = ScriptPage(pages[at], next: at + 1 < pages.count ? .token("p\(at + 1)") : nil)
      page.ranks = ranks?[at] ?? pages[at]
      if page.next == nil { page.signs = [UnreadSign("next", .last, "")] }
      return .page(page)
    }
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
    #expect(first.certificate.verdict == .unproven && first.certificate.proofs == [])
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

  @Test("counts the records that were dropped and those without a value of it")
  func received() throws {
    var stream = try Self.stream(Self.falling)
    stream.keep = "1"
    let done = try walk(stream) { step in
      guard case .page(var page) = Self.pages([[9, 8, 7], [6, 5]])(step) else {
        return .trouble(.init(.nothing, ""))
      }
      page.dropped = [7]
      return .page(page)
    }
    #expect(done.certificate.proof == .anchored)
    let lacking = try walk(
      Self.stream(Self.falling), Self.pages([[9, 8, 7], [6, 5]], ranks: [[9, 8, 7], []]))
    #expect(lacking.certificate.proofs == [.ends] || lacking.certificate.proofs == [])
    #expect(!lacking.certificate.proofs.contains(.anchored))
  }

  @Test("that counts positions in its addresses is not anchored, whatever its job says")
  func disguised() throws {
    let stream = try Self.stream(Self.rising, FakeJob.address())
    let done = try walk(stream) { step in
      let at: Int
      if case .address(let text) = step.cursor {
        at = Int(text.split(separator: "=").last ?? "") ?? 0
      } else {
        at = 0
      }
      var page = ScriptPage(Array(at..<at + 3))
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
      guard case .page(var page) = Self.pages([[1, 2, 3], [5, 6], [8]])(step) else {
        return .trouble(.init(.nothing, ""))
      }
      page.total = totals.removeFirst()
      return .page(page)
    }
    #expect(done.certificate.verdict == .complete && done.certificate.proofs == [.anchored])
    #expect(done.certificate.hasMoved)
  }

  @Test("falling by a time: its front is read again until one answer reaches below page 1's first")
  func front() throws {
    let order = ListOrder("changed_at", .falling, by: .time)
    var stream = try Self.stream(order)
    stream.window = Window(from: "from", to: nil, column: nil, overlap: .milliseconds(2))
    var fronts: [[[Int]]] = [
      // Page 1 at the end is all newer, so it is read on, and then started over.
      [[80, 70, 60], [55, 50, 40]], [[80, 70, 48]],
    ]
    var front: [[Int]] = []
    let done = try walk(stream) { step in
      let at: Int
      if case .token(let token) = step.cursor { at = Int(token.dropFirst()) ?? 0 } else { at = 0 }
      let pages: [[Int]]
      if step.purpose == .closingCheck {
        if at == 0 { front = fronts.removeFirst() }
        pages = front
      } else {
        pages = [[50, 40, 30], [20, 10], [5]]
      }
      var page = ScriptPage(pages[at].map { 1_000 - $0 })
      page.ranks = pages[at]
      page.next = .token("p\(at + 1)")
      if step.purpose == .page, at + 1 == pages.count {
        page.next = nil
        page.signs = [UnreadSign("next", .last, "")]
      }
      return .page(page)
    }
    #expect(done.certificate.proof == .anchored, "\(done.certificate)")
    let purposes = done.run.requests.map { $0.prefix { $0 != " " } }
    #expect(purposes == ["page", "page", "page", "closingCheck", "closingCheck", "closingCheck"])
  }

  @Test("falling by a time, and never at rest: unproven after five readings of its front")
  func restless() throws {
    let order = ListOrder("changed_at", .falling, by: .time)
    var clock = 1_000
    let done = try walk(Self.stream(order)) { step in
      let at: Int
      if case .token(let token) = step.cursor { at = Int(token.dropFirst()) ?? 0 } else { at = 0 }
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
}
