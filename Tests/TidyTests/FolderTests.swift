import Testing

/// The borders inside a module, which the compiler does not know: which folders are below others.
@Suite("The folders of a module")
struct FolderTests {
  /// What a folder may use of its own module; folders without a row may use all of it.
  private static let mayKnow: [String: Set<String>] = [
    "Base/Words": [],
    "Base/Digests": [],
    "Base/Files": ["Base/Process"],
    "Base/Process": [],
    "Base/JSON": ["Base/Words"],
    "Base/SQLite": ["Base/Words"],
    "Base/Time": ["Base/Files", "Base/JSON"],
    // Both ways: a credential names the request of its token.
    "Base/Web": ["Base/Time", "Base/Words", "Base/Job", "Base/Process"],
    "Base/Job": ["Base/JSON", "Base/Time", "Base/Words", "Base/Web"],
    "Base/Clock": ["Base/Time", "Base/Web"],
    "Base/Run": ["Base/Digests", "Base/JSON", "Base/Time", "Base/Words", "Base/Web", "Base/Job"],
    "Walk/Feeds": [],
    "Translation/YAML": [],
    "Crawl/Ledger": [],
    "Commands/Rendering": [],
  ]

  /// The one folder that wraps a library.
  private static let wraps = [
    "CSimdjson": "Base/JSON", "CSQLite": "Base/SQLite", "CExpat": "Walk/Feeds",
    "CYAML": "Translation/YAML", "CBuiltInJobs": "Jobs", "CCurl": "Transport", "CZlib": "Transport",
  ]

  private static let kinds: Set<Substring> = [
    "struct", "enum", "class", "actor", "protocol", "typealias",
  ]

  /// `Base/JSON`, also for deeper files; `Store` for files in no folder.
  private static func part(_ file: SourceFile) -> String {
    file.folder.split(separator: "/").dropFirst().prefix(2).joined(separator: "/")
  }

  static func isWord(_ byte: UInt8) -> Bool {
    (97...122).contains(byte | 32) || (48...57).contains(byte) || byte == 95
  }

  /// The words of a line, without its strings and the comment behind it.
  private static func words(_ line: String) -> [Substring] {
    let pieces = line.split(separator: "\"", omittingEmptySubsequences: false)
    return stride(from: 0, to: pieces.count, by: 2).flatMap { at in
      pieces[at].split(separator: "//", omittingEmptySubsequences: false)[0]
        .utf8.split { !isWord($0) }.map { Substring($0) }
    }
  }

  @Test("know no more of their module than their row says")
  func directions() {
    var homes: [Substring: Set<String>] = [:]
    for file in TidyTests.sources {
      for (_, line) in file.code where !line.hasPrefix(" ") && !line.hasPrefix("private ") {
        let words = Self.words(line)
        guard let at = words.firstIndex(where: Self.kinds.contains), at + 1 < words.count else {
          continue
        }
        homes[words[at + 1], default: []].insert(Self.part(file))
      }
    }
    for folder in Self.mayKnow.keys {
      #expect(homes.values.contains { $0.contains(folder) }, "\(folder) is gone")
    }
    for file in TidyTests.sources {
      let own = Self.part(file)
      guard let allowed = Self.mayKnow[own] else { continue }
      for (number, line) in file.code {
        for word in Self.words(line) {
          // A name declared in two places shows nothing.
          guard let places = homes[word], places.count == 1, let place = places.first else {
            continue
          }
          let isInside = place.hasPrefix("\(file.module)/") || place == file.module
          if isInside, place != own, !allowed.contains(place) {
            Issue.record("\(file.path):\(number) knows \(word) of \(place)")
          }
        }
      }
    }
  }

  @Test("wrap a library each, and no other folder imports it")
  func libraries() {
    var seen: Set<String> = []
    for file in TidyTests.sources {
      for (number, line) in file.code where line.holds("import C") {
        let name = String(line.split(separator: " ").last ?? "")
        guard let folder = Self.wraps[name] else { continue }
        seen.insert(name)
        #expect("\(file.path)".hasPrefix("Sources/\(folder)/"), "\(file.path):\(number): \(line)")
      }
    }
    #expect(seen == Set(Self.wraps.keys), "each of them is imported by somebody")
  }
}
