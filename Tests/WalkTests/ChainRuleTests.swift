import Base
import Walk
import Testing

@Suite("A walk by token, Link or next address")
struct ChainRuleTests {
  enum Style: CaseIterable { case token, link, address }

  static func stream(_ style: Style, total: Total.Trust? = nil) throws -> Base.Stream {
    let pager: Pager =
      switch style {
      case .token: try FakeJob.token()
      case .link: .link
      case .address: try FakeJob.address()
      }
    return try FakeJob.stream(pager, total: total)
  }

  /// A cursor that reveals no position.
  static func next(_ style: Style, _ page: Int) -> Cursor {
    let opaque = ["", "qk", "zb", "ax", "mf", "ce"][min(page, 5)] + "\(page * page)"
    return style == .token
      ? .token(opaque) : .address("https://api.example/v1/things?size=100&after=\(opaque)")
  }

  static func request(_ style: Style, _ page: Int) -> String {
    guard page > 1 else { return "page size=100" }
    switch next(style, page) {
    case .token(let token): return "page size=100&token=\(token)"
    case .address(let text): return "page \(text.split(separator: "?")[1])"
    default: return ""
    }
  }

  static func chain(_ style: Style, _ pages: [[Int]], total: Int? = nil) -> (Step) -> Reply {
    return { step in
      let index = step.ordinal
      return .page(
        ScriptPage(
          pages[index - 1], total: total,
          next: index < pages.count ? next(style, index + 1) : nil))
    }
  }

  /// Of a list by `Link`: pages of 100 records, and of 40 the last one, which each of them names.
  static func linked(_ step: Step, of pages: Int) -> ScriptPage {
    func address(_ page: Int) -> Cursor { .address("https://api.example/v1/things?page=\(page)") }
    let number =
      step.purpose == .lastPage ? pages : step.purpose == .closingCheck ? 1 : step.ordinal
    var page = ScriptPage((number * 100)..<(number * 100 + (number < pages ? 100 : 40)))
    if number < pages { page.next = address(number + 1) }
    page.last = address(pages)
    return page
  }

  @Test("ends where the answer names no next page", arguments: Style.allCases)
  func noNext(style: Style) throws {
    let pages = [Array(1...100), Array(101...200), Array(201...230)]
    let (run, certificate, _) = try walk(Self.stream(style), Self.chain(style, pages))
    #expect(run.requests == [1, 2, 3].map { Self.request(style, $0) })
    #expect(certificate.verdict.isWhole && certificate.rule == .noNextPage)
    #expect(certificate.why.hasPrefix("no next page after page 3; nothing proves that it is whole"))
    #expect(certificate.counts.received == 230 && run.promised == 2)
  }

  @Test("ends at an empty page that names none", arguments: Style.allCases)
  func emptyEnd(style: Style) throws {
    let (run, certificate, _) = try walk(
      Self.stream(style, total: .estimate), Self.chain(style, [Array(1...100), []], total: 665))
    #expect(run.requests.count == 4 && certificate.cause == .count)
    #expect(certificate.why.hasSuffix("; the API's estimate is 665, and 100 were received"))
  }

  @Test("does not end at a counted total while a next page is named", arguments: Style.allCases)
  func pastTotal(style: Style) throws {
    let pages = [Array(1...100), Array(101...150)]
    let (run, certificate, _) = try walk(
      Self.stream(style, total: .counted), Self.chain(style, pages, total: 100))
    #expect(run.seen.count == 150 && certificate.cause == .count)
  }

  @Test("stops at a token or address that was asked before", arguments: Style.allCases)
  func repeatedToken(style: Style) throws {
    let (run, certificate, _) = try walk(Self.stream(style)) { step in
      let names = step.ordinal == 3 ? 2 : step.ordinal + 1
      return .page(ScriptPage([step.ordinal], next: Self.next(style, names)))
    }
    #expect(run.requests.count == 3)
    #expect(certificate.verdict == .failed && certificate.rule == .loop)
    #expect(certificate.why == "page 3 names a page that was already requested")
  }

  @Test("that asks with a token for the end says how the job stops there", arguments: ["0", "END"])
  func endToken(token: String) throws {
    for isRefused in [true, false] {
      let (_, certificate, _) = try walk(Self.stream(.token)) { step in
        if step.ordinal == 3, isRefused { return .trouble(.init(.refused, "400", status: 400)) }
        return .page(
          ScriptPage([step.ordinal], next: .token(step.ordinal == 2 ? token : "t2")))
      }
      #expect(certificate.why.contains("stops: \"\(token)\""), "\(certificate.why)")
    }
  }

  @Test("whose page 2 is page 1 again shows that the API ignores the token")
  func ignoredToken() throws {
    for isEnd in [false, true] {
      let (run, certificate, _) = try walk(Self.stream(.token)) { step in
        .page(ScriptPage(1...5, next: isEnd && step.ordinal > 1 ? nil : .token("t")))
      }
      #expect(run.requests.count == 2 && certificate.cause == .unread)
      let told = "page 2 is page 1 again: the API ignores \"token\" (pages.to)"
      #expect(certificate.why.contains(told), "\(certificate.why)")
    }
  }

  @Test("says what a job declares where a token that stays is the end")
  func stuckToken() throws {
    let (_, certificate, _) = try walk(Self.stream(.token)) { step in
      .page(ScriptPage([step.ordinal], next: Self.next(.token, min(3, step.ordinal + 1))))
    }
    #expect(certificate.rule == .loop && certificate.why.hasSuffix("stops: \"repeat\""))
  }

  @Test("stops where the next address is page 1's own")
  func backToStart() throws {
    let (run, certificate, _) = try walk(Self.stream(.link)) { _ in
      .page(ScriptPage([1], next: .address("https://api.example/v1/things?size=100")))
    }
    #expect(run.requests.count == 1 && certificate.rule == .loop)
  }

  @Test("stops after three pages in a row that bring nothing unseen", arguments: Style.allCases)
  func stalePages(style: Style) throws {
    let (run, certificate, _) = try walk(Self.stream(style)) { step in
      .page(ScriptPage([1, 2], next: Self.distinctNext(style, step.ordinal)))
    }
    #expect(run.requests.count == 4)
    #expect(certificate.verdict == .failed && certificate.rule == .loop)
  }

  @Test("tells of records with lists of their own that an API may go on within a page")
  func withinPage() throws {
    for hasChildren in [false, true] {
      var stream = try Self.stream(.token)
      if hasChildren { stream.children = [try FakeJob.child("tags", at: "tags")] }
      let (_, certificate, _) = try walk(stream) { step in
        .page(ScriptPage([1, 2], next: Self.distinctNext(.token, step.ordinal)))
      }
      #expect(certificate.why.contains("within a page") == hasChildren, "\(certificate.why)")
    }
  }

  @Test("stops after 50 empty pages in a row, and not after 49", arguments: Style.allCases)
  func emptyPages(style: Style) throws {
    for count in [49, 50] {
      let (run, certificate, _) = try walk(Self.stream(style)) { step in
        let isEmpty = (2..<(2 + count)).contains(step.ordinal)
        let keys = isEmpty ? [] : [step.ordinal]
        let isLast = step.ordinal == count + 2
        return .page(
          ScriptPage(keys, next: isLast ? nil : Self.distinctNext(style, step.ordinal)))
      }
      #expect(run.requests.count == 51)
      #expect(certificate.rule == (count == 49 ? .noNextPage : .tooManyEmptyPages))
      #expect(certificate.verdict == (count == 49 ? .unproven : .failed))
      #expect(certificate.why.contains("stops: \"empty\"") == (count == 50))
    }
  }

  static func distinctNext(_ style: Style, _ page: Int) -> Cursor {
    let opaque = "k\(page * 7919 % 1009)x"
    return style == .token
      ? .token(opaque) : .address("https://api.example/v1/things?after=\(opaque)")
  }

  @Test("cannot go on past a page that cannot be read", arguments: Style.allCases)
  func unreadable(style: Style) throws {
    let (run, certificate, _) = try walk(Self.stream(style)) { step in
      if step.ordinal == 2 { return .trouble(.init(.unreadable, "cut in the middle")) }
      return .page(ScriptPage([step.ordinal], next: Self.next(style, step.ordinal + 1)))
    }
    #expect(run.requests.count == 2)
    #expect(certificate.verdict == .failed && certificate.rule == .failure)
    #expect(certificate.why == "page 2 could not be read: cut in the middle")
  }

  @Test(
    "looks back at page 1 where the next addresses count pages or positions, and after two pages",
    arguments: [
      (["page=2", "page=3"], true), (["page=2"], true), (["offset=100", "offset=200"], true),
      (["page=2&x=7", "x=7&page=3"], true), (["start=1", "start=2"], true),
      (["since=135", "since=1027"], false), (["since=1", "since=99", "since=105"], false),
      (["after=abc", "after=def"], false), (["page=2", "page=7"], true),
      (["page=2", "page=3", "page=7"], false), (["cursor=100abc"], true),
    ])
  func disguised(queries: [String], looks: Bool) throws {
    let (run, certificate, _) = try walk(Self.stream(.link)) { step in
      var page = ScriptPage((step.ordinal * 100)..<(step.ordinal * 100 + 100))
      if step.ordinal <= queries.count {
        let base = "https://api.example/user/7/things?size=100"
        page.next = .address("\(base)&\(queries[step.ordinal - 1])")
      }
      return .page(page)
    }
    #expect(certificate.verdict.isWhole)
    #expect(run.requests.contains("closingCheck size=100") == looks)
    // The last page is full, so it is looked at once more.
    #expect(run.requests.count == queries.count + 2 + (looks ? 1 : 0))
  }
}

@Suite("A walk of a single answer")
struct SingleRuleTests {
  @Test("ends with it")
  func single() throws {
    let (run, certificate, _) = try walk(FakeJob.stream(.single, size: nil)) { _ in
      .page(ScriptPage([1, 2, 3], next: .token("ignored")))
    }
    #expect(run.requests == ["page /v1/things"])
    #expect(certificate.verdict.isWhole && certificate.rule == .singleAnswer)
    #expect(certificate.why == "single answer; its job does not say whether there are more pages")
  }

  @Test("is incomplete where its counted total says so")
  func short() throws {
    let (_, certificate, _) = try walk(FakeJob.stream(.single, size: nil, total: .counted)) { _ in
      .page(ScriptPage([1, 2, 3], total: 4))
    }
    #expect(certificate.cause == .count)
  }

  @Test("that is empty is complete, with the job's hint")
  func hint() throws {
    var stream = try FakeJob.stream(.single, size: nil, isOnePage: true)
    stream.emptyHint = "free plans get nothing here"
    var memory = WalkMemory()
    memory.isEmptyForLong = true
    let (_, certificate, _) = try walk(stream, memory: memory) { _ in .page(ScriptPage([])) }
    #expect(certificate.proof == .oneAnswer)
    #expect(certificate.why == "single answer; free plans get nothing here")
  }
}
