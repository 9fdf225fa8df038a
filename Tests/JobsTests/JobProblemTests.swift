import Model
import Testing

@testable import Jobs

@Suite("A job file that is wrong")
struct JobProblemTests {
  @Test("is told with place, reason and cure", arguments: JobProblemTable.rows)
  func isTold(row: JobProblemTable.Row) {
    let problems = Books.problems(Books.with(row.old, row.new))
    let told = row.told.split(separator: "\n").map { "books.json5:\($0)" }
    #expect(problems == told)
  }

  @Test("is not wrong before it is broken")
  func isSound() { #expect(Books.problems(Books.text) == []) }

  @Test(
    "says what a key that was renamed is called now",
    arguments: [
      ("quotas: {", "buckets: {", "5:3: the key \"buckets\" is called \"quotas\" now"),
      (
        "name: \"books\",",
        "name: \"books\", errors: [{ status: 429, then: \"defer\", bucket: \"calls\" }],",
        "2:57: the key \"bucket\" is called \"quota\" now"
      ),
      (
        "name: \"books\",",
        "name: \"books\", errors: [{ status: 429, then: \"defer\", say: \"later\" }],",
        "2:57: the key \"say\" is called \"message\" now"
      ),
      (
        "list: \"hits\",", "list: \"hits\", foundBy: \"on {topic}\",",
        "17:21: the key \"foundBy\" is called \"listName\" now"
      ),
      (
        "list: \"hits\",", "list: \"hits\", window: { grain: \"1s\" },",
        "17:31: the key \"grain\" is called \"step\" now"
      ),
    ])
  func renamed(from: String, to: String, told: String) {
    let problems = Books.problems(Books.with(from, to))
    #expect(problems.contains("books.json5:\(told)"), "\(problems)")
  }

  @Test("says so in a person's own settings, too")
  func renamedInSettings() {
    let problems = Books.problems(
      "{ name: \"mine\", use: \"books\",\n  buckets: { calls: { allow: 5 } } }")
    #expect(
      problems.contains("books.json5:2:3: the key \"buckets\" is called \"quotas\" now"),
      "\(problems)")
  }

  @Test("has sizes that are what they say: the default and the most are decimal, as all sizes are")
  func sizes() throws {
    func media(_ size: String) -> String {
      Books.with("name: \"books\",", "name: \"books\", media: { file: \"\(size)\" },")
    }
    #expect(try Books.read(Books.text).media.fileBytesMax == 20_000_000)
    #expect(try Books.read(media("20MB")).media.fileBytesMax == 20_000_000)
    #expect(Books.problems(media("1GB")) == [])
    #expect(
      Books.problems(media("1001MB")) == [
        "books.json5:2:33: a single image has at most 1GB"
      ])
  }
}
