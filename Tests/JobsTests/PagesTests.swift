import JSON
import Model
import Testing

@testable import Jobs

@Suite("How a job file says that a list is paged")
struct PagesTests {
  static func stream(_ pages: String) throws -> Model.Stream {
    let text = Books.with(
      "pages: { by: \"number\", param: \"page\", size: { param: \"n\", value: 10 } },", pages)
    return try #require(try Books.read(text).stream("found"))
  }

  @Test("with a first token, tokens that mean the end, and a flag in its sense")
  func tokens() throws {
    let stream = try Self.stream(
      """
      pages: {
        by: "token", param: "cursor", next: "next", first: "*", ends: ["", 0], repeats: "end",
        more: { at: "meta.end | end", is: false },
      },
      """)
    var next = NextPage(.body(try JSONPath("next")), parameter: "cursor")
    next.first = "*"
    next.ends = ["", "0"]
    next.endsByRepeat = true
    #expect(stream.pager == .chain(next))
    #expect(stream.more.map(\.text) == ["meta.end", "end"] && !stream.moreIs)
    #expect(stream.signOfMore == "body next not  not 0 not again | not meta.end | not end")
  }

  @Test("and a number of a first token is its digits")
  func number() throws {
    let stream = try Self.stream(
      "pages: { by: \"token\", param: \"since\", next: \"next\", first: 0, more: \"more\" },")
    #expect(stream.pager.nextPage?.first == "0" && stream.moreIs)
  }
}
