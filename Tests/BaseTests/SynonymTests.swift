@testable import Base
import Testing

@Suite("Words that are not known")
struct SynonymTests {
  @Test(
    "lead to the one that somebody probably meant",
    arguments: [
      ("page_sze", "page_size"), ("recrods", "records"), ("colums", "columns"), ("gte", "get"),
      ("Streams", "streams"), ("giphi", nil), ("x", nil), ("", nil),
      (String(repeating: "records", count: 100), nil),
    ] as [(String, String?)])
  func nearest(word: String, meant: String?) {
    let known = ["page_size", "records", "columns", "get", "streams", "into"]
    #expect(Suggestion.nearest(to: word, in: known) == meant)
  }

  @Test(
    "of other programs lead to the word that is understood here",
    arguments: [
      ("list", "status"), ("ls", "status"), ("sync", "run"), ("images", "media"), ("url", "get"),
      ("path", "get"), ("schedule", "every"),
    ])
  func meant(word: String, meant: String) {
    let known = ["run", "status", "get", "pages", "media", "every", "page"]
    #expect(Suggestion.nearest(to: word, in: known) == meant)
  }

  @Test("lead to nothing that is not known where they stand, nor away from what is")
  func unknown() {
    #expect(Suggestion.nearest(to: "schedule", in: ["get", "pages"]) == nil)
    #expect(Suggestion.nearest(to: "path", in: ["get", "path"]) == "path")
  }
}
