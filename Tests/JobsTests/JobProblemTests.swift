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
}
