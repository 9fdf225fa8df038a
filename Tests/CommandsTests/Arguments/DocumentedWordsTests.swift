@testable import Base
@testable import Commands
@testable import Jobs
import TestSupport
import Testing

/// Commands, options, verdicts and keys named in documentation must exist.
@Suite("Words that people read")
struct DocumentedWordsTests {
  private static let pages = [
    "README.md", "jobs/README.md", "systemd/README.md", "Tests/README.md", "CHANGELOG.md",
  ]

  private static func read(_ path: String) throws -> String {
    try #require(Golden.read("\(Golden.root)/\(path)"), "\(path)")
  }

  /// Text between backticks, and code blocks.
  private static func code(in text: String, isInline: Bool = false) -> [String] {
    var found: [String] = []
    var isFenced = false
    for line in text.split(separator: "\n") {
      if line.hasPrefix("```") {
        isFenced.toggle()
      } else if isFenced || line.hasPrefix("    ") {
        if !isInline { found.append(String(line)) }
      } else {
        let parts = line.split(separator: "`", omittingEmptySubsequences: false)
        found += parts.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
      }
    }
    return found
  }

  /// The program's command lines in a line of code, without its name.
  private static func commands(in line: String) -> [[Substring]] {
    let line = line.prefix { $0 != "#" }
    let words = line.split { " ()\"'|;".contains($0) }
    return words.indices.filter { words[$0] == "trawl" }.map { at in
      words[(at + 1)...].prefix { $0 != "trawl" }.map { $0 }
    }
  }

  /// What is wrong with a command line; nil: nothing.
  private func complaint(_ words: [Substring]) -> String? {
    let options = words.filter { $0.hasPrefix("--") && $0.count > 2 }.map {
      String($0.prefix { $0 != "=" && $0 != "," && $0 != "." && $0 != ":" })
    }
    let rest = words.drop { $0.hasPrefix("-") }
    let program = OptionTable.options(OptionTable.programOptions).map(\.name.spelling)
    guard let word = rest.first, word.allSatisfy({ $0.isLowercase && $0.isLetter }) else {
      return nil
    }
    guard let command = OptionTable.command(String(word)) else { return "no command \(word)" }
    let known = program + OptionTable.options(of: command).map(\.name.spelling)
    return options.first { !known.contains($0) }.map { "no option \($0) of \(word)" }
  }

  @Test("are commands and options that the program takes", arguments: pages)
  func commands(page: String) throws {
    let lines = Self.code(in: try Self.read(page)).flatMap(Self.commands)
    if !["CHANGELOG.md", "Tests/README.md"].contains(page) { #expect(!lines.isEmpty) }
    for line in lines {
      let problem = complaint(line)
      #expect(problem == nil, "\(page): trawl \(line.joined(separator: " "))")
    }
  }

  @Test("of what follows from a trouble are commands and options that the program takes")
  func steps() {
    for row in Trouble.allCases.map(\.row) {
      for text in [row.command, row.soon, row.late].compactMap({ $0 }) {
        for line in Self.commands(in: text) {
          let problem = complaint(line)
          #expect(problem == nil, "\(text)")
        }
      }
    }
  }

  /// The rows of a table whose first line begins with `head`.
  private static func cells(behind head: String, in text: String) -> [String] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let first = lines.firstIndex(where: { $0.hasPrefix(head) }) else { return [] }
    return lines[(first + 2)...].prefix { $0.hasPrefix("|") }.map(String.init)
  }

  @Test("of the table of verdicts are all verdicts, and all causes")
  func verdicts() throws {
    let rows = Self.cells(behind: "| verdict |", in: try Self.read("README.md"))
    let named = rows.map { $0.split(separator: "`")[1] }
    // The verdict of lists alone follows those of walks.
    #expect(named == Verdict.allCases.map { Substring($0.rawValue) } + ["orphaned"])
    let code = Set(rows.flatMap { Self.code(in: $0) })
    for cause in Shortfall.allCases { #expect(code.contains(cause.rawValue), "\(cause)") }
  }

  @Test("that stand for keys of a job file are keys that one may have", arguments: pages)
  func keys(page: String) throws {
    let schema = try Self.read("jobs/job.schema.json")
    let names = Set(
      schema.split(separator: "\"", omittingEmptySubsequences: false).enumerated().filter {
        $0.offset % 2 == 1
      }.map { String($0.element) })
    var count = 0
    for code in Self.code(in: try Self.read(page), isInline: true) {
      let name = code.prefix { $0.isLetter || $0 == "_" }
      let rest = code.dropFirst(name.count)
      guard !name.isEmpty, rest.hasPrefix(": \"") || rest.hasPrefix(": {") || rest.hasPrefix(": [")
      else { continue }
      // Or columns of an example.
      let isKnown =
        names.contains(String(name)) || ["customer", "author", "views"].contains(name)
      #expect(isKnown, "\(page): \(code)")
      count += 1
    }
    if page == "jobs/README.md" { #expect(count > 20) }
  }
}
