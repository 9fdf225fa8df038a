@testable import Base
import Testing

@Suite("A path that leads to nothing")
struct NearestPathTests {
  private static let record = """
    {"id": 1, "title": "a", "html_url": "u", "author": {"login": "x", "id": 2},
     "tags": [{"label": "t"}], "stats": {"views": 3}, "empty": []}
    """

  @Test(
    "may have been meant for the nearest that is there",
    arguments: [
      ("titel", "title"), ("html_ulr", "html_url"), ("autor.login", "author.login"),
      ("author.logn", "author.login"), ("tags.*.lable", "tags.*.label"),
      ("tags.0.lable", "tags.0.label"), ("login", "author.login"),
      ("statistics.views", "stats.views"), ("web_url", "html_url"), ("colour", nil),
      ("author.colour", nil),
    ] as [(String, String?)])
  func nearest(path: String, meant: String?) throws {
    let value = try JSONDocument.read(Array(Self.record.utf8)).root
    let others = ["html_url", "author.login", "tags.*.label", "stats.views"]
    #expect(try JSONPath(path).nearest(in: [value], others: others) == meant)
  }

  @Test("shows nothing where its list is empty")
  func empty() throws {
    let value = try JSONDocument.read(Array(Self.record.utf8)).root
    #expect(try JSONPath("empty.*.x").endsAtNothing(in: value))
    #expect(try !JSONPath("tags.*.x").endsAtNothing(in: value))
    #expect(try !JSONPath("none.*.x").endsAtNothing(in: value))
  }
}
