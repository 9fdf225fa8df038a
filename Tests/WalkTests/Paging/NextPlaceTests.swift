import Base
@testable import Walk
import Testing

/// A next page, total or last page that is not at a single place of the body.
@Suite("What an answer names in its head, in several parameters, or in a list of links")
struct NextPlaceTests {
  private static func page(
    _ body: String, _ fields: [HeaderField] = [], _ next: NextPage? = nil,
    change: (inout Base.Stream) throws -> Void = { _ in }
  ) throws -> Page {
    var stream = try FakeJob.stream(next.map { .chain($0) } ?? FakeJob.number)
    try change(&stream)
    let answer = try PageReaderTests.answer(body, fields)
    return try PageReaderTests.page(FakeJob.read(answer, of: stream, at: .start))
  }

  @Test("is followed: an address in a header field")
  func headerAddress() throws {
    let next = NextPage(.header("X-Next"))
    #expect(
      try Self.page(#"{"items":[1]}"#, [HeaderField("x-next", "/v1/things?page=2")], next).next
        == .address("https://api.example/v1/things?page=2"))
    #expect(try Self.page(#"{"items":[1]}"#, [], next).next == nil)
  }

  @Test("is not the next one where an address beside it names a page that it skips")
  func skipped() throws {
    let next = NextPage(.body(try JSONPath("links.last")))
    for (named, isSkipped) in [
      ("?page=2", true), ("/v1/things?page=4", true), ("?page=5", false), ("?page=6", false),
      ("?page=2&size=9", false), ("?page=x", false), ("?offset=2", false), ("/v1?page=2", false),
    ] {
      let body = #"{"items":[1],"links":{"next":"\#(named)","last":"?page=5"}}"#
      let page = try Self.page(body, [], next)
      #expect(page.next == .address("https://api.example/v1/things?page=5"))
      let isPart = page.signs.contains { $0.kind == .part }
      #expect(isPart == isSkipped, "\(named): \(page.signs)")
      let list = try Self.page(
        #"{"items":[1],"links":[{"rel":"next","href":"\#(named)"},{"rel":"last","href":"?page=5"}]}"#,
        [], NextPage(.body(try JSONPath("links[rel=last].href"))))
      #expect(list.next == page.next)
      #expect(list.signs.map(\.kind) == (isSkipped ? [.part] : []), "\(named): \(list.signs)")
    }
  }

  @Test("goes with the next request, each parameter in the place of the job's own")
  func state() throws {
    let next = NextPage(.state(try JSONPath("continue")))
    let page = try Self.page(
      #"{"items":[1],"continue":{"cmcontinue":"page|é&=|1","n":2,"continue":"-||","x":null}}"#,
      [], next)
    let token = try #require(page.next)
    var stream = try FakeJob.stream(.chain(next))
    stream.query = [QueryItem("n", Template([.text("1")])), QueryItem("a", Template([.text("b")]))]
    let builder = try FakeJob.builder(stream)
    #expect(
      try builder.address(at: token).query
        == "a=b&size=100&cmcontinue=page%7C%C3%A9%26%3D%7C1&n=2&continue=-%7C%7C")
    #expect(Cursor(token.description) == token)
    for end in ["null", "{}", "false"] {
      #expect(try Self.page("{\"items\":[1],\"continue\":\(end)}", [], next).next == nil)
    }
    #expect(page.signs.isEmpty, "\(page.signs)")
    let odd = try PageReaderTests.read(
      PageReaderTests.answer(#"{"items":[1],"continue":{"a":[1]}}"#), .chain(next))
    #expect(PageReaderTests.trouble(odd)?.sentence.contains("one of them is not text") == true)
  }

  @Test("never sets the parameter that carries the key")
  func stateAndKey() throws {
    var stream = try FakeJob.stream(.chain(NextPage(.state(try JSONPath("continue")))))
    stream.size = nil
    var job = try FakeJob.job(stream)
    job.authentication = Authentication(place: .query(name: "api_key"), secret: "shop")
    let builder = try StepBuilder(job: job, stream: stream, unit: Unit(stream: stream.name))
    #expect(try builder.address(at: .token("api_key=x&a=1")).query == "a=1")
  }

  @Test("is the link that says so, wherever it stands in its list")
  func chosen() throws {
    let next = NextPage(.body(try JSONPath("links[rel=next].href")))
    let more = try Self.page(
      #"{"items":[1],"links":[{"rel":"self","href":"/a"},{"rel":"next","href":"/b?page=2"}]}"#,
      [], next)
    #expect(more.next == .address("https://api.example/b?page=2") && more.signs.isEmpty)
    let last = try Self.page(#"{"items":[1],"links":[{"rel":"self","href":"/a"}]}"#, [], next)
    #expect(last.next == nil && last.signs.map(\.kind) == [.last])
  }

  @Test("is what the last entry of a list says; an empty list names none")
  func lastEntry() throws {
    let next = NextPage(.body(try JSONPath("items[-1].id")), parameter: "after")
    let more = try Self.page(#"{"items":[{"id":"a"},{"id":"b"}]}"#, [], next)
    #expect(more.next == .token("b") && more.signs.isEmpty, "\(more.signs)")
    let last = try Self.page(#"{"items":[]}"#, [], next)
    #expect(last.next == nil && last.signs.map(\.kind) == [.last])
  }

  @Test(
    "is a length in a header field, and of a range what stands behind its stroke",
    arguments: [
      ("X-Total-Count", "319", 319), ("Content-Range", "items 0-24/319", 319),
      ("Content-Range", "items 0-24/*", nil), ("X-Total-Count", "many", nil),
    ] as [(String, String, Int?)])
  func total(field: String, value: String, total: Int?) throws {
    let page = try Self.page(#"{"items":[1]}"#, [HeaderField(field.lowercased(), value)]) {
      $0.total = Total(field: field, trust: .counted)
    }
    #expect(page.total == total)
    #expect(!page.signs.contains { $0.kind == .length }, "\(page.signs)")
  }

  @Test("names the last page by its number, or by its address; more pages than came are missing")
  func last() throws {
    let body = try Self.page(#"{"items":[1],"meta":{"pages":"7"}}"#) {
      $0.lastPage = .body([try JSONPath("meta.pages")])
    }
    #expect(body.last == .number(7) && body.pageCount == 7)
    #expect(body.signs == [UnreadSign("meta.pages", .pages, "7", number: 7)])
    let head = try Self.page(
      #"{"items":[1]}"#, [HeaderField("X-Last", "?page=9")], NextPage(.body(try JSONPath("next")))
    ) { $0.lastPage = .header("X-Last") }
    #expect(head.last == .address("https://api.example/v1/things?page=9"))

    // Three pages of two; the answers say how many there are.
    for (said, claim) in [(3, "complete"), (5, "incomplete (count)")] {
      var stream = try FakeJob.stream(FakeJob.number, size: 2)
      stream.lastPage = .header("X-Pages")
      let (_, certificate, _) = try walk(stream) { step in
        guard case .number(let number) = step.cursor else { return .page(ScriptPage([])) }
        var page = ScriptPage((0..<6).dropFirst((number - 1) * 2).prefix(2))
        page.last = .number(said)
        page.signs = [UnreadSign("X-Pages", .pages, "\(said)", number: said)]
        return .page(page)
      }
      #expect(certificate.claim == claim, "\(certificate.why)")
      if said == 3 { #expect(certificate.proof == .ends) }
    }
  }

  @Test("a size that the API has by itself is not asked for, and pages by offset go by it")
  func fixedSize() throws {
    let cap = Cap(at: 70, doubt: 70, expected: nil)
    let builder = try FakeJob.builder(
      FakeJob.stream(FakeJob.offset, size: 50, cap: cap, isAsked: false))
    #expect(try builder.address(at: .offset(50)).query == "offset=50")
    #expect(WalkRules(builder.stream).size(at: .offset(50)) == 50)
  }
}
