@testable import Base
import Testing

@Suite("Words of other programs")
struct SynonymTests {
  @Test(
    "lead to the word that is understood here",
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
