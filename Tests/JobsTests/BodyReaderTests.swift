import Base
@testable import Jobs
import Testing

@Suite("A question that is asked by POST")
struct BodyReaderTests {
  static func stream(_ request: String, _ pages: String = "") throws -> Base.Stream {
    var text = Books.with("get: \"/search\",", request)
    if !pages.isEmpty {
      text = text.replacing(
        "pages: { by: \"number\", to: \"?page\", size: \"?n=10\" }", with: pages
      )
    }
    return try #require(try Books.read(text).stream("found"))
  }

  @Test("has any JSON for its body, with holes in its texts")
  func json() throws {
    let stream = try Self.stream(
      "post: \"/search\", body: { q: \"about {topic}\", o: \"{topic?}\", n: [0x10, 1.5, null, true] },"
    )
    let body = BodyValue.object([
      .init("q", .text(Template([.text("about "), .hole("topic")]))),
      .init("o", .optional(Template([.hole("topic")]))),
      .init("n", .list([.plain("16"), .plain("1.5"), .plain("null"), .plain("true")])),
    ])
    #expect(stream.body == .json(body) && stream.body?.isGraphQL == false)
    #expect(stream.holes == ["topic"])
  }

  @Test("has the numbers of its file with all their digits")
  func digits() throws {
    let stream = try Self.stream(
      "post: \"/search\", body: { n: [12345678901234567890, 1.10, +.5, 1e400] },")
    let numbers = ["12345678901234567890", "1.10", "0.5", "1e400"].map { BodyValue.plain($0) }
    #expect(stream.body == .json(.object([.init("n", .list(numbers))])))
  }

  @Test("has numbers and truth values of a person's in its body")
  func typed() throws {
    let stream = try Self.stream(
      "post: \"/search\", body: { n: \"{topic as integer}\", b: \"{topic as boolean}\" },")
    let hole = Template([.hole("topic")])
    #expect(
      stream.body
        == .json(.object([.init("n", .typed(hole, .integer)), .init("b", .typed(hole, .boolean))])))
    for body in ["{ n: \"{topic as whole}\" }", "{ n: \"a{topic as integer}\" }"] {
      let text = Books.with("get: \"/search\",", "post: \"/search\", body: \(body),")
      #expect(Books.problems(text).contains { $0.contains("is not a hole") }, "\(body)")
    }
  }

  @Test(
    "is GraphQL by braces within braces, which no hole has",
    arguments: [
      ("query($a: Int) { issues(first: $a) { nodes { id } } }", true), ("{viewer{login}}", true),
      ("{topic}", false), ("about {topic} and {topic}", false), ("{{braces}} {topic}", false),
    ])
  func graphQL(text: String, isOne: Bool) { #expect(BodyValue.isQuestion(text) == isOne) }

  @Test("takes a page's place and size in its body")
  func places() throws {
    let stream = try Self.stream(
      "post: \"/search\", body: {},",
      "pages: { by: \"offset\", to: \"body:page.from\", size: \"body:page.size=10\" }")
    #expect(stream.pager == .offset(parameter: "page.from") && stream.isPositionInBody)
    #expect(stream.size?.parameter == "page.size" && stream.size?.isInBody == true)
    let after = try Self.stream(
      "post: \"/search\", body: {},",
      "pages: { by: \"after\", to: \"body:search_after\", next: \"id\" }")
    #expect(after.pager.nextPage?.isNumber == false)
  }

  @Test("may be a form, or nothing")
  func form() throws {
    #expect(
      try Self.stream("post: \"/search\", form: { a: \"{topic}\", b: 1 },").body
        == .form([
          QueryItem("a", Template([.hole("topic")])), QueryItem("b", Template([.text("1")])),
        ]))
    #expect(try Self.stream("post: \"/search\",").body == BodyTemplate.none)
  }

  @Test("is an object that pages and windows fill, where nothing is said of it")
  func filled() throws {
    for (request, pages) in [
      ("", "pages: { by: \"offset\", to: \"body:from\" }"),
      ("", "pages: { by: \"offset\", to: \"?from\", size: \"body:n=10\" }"),
      ("window: { from: \"body:since\", on: \"made\" },", ""),
    ] {
      let stream = try Self.stream("post: \"/search\", \(request)", pages)
      #expect(stream.body == .json(.object([])), "\(request)\(pages)")
    }
  }
}
