import Testing

/// `make mutants` plants bugs to see that the tests find them; a patch that does not apply any more
/// would plant none.
@Suite("The planted bugs")
struct MutantTests {
  static let patches = Checkout.files(under: "Tests/Mutants", endingIn: ".patch")

  /// One place of a patch: lines of a file, and what they are with the bug.
  struct Hunk {
    var path: String
    var old: [String] = []
    var new: [String] = []
  }

  static func hunks(of patch: SourceFile) -> [Hunk] {
    var hunks: [Hunk] = []
    var path = ""
    for line in patch.lines {
      let rest = String(line.dropFirst())
      if line.hasPrefix("+++ b/") {
        path = String(line.dropFirst("+++ b/".count))
      } else if line.hasPrefix("@@") {
        hunks.append(Hunk(path: path))
      } else if !hunks.isEmpty, !line.hasPrefix("---") {
        let last = hunks.count - 1
        if line.hasPrefix(" ") || line.hasPrefix("-") { hunks[last].old.append(rest) }
        if line.hasPrefix(" ") || line.hasPrefix("+") { hunks[last].new.append(rest) }
      }
    }
    return hunks
  }

  @Test("are fourteen, and say which tests are to find them")
  func named() {
    #expect(Self.patches.count == 14)
    let suites = Set(
      Checkout.files(under: "Tests").map { String($0.name.dropLast(".swift".count)) })
    for patch in Self.patches {
      let filter = patch.lines.first { $0.hasPrefix("Tests: ") }?.dropFirst("Tests: ".count) ?? ""
      let names = filter.split(separator: "|").compactMap { $0.split(separator: "/").first }
      #expect(!names.isEmpty && names.allSatisfy { suites.contains(String($0)) }, "\(patch.path)")
    }
  }

  @Test("can still be planted: each patch applies in one place", arguments: patches.map(\.path))
  func apply(path: String) throws {
    let patch = try #require(Self.patches.first { $0.path == path })
    let hunks = Self.hunks(of: patch)
    #expect(!hunks.isEmpty && hunks.allSatisfy { $0.old != $0.new })
    for hunk in hunks {
      let lines = SourceFile(path: hunk.path, text: Checkout.read(hunk.path)).lines
      let starts = lines.indices.filter { lines[$0...].starts(with: hunk.old) }
      #expect(
        starts.count == 1,
        "\(path) does not fit \(hunk.path) any more: see make mutants in Tests/README.md")
    }
  }
}
