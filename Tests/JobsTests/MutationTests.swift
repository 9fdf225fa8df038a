import Base
@testable import Jobs
import TestSupport
import Testing

@Suite("Mutated job files")
struct MutationTests {
  @Test(
    "are refused with file, line, column and reason, or are jobs, and never crash",
    arguments: BuiltInJobs.all.map(\.name))
  func endWell(name: String) throws {
    let file = try #require(BuiltInJobs.file(name))
    var refused = 0
    for seed in 0..<60 {
      var random = SeededRandom(seed: UInt64(seed) + 1)
      let text = Mutation.of(file.text, &random)
      do throws(JobFileError) {
        let job = try JobFile.read(text, file: "jobs/\(name).json5")
        #expect(!job.streams.isEmpty && !job.name.isEmpty, "seed \(seed)")
      } catch {
        refused += 1
        let lines = 1 + text.count { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        for problem in error.problems {
          #expect(problem.file == "jobs/\(name).json5", "seed \(seed)")
          #expect((1...lines).contains(problem.line) && problem.column >= 1, "seed \(seed)")
          #expect(problem.message.utf8.count > 10, "seed \(seed)")
          let isClean = problem.description.unicodeScalars.allSatisfy { $0.value >= 0x20 }
          #expect(isClean, "seed \(seed): \(problem)")
        }
        let places = error.problems.map { [$0.line, $0.column] }
        #expect(
          zip(places, places.dropFirst()).allSatisfy {
            $0.lexicographicallyPrecedes($1) || $0 == $1
          })
      }
    }
    #expect(refused > 10, "mutations that are never refused test nothing")
  }

  @Test("tell at most a hundred problems, and how many more there are")
  func areBounded() throws {
    let keys = (0..<300).map { "k\($0): 1" }.joined(separator: ",\n")
    let problems = Books.problems(Books.with("name: \"books\",", "name: \"books\",\n\(keys),"))
    #expect(problems.count == 101)
    #expect(
      problems.last?.hasSuffix("200 more problems from here on; mend those above first") == true)
  }

  @Test(
    "may be anything at all",
    arguments: [
      "", " ", "null", "[]", "{}", "7", "\"x\"", "{ streams: {} }", "{ use: 7 }", "{ use: \"x\" }",
      "{ name: \"a\", base: \"https://h\", streams: { a: null } }",
      "{ streams: { a: { sameAs: \"a\" } } }", "{ streams: { a: { sameAs: 3 }, a: {} } }",
      "{ name: \"a\", base: \"https://h\", streams: { a: { for: {}, pages: {}, list: {}, window: {} } } }",
    ])
  func areRefused(text: String) {
    let problems = Books.problems(text)
    #expect(!problems.isEmpty)
    #expect(problems.allSatisfy { $0.hasPrefix("books.json5:1:") })
  }
}

/// Makes one to four small changes to a text.
enum Mutation {
  static func of(_ bytes: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
    var text = bytes
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let at = Int.random(in: 0..<text.count, using: &random)
      switch Int.random(in: 0..<7, using: &random) {
      case 0: text[at] = UInt8.random(in: 0...255, using: &random)
      case 1: text.remove(at: at)
      case 2: text.insert(contentsOf: Self.pieces.randomElement(using: &random)!.utf8, at: at)
      case 3:
        text.removeSubrange(at..<min(text.count, at + Int.random(in: 1...200, using: &random)))
      case 4: text.removeSubrange(at...)
      case 5: swapWords(&text, &random)
      default:
        let end = min(text.count, at + Int.random(in: 1...120, using: &random))
        text.insert(contentsOf: text[at..<end], at: at)
      }
      if text.isEmpty { return bytes }
    }
    return text
  }

  private static let pieces = [
    "{", "}", "[", "]", ",", ":", "\"", "'", "\\", "/*", "//", "{q}", "null", "true", "-1", "1e400",
    "0x1F", "99999999999999999999", "\u{0}", "\u{1F468}\u{200D}\u{1F469}", "|", " as time", "NaN",
    "\n", "\r\n", "{ at: 5 }", "[[[[", "\u{2028}",
  ]

  /// Swaps two words of the text: known keys and values in wrong places.
  private static func swapWords(_ text: inout [UInt8], _ random: inout SeededRandom) {
    func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte) || (65...90).contains(byte) }
    func word(_ random: inout SeededRandom) -> Range<Int> {
      var start = Int.random(in: 0..<text.count, using: &random)
      while start < text.count, !isLetter(text[start]) { start += 1 }
      let end = text[start...].firstIndex { !isLetter($0) } ?? text.count
      return start..<end
    }
    let one = word(&random)
    let other = word(&random)
    guard !one.overlaps(other), !one.isEmpty, !other.isEmpty else { return }
    let (first, second) = one.lowerBound < other.lowerBound ? (one, other) : (other, one)
    let parts = [
      text[..<first.lowerBound], text[second], text[first.upperBound..<second.lowerBound],
      text[first], text[second.upperBound...],
    ]
    text = parts.flatMap { $0 }
  }
}
