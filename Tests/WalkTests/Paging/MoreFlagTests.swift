import Base
import Testing

@Suite("A flag beside a next page")
struct MoreFlagTests {
  private static func stream() throws -> Base.Stream {
    try FakeJob.stream(FakeJob.token(), size: 2, more: true)
  }

  /// Ten records in pages of two; every answer names a next page, even the last one.
  private static func page(_ step: Step, flag: (Int) -> Bool?) -> ScriptPage {
    let from = step.cursor.whole.tokenNumber ?? 0
    let size = step.cursor.partSize ?? 2
    return ScriptPage(
      (from..<10).prefix(size), more: flag(from), next: .token(String(from + size)))
  }

  @Test("ends the list where it says no: a token that never ends costs no request more")
  func endless() throws {
    let (run, certificate, _) = try walk(Self.stream()) { step in
      .page(Self.page(step) { $0 < 8 })
    }
    #expect(certificate.rule == .moreFlag && certificate.distinctKeys == 10)
    #expect(certificate.verdict.isWhole, "\(certificate.why)")
    #expect(run.requests.count == 6, "one for a last page that is full: \(run.requests)")
    #expect(run.promised == 4, "page 2 to 5 could be requested early")
  }

  @Test("that says yes is not beside one object: a list is due where more pages follow")
  func oneObject() throws {
    for (flag, isPage) in [("true", false), ("false", true)] {
      let answer = try PageReaderTests.answer(#"{"items":{"id":1},"more":\#(flag)}"#)
      #expect((PageReaderTests.trouble(try PageReaderTests.read(answer)) == nil) == isPage)
    }
  }

  @Test("that is missing leaves the next page as the only sign")
  func missing() throws {
    let (run, certificate, _) = try walk(Self.stream()) { step in
      var page = Self.page(step) { _ in nil }
      if page.keys.isEmpty { page.next = nil }
      return .page(page)
    }
    #expect(certificate.rule == .noNextPage && run.requests.count == 8)
  }

  @Test("that says yes at the end, where no next page is named, speaks against the list")
  func contradiction() throws {
    let (_, certificate, _) = try walk(Self.stream()) { step in
      var page = Self.page(step) { _ in true }
      if page.keys.last == 9 { page.next = nil }
      return .page(page)
    }
    #expect(certificate.claim == "incomplete (count)", "\(certificate.why)")
    #expect(certificate.why.contains("yet the answer says that more follow"))
  }

  @Test("that never said yes shows no end behind a full page")
  func neverYes() throws {
    let stream = try FakeJob.stream(FakeJob.token(), size: 2, more: true, isAsked: false)
    let (_, certificate, _) = try walk(stream) { step in
      var page = Self.page(step) { _ in nil }
      if page.keys.last == 3 { (page.more, page.next) = (false, nil) }
      return .page(page)
    }
    #expect(certificate.verdict == .unproven, "\(certificate.why)")
  }

  @Test("is what shows that the sign of more works, where a next page is always named")
  func sign() throws {
    for (says, verdict, requests) in [(true, Verdict.complete, 3), (false, .unproven, 2)] {
      let (run, certificate, _) = try walk(Self.stream()) { step in
        let isProbe = step.purpose == .signOfMore
        return .page(
          ScriptPage(
            isProbe ? [1] : step.purpose == .lastRecord ? [2] : [1, 2], more: isProbe && says,
            next: .token("5")))
      }
      #expect(certificate.verdict == verdict, "\(certificate.why)")
      #expect(run.requests.count == requests, "\(run.requests)")
    }
  }

  @Test("may say the reverse, which its job tells; a name that says the reverse of that is no end")
  func sense() throws {
    func page(_ body: String) throws -> Page {
      try PageReaderTests.page(
        PageReaderTests.read(PageReaderTests.answer(body), FakeJob.token()) { stream, _ in
          stream.more = [try JSONPath("endOfRecords")]
          stream.moreIs = false
        })
    }
    #expect(try page(#"{"items":[1],"total":9,"endOfRecords":false,"next":"t"}"#).more == true)
    #expect(try page(#"{"items":[1],"total":9,"endOfRecords":true,"next":"t"}"#).more == false)
    #expect(try page(#"{"items":[1],"total":9,"next":"t"}"#).more == nil)
    for (name, moreIs, isOdd) in [
      ("endOfRecords", false, false), ("has_more", false, true), ("meta.is_last", true, true),
    ] {
      var stream = try Self.stream()
      stream.more = [try JSONPath(name)]
      stream.moreIs = moreIs
      let (_, certificate, _) = try walk(stream) { step in .page(Self.page(step) { $0 < 8 }) }
      #expect(certificate.verdict.isWhole != isOdd, "\(certificate.why)")
      #expect(certificate.cause == (isOdd ? .unread : nil))
      #expect(certificate.why.contains(name) == isOdd, "\(certificate.why)")
    }
  }
}
