import Base
import Testing

@Suite("How a job file says that a list is paged")
struct PagesTests {
  static func stream(_ pages: String) throws -> Base.Stream {
    let text = Books.with(
      "pages: { by: \"number\", to: \"?page\", size: \"?n=10\" },", pages)
    return try #require(try Books.read(text).stream("found"))
  }

  @Test("with a first token, tokens that mean the end, and a flag in its sense")
  func tokens() throws {
    let stream = try Self.stream(
      """
      pages: {
        by: "token", to: "?cursor", next: "next", first: "*", stops: ["", 0, "repeat", "empty"], more: "not meta.end | end",
      },
      """)
    var next = NextPage(.body(try JSONPath("next")), parameter: "cursor")
    next.first = "*"
    next.ends = ["", "0"]
    next.endsByRepeat = true
    next.endsEmpty = true
    #expect(stream.pager == .chain(next))
    #expect(stream.more.map(\.text) == ["meta.end", "end"] && !stream.moreIs)
    #expect(
      stream.signOfMore == "body next not  not 0 not again not empty | not meta.end | not end")
  }

  @Test("without the number of page 1, where the API counts from 0 and knows no page=0")
  func noNumber() throws {
    let stream = try Self.stream("pages: { by: \"number\", to: \"?page\", first: \"none\" },")
    #expect(stream.pager == .number(parameter: "page", first: 0) && stream.hidesFirstNumber)
    #expect(try !Self.stream("pages: { by: \"number\", to: \"?page\" },").hidesFirstNumber)
  }

  @Test("newest first where its order is a falling time and nothing is looked for that is gone")
  func newestFirst() throws {
    func read(_ more: String) throws -> Base.Stream {
      try Self.stream("pages: { by: \"token\", to: \"?t\", next: \"n\" }, \(more)")
    }
    let falling = try read("order: \"made falling\",")
    #expect(falling.newestFirst == "made" && falling.order?.direction == .falling)
    #expect(try read("order: \"made falling\", vanish: \"mark\",").newestFirst == nil)
    #expect(try read("order: \"made rising\",").newestFirst == nil)
    #expect(try read("order: \"id falling\",").newestFirst == nil)
    let numbers = try Self.stream(
      "pages: { by: \"number\", to: \"?page\" }, order: \"made falling\",")
    #expect(numbers.newestFirst == "made" && numbers.order == nil)
  }

  @Test("with rules of its own for errors, and known signs of body and head")
  func errors() throws {
    let stream = try Self.stream(
      """
      pages: { by: "link" }, unread: ["meta.cursors", "header:X-Next"], reads: "columns",
      errors: [{ status: 404, then: "end" }],
      """)
    #expect(stream.errors.map(\.action) == [.end] && stream.readsColumns)
    #expect(stream.unread == [["meta", "cursors"], ["header:x-next"]])
    let text = Books.with(
      "total:", "errors: [{ then: \"end\" }], total:")
    #expect(Books.problems(text).contains { $0.contains("the rule has no condition") })
  }

  @Test("behind the last record, by the place of its column, and a first number is its digits")
  func after() throws {
    let stream = try Self.stream(
      "pages: { by: \"after\", to: \"?starting_after\", next: \"id\", first: 0, more: \"has_more\" },"
    )
    var next = NextPage(
      .record(LastRecord([try JSONPath("id")], isUnique: true)), parameter: "starting_after")
    next.first = "0"
    #expect(stream.pager == .chain(next) && stream.moreIs)
    let time = try Self.stream(
      "pages: { by: \"after\", to: \"?since\", next: \"made\" }, order: \"made rising\",")
    #expect(time.pager.lastRecord?.isUnique == false)
  }

  @Test("in the answer's head, in several parameters, in a list of links")
  func places() throws {
    let ways: [(String, Pager)] = [
      (#"by: "token", to: "?t", next: "header:X-Next""#, .token(parameter: "t", header: "X-Next")),
      (#"by: "url", next: "header:X-Next""#, .chain(NextPage(.header("X-Next")))),
      (#"by: "token", next: "continue.*""#, .chain(NextPage(.state(try JSONPath("continue"))))),
      (
        #"by: "url", next: "\"page[next]\".\"a.*\"""#,
        .chain(NextPage(.body(try JSONPath(#""page[next]"."a.*""#))))
      ),
      (
        #"by: "url", next: "links[rel=next].href", lastPage: "meta.last""#,
        .chain(NextPage(.body(try JSONPath("links[rel=next].href"))))
      ),
    ]
    for (pages, pager) in ways {
      #expect(try Self.stream("pages: { \(pages) },").pager == pager, "\(pages)")
    }
  }

  @Test("with a last page, a total in the head, and a size that is not asked for")
  func ends() throws {
    let text = Books.with("total: \"count", "total: \"header:X-Total-Count")
      .replacing(
        "to: \"?page\", size: \"?n=10\"",
        with: "to: \"?page\", size: 25, lastPage: \"header:X-Pages\"")
    let stream = try #require(try Books.read(text).stream("found"))
    #expect(stream.total == Total(field: "X-Total-Count", trust: .counted))
    #expect(stream.size == PageSize(parameter: nil, value: 25))
    #expect(stream.lastPage == .header("X-Pages"))
  }

  @Test("beside query parameters that are sent once for each value of a list, in its order")
  func lists() throws {
    let text = Books.with(
      "query: { q: \"{topic}\" },", "query: { \"f[]\": [\"b\", \"a\", 1], q: \"{topic}\" },")
    let stream = try #require(try Books.read(text).stream("found"))
    #expect(stream.query.map(\.name) == ["f[]", "f[]", "f[]", "q"])
    #expect(stream.query.map(\.value.description) == ["b", "a", "1", "{topic}"])
  }
}
