import Base
import Walk
import Testing

@Suite("The body of a request")
struct BodyTests {
  private static func stream(_ body: BodyTemplate, pager: Pager) throws -> Base.Stream {
    var stream = try FakeJob.stream(pager, size: 50)
    stream.body = body
    stream.isPositionInBody = true
    stream.size?.parameter = "page.size"
    stream.size?.isInBody = true
    return stream
  }

  private static func text(_ step: Step) -> String {
    String(decoding: step.body?.bytes ?? [], as: UTF8.self)
  }

  @Test("holds values in its texts, and a page's place as a number, at a path that is made")
  func json() throws {
    let body = BodyValue.object([
      .init("q", .text(Template([.hole("topic"), .text("!")]))),
      .init("none", .optional(Template([.hole("empty")]))),
      .init("page", .object([.init("a", .plain("1.5"))])),
    ])
    let stream = try Self.stream(.json(body), pager: .number(parameter: "page.number", first: 1))
    let builder = try FakeJob.builder(
      stream, [ParameterValue("topic", "\"é"), ParameterValue("empty", "")])
    let step = try builder.step(.page, ordinal: 2, at: .number(2))
    #expect(
      Self.text(step) == #"{"q":"\"é!","page":{"a":1.5,"size":50,"number":2}}"#,
      "\(Self.text(step))")
    #expect(step.address.query == nil && step.body?.type == "application/json")
    let probe = try builder.step(.signOfMore, ordinal: 1, at: .part(.number(1), size: 1))
    #expect(Self.text(probe).contains(#""size":1,"number":1"#))
  }

  @Test("tells two pages apart that have one address; the same one is a loop")
  func loops() throws {
    let body = BodyTemplate.json(.object([]))
    let next = NextPage(.body(try JSONPath("next")), parameter: "after")
    let stream = try Self.stream(body, pager: .chain(next))
    let (run, certificate, _) = try walk(stream) { step in
      .page(ScriptPage([step.ordinal], next: step.ordinal < 4 ? .token("t\(step.ordinal)") : nil))
    }
    #expect(run.requests.count == 4 && certificate.verdict.isWhole, "\(certificate.why)")
    let loop = try walk(stream) { step in
      .page(ScriptPage([step.ordinal], next: .token(step.ordinal % 2 == 0 ? "a" : "b")))
    }
    #expect(loop.certificate.rule == .loop)
  }

  @Test("takes a value as a number or as true, and refuses what is none before it is sent")
  func typed() throws {
    let body = BodyValue.object([
      .init("n", .typed(Template([.hole("n")]), .integer)),
      .init("b", .typed(Template([.hole("b")]), .boolean)),
    ])
    let stream = try Self.stream(.json(body), pager: .single)
    func text(_ n: String, _ b: String) throws -> String {
      let builder = try FakeJob.builder(stream, [ParameterValue("n", n), ParameterValue("b", b)])
      return Self.text(try builder.step(.page, ordinal: 1, at: .start))
    }
    #expect(try text("7", "true") == #"{"n":7,"b":true,"page":{"size":50}}"#)
    for (n, b) in [("x", "true"), ("7.5", "true"), ("7", "yes"), ("7]", "true")] {
      #expect(throws: StepProblem.self) { try text(n, b) }
    }
  }

  @Test("gives a token that is a list back as that list")
  func listToken() throws {
    var stream = try Self.stream(
      .json(.object([])),
      pager: .token(parameter: "search_after", next: try JSONPath("items[-1].sort")))
    stream.size = nil
    let answer = try PageReaderTests.answer(
      #"{"items":[{"id":1,"sort":[1]},{"id":2,"sort":[1463538857,"b"]}]}"#)
    let page = try PageReaderTests.page(FakeJob.read(answer, of: stream))
    let next = try #require(page.next)
    let step = try FakeJob.builder(stream).step(.page, ordinal: 2, at: next)
    #expect(Self.text(step) == #"{"search_after":[1463538857,"b"]}"#, "\(Self.text(step))")
    stream.isPositionInBody = false
    let inQuery = try FakeJob.read(answer, of: stream)
    #expect(PageReaderTests.trouble(inQuery)?.description.contains("a list is there") == true)
  }

  @Test(
    "gives a token back as a number where it has a number itself, however the answer wrote it",
    arguments: [
      (.plain("0"), "10", "10"), (.plain("0"), #""10""#, "10"), (.plain("-1"), "1.50", "1.50"),
      (.plain("0"), "12345678901234567890", "12345678901234567890"),
      (.plain("0"), #""007""#, #""007""#), (.plain("0"), #""a,b""#, #""a,b""#),
      (.plain("null"), "10", #""10""#), (.plain("true"), "10", #""10""#),
      (.literal("0"), "10", #""10""#), (.typed(Template([.hole("begin")]), .integer), "10", "10"),
      (nil, "10", #""10""#),
    ] as [(BodyValue?, String, String)])
  func numberToken(own: BodyValue?, next: String, sent: String) throws {
    let after = BodyValue.object(own.map { [BodyValue.Member("after", $0)] } ?? [])
    var stream = try Self.stream(
      .json(.object([.init("page", after)])),
      pager: .token(parameter: "page.after", next: try JSONPath("next")))
    stream.size = nil
    let answer = try PageReaderTests.answer("{\"items\":[{\"id\":1}],\"next\":\(next)}")
    let page = try PageReaderTests.page(FakeJob.read(answer, of: stream))
    let token = try #require(page.next)
    // Stored as ever: a walk that is resumed has only this.
    #expect(token.description == "token \(next.filter { $0 != "\"" })")
    let cursor = try #require(Cursor(token.description))
    let builder = try FakeJob.builder(stream, [ParameterValue("begin", "0")])
    let step = try builder.step(.page, ordinal: 2, at: cursor)
    #expect(Self.text(step) == #"{"page":{"after":\#(sent)}}"#, "\(Self.text(step))")
  }

  @Test("is part of what a list's fingerprint covers")
  func fingerprint() throws {
    func print(_ body: BodyTemplate?) throws -> UInt64 {
      var stream = try FakeJob.stream(FakeJob.number)
      stream.body = body
      return Fingerprinter.fingerprints(of: stream, in: try FakeJob.job(stream)).request
    }
    let all: [BodyTemplate?] = [
      nil, BodyTemplate.none, .form([]), .json(.object([])),
      .json(.object([.init("a", .plain("1"))])), .json(.object([.init("a", .literal("1"))])),
      .json(.object([.init("a", .text(Template([.hole("b")])))])),
    ]
    #expect(
      Set(try all.map(print)).count == all.count - 1, "text and number of one spelling are one")
  }

  @Test(
    "of GraphQL is no page where errors stand in it",
    arguments: [
      (#"{"items":[1],"errors":[]}"#, true), (#"{"items":[1],"errors":null}"#, true),
      (#"{"items":[1],"errors":[{"message":"no"}]}"#, false),
      (#"{"items":[1],"errors":{"message":"no"}}"#, false),
    ])
  func errors(body: String, isPage: Bool) throws {
    for isGraphQL in [true, false] {
      var stream = try FakeJob.stream(FakeJob.number)
      stream.body = .json(
        .object([.init("query", isGraphQL ? .literal("{ a { b } }") : .plain("1"))]))
      let reading = try FakeJob.read(body, of: stream, at: .number(1))
      #expect((PageReaderTests.trouble(reading) == nil) == (isPage || !isGraphQL), "\(reading)")
    }
  }
}
