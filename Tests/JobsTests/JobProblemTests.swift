import Base
import Testing

@Suite("A job file that is wrong")
struct JobProblemTests {
  @Test("is told with place, reason and cure", arguments: JobProblemTable.rows)
  func isTold(row: JobProblemTable.Row) {
    let problems = Books.problems(Books.with(row.old, row.new))
    let told = row.told.split(separator: "\n").map { "books.json5:\($0)" }
    #expect(problems == told)
  }

  @Test("is told of each name that is none, of two spellings of one letter as well")
  func spellings() {
    let quotas = ["\u{e9}", "e\u{301}"].map { "\"\($0)\": { allow: 10, per: \"hour\" }, " }
    let problems = Books.problems(Books.with("quotas: {", "quotas: { \(quotas.joined())"))
    #expect(problems.count { $0.contains("is not a name") } == 2)
    // K as the sign of the kelvin.
    let kelvin = Books.with("allow: 10", "allow: 10, \"allowWithout\u{212a}ey\": 5")
    #expect(Books.problems(kelvin).contains { $0.contains("unknown key") })
  }

  @Test("is not wrong before it is broken")
  func isSound() { #expect(Books.problems(Books.text) == []) }

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
