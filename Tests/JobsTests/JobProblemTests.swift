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
    ])
  func renamed(from: String, to: String, told: String) {
    let problems = Books.problems(Books.with(from, to))
    #expect(problems.contains("books.json5:\(told)"), "\(problems)")
  }
}
