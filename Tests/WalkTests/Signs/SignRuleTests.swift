import Base
import Testing

@Suite("A walk whose answers say more than its job reads")
struct SignRuleTests {
  /// A list of two pages by token, 100 and 37 records, whose last page has these signs.
  static func tokens(
    _ last: [UnreadSign], first: [UnreadSign] = [], closing: [UnreadSign] = [],
    change: (inout Base.Stream) throws -> Void = { _ in }
  ) throws -> Certificate {
    var stream = try FakeJob.stream(FakeJob.token())
    try change(&stream)
    return try walk(stream) { step in
      if step.ordinal == 1 {
        let signs = step.purpose == .closingCheck ? closing : first
        return .page(ScriptPage(1...100, next: .token("t")).with(signs))
      }
      return .page(ScriptPage(101...137).with(last))
    }.certificate
  }

  @Test("is complete where what stands there agrees, or is said before the end or everywhere alike")
  func agrees() throws {
    let next = UnreadSign("next", .more, "n")
    let message = UnreadSign("message", .notice, "enjoy")
    let agreeing: [(first: [UnreadSign], last: [UnreadSign])] = [
      ([next], []), ([next], [UnreadSign("next", .end, "null")]),
      ([next], [UnreadSign("total", .length, "137", number: 137)]),
      ([next], [UnreadSign("count", .count, "37", number: 37)]),
      ([next], [UnreadSign("count", .count, "137", number: 137)]),
      ([next], [UnreadSign("pages", .pages, "2", number: 2)]),
      ([next], [UnreadSign("page", .page, "2", number: 2)]),
      ([next], [UnreadSign("cursor", .cursor, "c"), UnreadSign("has_more", .end, "false")]),
      ([next, UnreadSign("has_more", .more, "true")], []), ([message], [message]),
    ]
    for (first, last) in agreeing {
      let certificate = try Self.tokens(last, first: first)
      #expect(certificate.verdict == .complete, "\(first), \(last): \(certificate.why)")
    }
  }

  private static let part = UnreadSign("timed_out", .part, "true")

  @Test(
    "is incomplete where one says that more follow, an error or a part also on any page, and names it",
    arguments: [
      ([], [UnreadSign("paging.next", .more, "http://h/3")], "\"paging.next\": http://h/3"),
      ([], [UnreadSign("X-Total-Count", .length, "140", number: 140)], "\"X-Total-Count\": 140"),
      ([], [UnreadSign("count", .count, "140", number: 140)], "\"count\": 140"),
      ([], [UnreadSign("meta.pages", .pages, "3", number: 3)], "\"meta.pages\": 3"),
      ([], [UnreadSign("message", .notice, "only a part")], "\"message\": only a part"),
      ([], [UnreadSign("status", .part, "206, a part")], "\"status\": 206, a part"),
      ([part], [], "\"timed_out\": true, which says that it is only a part"),
      ([part], [part], "\"timed_out\": true, which says that it is only a part"),
      ([UnreadSign("errors", .notice, "shard timeout")], [], "\"errors\": shard timeout"),
      ([UnreadSign("meta.success", .notice, "no shard")], [], "\"meta.success\": no shard"),
    ] as [([UnreadSign], [UnreadSign], String)])
  func against(first: [UnreadSign], last: [UnreadSign], told: String) throws {
    let certificate = try Self.tokens(last, first: first)
    #expect(certificate.claim == "incomplete (unread)" && !certificate.isAsDeclared)
    #expect(certificate.why.contains(told), "\(certificate.why)")
  }

  @Test(
    "is unproven beside one that nobody can weigh, and names it",
    arguments: [
      UnreadSign("cursor", .cursor, "c"), UnreadSign("total", .unclear, "many"),
      UnreadSign("total", .length, "12", number: 12), UnreadSign("items", .twice, "[]"),
    ])
  func doubts(sign: UnreadSign) throws {
    let certificate = try Self.tokens([sign])
    #expect(certificate.verdict == .unproven)
    #expect(certificate.why.contains("\"\(sign.place)\""), "\(certificate.why)")
    let isUnread = certificate.why.contains("does not read \"\(sign.place)\": \(sign.value), which")
    #expect(isUnread == [.cursor, .unclear].contains(sign.kind), "\(certificate.why)")
  }

  @Test(
    "is unproven where a page before the end has a message, or a member twice",
    arguments: [
      UnreadSign("message", .notice, "shard timeout"), UnreadSign("next", .twice, "n"),
    ])
  func between(sign: UnreadSign) throws {
    let certificate = try Self.tokens([], first: [sign])
    #expect(certificate.verdict == .unproven)
    let isTold = certificate.why.contains("\"message\": shard timeout")
    #expect(isTold == (sign.kind == .notice), "\(certificate.why)")
  }

  @Test("a flag on one page alone, where others before the end have none, leaves the list unproven")
  func flagOfOnePage() throws {
    func certificate(_ flagged: ClosedRange<Int>) throws -> Certificate {
      try walk(FakeJob.stream(FakeJob.token())) { step in
        let page =
          step.cursor == .start ? 1 : Int("\(step.cursor)".split(separator: "p").last ?? "") ?? 1
        var script = ScriptPage(
          page * 10...page * 10 + (page == 4 ? 2 : 5), next: page < 4 ? .token("p\(page + 1)") : nil
        )
        if flagged.contains(page) { script.signs = [UnreadSign("truncated", .more, "true")] }
        if page == 4 { script.signs.append(UnreadSign("next", .last, "")) }
        return .page(script)
      }.certificate
    }
    #expect(try certificate(2...2).why.contains("it may be only a part"))
    #expect(!(try certificate(1...3).why.contains("part")))
  }

  @Test("an empty page behind one that says more follow ends no list unless it takes that back")
  func flagBeforeEmptyPage() throws {
    func certificate(_ empty: [UnreadSign]) throws -> Certificate {
      try walk(FakeJob.stream(FakeJob.number)) { step in
        let signs = step.ordinal > 2 ? empty : [UnreadSign("truncated", .more, "true")]
        return .page(PositionServer(count: 137).page(step, size: 100).with(signs))
      }.certificate
    }
    #expect(try certificate([]).cause == .unread)
    #expect(try certificate([UnreadSign("truncated", .end, "false")]).cause == nil)
  }

  @Test("an error beside another page 1 at the end is told with it")
  func errorAtTheEnd() throws {
    let sign = UnreadSign("error", .notice, "internal")
    let certificate = try walk(FakeJob.stream(FakeJob.number)) { step in
      step.purpose == .closingCheck
        ? .page(ScriptPage(1...30).with([sign]))
        : .page(PositionServer(count: 137).page(step, size: 100))
    }.certificate
    #expect(certificate.cause == .moved)
    #expect(certificate.why.contains("at the end, beside \"error\": internal"))
  }

  @Test("a number of pages is outweighed by a counted total that agrees")
  func pagesAndTotal() throws {
    let stream = try FakeJob.stream(FakeJob.number, total: .counted)
    let sign = UnreadSign("lastPage", .pages, "9", number: 9)
    let certificate = try walk(stream) {
      .page(PositionServer(count: 150, total: 150).page($0, size: 100).with([sign]))
    }.certificate
    #expect(certificate.proof == .counted, "\(certificate.why)")
  }

  @Test(
    "a list that is read from its second page on is incomplete",
    arguments: [FakeJob.number, FakeJob.offset, Pager.link])
  func secondPageFirst(pager: Pager) throws {
    let sign = UnreadSign("previous", .before, "http://h/?page=0")
    let certificate = try walk(FakeJob.stream(pager, overlaps: true)) {
      .page(PositionServer(count: 50).page($0, size: 100).with([sign]))
    }.certificate
    #expect(certificate.claim == "incomplete (unread)")
    #expect(certificate.why.contains("there are records before it"))
  }

  @Test(
    "one answer of an API that counts its pages is no proof, though its job says that it has one")
  func pageOfSingle() throws {
    let stream = try FakeJob.stream(.single, isOnePage: true)
    func certificate(_ signs: [UnreadSign]) throws -> Certificate {
      try walk(stream) { _ in .page(ScriptPage(1...30).with(signs)) }.certificate
    }
    let page = UnreadSign("page", .page, "1", number: 1)
    #expect(try certificate([]).proof == .oneAnswer)
    #expect(try certificate([page]).verdict == .unproven)
    for agreeing in [
      UnreadSign("total_pages", .pages, "1", number: 1),
      UnreadSign("total", .length, "30", number: 30),
    ] { #expect(try certificate([page, agreeing]).proof == .oneAnswer) }
    #expect(try certificate([UnreadSign("Link", .more, "rel=next")]).cause == .unread)
  }

  @Test("a declared total that no answer has denies a proof")
  func noTotal() throws {
    let certificate = try Self.tokens([]) { stream in
      stream.total = Total(paths: [try JSONPath("totl")], trust: .counted)
    }
    #expect(certificate.verdict == .unproven)
    #expect(certificate.why.contains("no answer had a total at \"totl\""))
  }

  @Test("a total below what its page holds ends no walk and counts nothing")
  func totalBelow() throws {
    let stream = try FakeJob.stream(FakeJob.number, total: .counted)
    let (run, certificate, _) = try walk(stream, of: PositionServer(count: 250, total: 0))
    #expect(certificate.counts.received == 250, "the walk goes on: \(run.requests)")
    #expect(certificate.claim == "incomplete (count)")
    #expect(certificate.why.contains("the API counts 0, and 250 were received"))
  }

  @Test("a steady number below what came is none", arguments: [(20, false), (150, true)])
  func steadyBelow(total: Int, isProof: Bool) throws {
    let certificate = try walk(FakeJob.stream(FakeJob.token(), total: .steady)) { step in
      step.ordinal == 1
        ? .page(ScriptPage(1...100, total: total, next: .token("t")))
        : .page(ScriptPage(101...150, total: total))
    }.certificate
    #expect(certificate.proofs.contains(.steady) == isProof, "\(certificate.why)")
  }

  @Test("a steady number far above what came is no proof, and needs no look behind the last record")
  func steadyAbove() throws {
    var memory = WalkMemory()
    memory.hidden = 0
    var server = PositionServer(count: 20, total: 50)
    server.heedsSizes = true
    let stream = try FakeJob.stream(FakeJob.number, size: 10, total: .steady)
    let (run, certificate, _) = try walk(stream, memory: memory, varies: true) {
      .page(server.page($0, size: 10))
    }
    #expect(certificate.claim == "incomplete (count)", "\(certificate.why)")
    #expect(run.requests.count == 4, "\(run.requests)")
  }

  @Test("one answer with a record twice is as long as its length says")
  func twiceInOneAnswer() throws {
    let sign = UnreadSign("total", .length, "4", number: 4)
    let certificate = try walk(FakeJob.stream(.single, isOnePage: true)) { _ in
      .page(ScriptPage([1, 2, 2, 3]).with([sign]))
    }.certificate
    #expect(certificate.proof == .oneAnswer, "\(certificate.why)")
  }

  @Test("a flag with its sense turned round is named")
  func turnedRound() throws {
    let stream = try FakeJob.stream(FakeJob.token(), size: 100, more: true)
    let certificate = try walk(stream) { step in
      .page(ScriptPage(1...(step.cursor.partSize ?? 100), more: false))
    }.certificate
    #expect(certificate.verdict == .unproven)
    #expect(certificate.why.contains("it may mean the reverse"), "\(certificate.why)")
  }

  @Test("an empty answer beside a length is no empty list")
  func emptyBesideLength() throws {
    let stream = try FakeJob.stream(.single, isOnePage: true)
    for (length, verdict) in [(40, Verdict.incomplete), (0, .unproven)] {
      let sign = UnreadSign("X-Total-Count", .length, "\(length)", number: length)
      let certificate = try walk(stream) { _ in .page(ScriptPage([]).with([sign])) }.certificate
      #expect(certificate.verdict == verdict, "\(certificate.why)")
    }
  }
}

/// A list by page number.
private func numbers(
  _ count: Int, total: Int? = nil, _ trust: Total.Trust? = nil, size: Int = 100, cap: Cap? = nil
) throws -> Certificate {
  let stream = try FakeJob.stream(FakeJob.number, size: size, total: trust, cap: cap)
  return try walk(stream, of: PositionServer(count: count, total: total), size: size).certificate
}

@Suite("A walk that ends where APIs cut lists in silence")
struct CeilingRuleTests {
  @Test(
    "at 500, 1,000, 10,000 or 40,000 records with full pages is limited",
    arguments: [500, 1_000, 10_000, 40_000])
  func round(count: Int) throws {
    for pager in [FakeJob.number, FakeJob.offset] {
      let stream = try FakeJob.stream(pager, overlaps: true)
      let certificate = try walk(stream, of: PositionServer(count: count)).certificate
      #expect(certificate.claim == "limited (ceiling)")
      #expect(certificate.why.contains("exactly \(Wording.number(count)) records"))
      #expect(!certificate.isAsDeclared)
    }
  }

  @Test(
    "is none a record below or above, with pages that are not full, or under a limit of the job's")
  func notRound() throws {
    for count in [499, 501, 600] { #expect(try numbers(count).verdict != .limited, "\(count)") }
    #expect(try numbers(500, size: 30).verdict != .limited)
    let cap = Cap(at: 2_000, doubt: 2_000, expected: nil)
    #expect(try numbers(500, cap: cap).verdict != .limited)
  }

  @Test("a counted total that agrees clears it; any other length only with an empty page behind")
  func cleared() throws {
    let counted = try numbers(500, total: 500, .counted)
    #expect(counted.proof == .counted, "\(counted.why)")
    let estimate = try numbers(500, total: 500, .estimate)
    #expect(estimate.verdict.isWhole, "\(estimate.why)")
    let told = try walk(FakeJob.stream(FakeJob.number)) { step in
      let page = PositionServer(count: 500).page(step, size: 100)
      let length = UnreadSign("hits", .length, "500", number: 500)
      return .page(page.keys.isEmpty ? page : page.with([length]))
    }.certificate
    #expect(told.verdict.isWhole, "\(told.why)")
    let chain = try walk(FakeJob.stream(FakeJob.token(), total: .estimate)) { step in
      let start = (step.ordinal - 1) * 100
      return .page(
        ScriptPage(
          (start + 1)...(start + 100), total: 500,
          next: step.ordinal < 5 ? .token("t\(step.ordinal)") : nil))
    }.certificate
    #expect(chain.verdict == .limited)
  }

  @Test(
    "an estimate a tenth above what came is told with both figures",
    arguments: [(165, true), (164, false), (150, false), (90, false)])
  func estimate(total: Int, isShort: Bool) throws {
    let certificate = try numbers(150, total: total, .estimate)
    #expect((certificate.verdict == .incomplete) == isShort, "\(certificate.why)")
    if isShort {
      #expect(certificate.cause == .count)
      #expect(certificate.why.contains("165") && certificate.why.contains("150"))
    }
  }

  @Test("a total that the job calls worthless says nothing")
  func worthless() throws {
    let certificate = try numbers(150, total: 1_000_000, .worthless)
    #expect(certificate.verdict.isWhole, "\(certificate.why)")
  }

  @Test("a list that its job expects to be cut is no success where it ends long before")
  func shortOfCap() throws {
    let cap = Cap(at: 499, doubt: 450, expected: "it is its first 499")
    let stream = try FakeJob.stream(FakeJob.offset, size: 50, total: .estimate, cap: cap)
    let server = PositionServer(count: 250, total: 4_000)
    let certificate = try walk(stream, of: server, size: 50).certificate
    #expect(certificate.verdict == .incomplete && !certificate.isAsDeclared, "\(certificate.why)")
  }
}
