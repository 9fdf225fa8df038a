import Testing

/// What each module may import: only modules above it, in the order of the data's way. For the folders in a module, see
/// `FolderTests`.
private let mayImport: [String: Set<String>] = [
  "Base": ["CLinux", "CSimdjson", "CSQLite"],
  "Jobs": ["Base", "CBuiltInJobs"],
  "Transport": ["Base", "CCurl", "CCrypto", "CZlib"],
  "Bucket": ["Base", "Transport"],
  "Walk": ["Base", "CExpat"],
  "Drafting": ["Base", "Jobs", "Walk"],
  "Store": ["Base", "Walk"],
  "Media": ["Base", "CCrypto", "CLinux"],
  // Not Transport: the engine reaches the network through a seam only.
  "Crawl": ["Base", "Walk", "Store", "Media"],
  "Commands": [
    "Base", "Jobs", "Transport", "Bucket", "Walk", "Drafting", "Store", "Media", "Crawl", "CLinux",
  ],
  "trawl": ["Commands"],
  "Translation": ["Base", "Jobs", "Drafting", "CYAML"],
  "trawl-translate": ["Base", "Translation"],
  "SandboxKit": ["Base", "CCrypto", "CLinux", "CZlib"],
  "trawl-sandbox": ["SandboxKit", "Base"],
]

private let system: Set<String> = ["Glibc", "Dispatch", "Synchronization"]

@Suite("The shape of the sources")
struct TidyTests {
  static let sources = Checkout.files(under: "Sources")
  /// The local server: a second program, so what holds for programs holds for it.
  static let sandbox = ["SandboxKit", "trawl-sandbox"].flatMap {
    Checkout.files(under: "Tests/Sandbox/\($0)")
  }
  static let programs = sources + sandbox
  static let tests = Checkout.files(under: "Tests")

  @Test("are found where these tests look for them")
  func found() {
    #expect(Self.sources.count > 300 && Self.sandbox.count > 50 && Self.tests.count > 200)
    #expect(Self.programs.allSatisfy { $0.lines.count > 1 })
  }

  @Test("a module imports only what its row allows")
  func imports() throws {
    for file in Self.programs {
      let allowed = try #require(mayImport[file.module], "\(file.path) belongs to no known module")
      for (number, line) in file.code where line.holds("import ") {
        let words = line.split(separator: " ")
        guard let at = words.firstIndex(of: "import"), at <= 2, at + 1 < words.count else {
          continue
        }
        let name = String(words[at + 1])
        #expect(allowed.union(system).contains(name), "\(file.path):\(number): \(line)")
      }
    }
  }

  /// What is stored or reported may be read back.
  @Test("a certificate is made by a judgement, and nowhere else")
  func certificates() {
    let readers = [
      "Sources/Store/Pages/StoredRows.swift", "Sources/Commands/Rendering/ListShapes.swift",
    ]
    for file in Self.sources where !file.path.hasPrefix("Sources/Walk/Judgement/") {
      for (number, line) in file.code where line.holds(" Certificate(") {
        #expect(readers.contains(file.path), "\(file.path):\(number): \(line)")
      }
    }
  }

  @Test("bookkeeping is written by its writer, and nowhere else")
  func oneWriter() {
    let words = [
      "INSERT INTO trawl_", "INSERT OR IGNORE INTO trawl_", "UPDATE trawl_", "DELETE FROM trawl_",
    ]
    // The ledger is a file of its own, and seals nothing.
    let others = Self.sources.filter { !$0.path.holds("/Ledger/") }.filter { file in
      file.lines.contains { line in words.contains { line.holds($0) } }
    }
    #expect(others.map(\.path) == [], "through BookWriter they get their seals and counts")
  }

  @Test("no file is longer than 400 lines")
  func length() {
    for file in Self.sources + Self.tests where file.lines.count > 401 {
      Issue.record("\(file.path) has \(file.lines.count) lines")
    }
  }

  @Test("no folder is a wall of more than 25 files")
  func folders() {
    var counts: [String: Int] = [:]
    for file in Self.sources + Self.tests { counts[file.folder, default: 0] += 1 }
    for (folder, count) in counts where count > 25 {
      Issue.record("\(folder) holds \(count) files")
    }
  }

  @Test("no file has a name that says nothing")
  func names() {
    for file in Self.sources + Self.tests {
      let stem = file.name.dropLast(".swift".count).lowercased()
      for word in ["util", "utils", "helper", "helpers", "manager", "common", "misc"] {
        #expect(!stem.hasSuffix(word), "\(file.path)")
      }
    }
  }

  @Test("every escape hatch has its reason beside it")
  func hatches() {
    let hatches = [
      "@unchecked Sendable", "nonisolated(unsafe)", "try!", "try?", "as!", "fatalError(",
    ]
    for file in Self.programs {
      for (number, line) in file.code {
        for hatch in hatches where line.holds(hatch) && !file.isExplained(at: number) {
          Issue.record("\(file.path):\(number) uses \(hatch) without a comment")
        }
      }
    }
  }

  @Test("a limit in bytes is decimal, as sizes are written in job files, messages and the README")
  func sizes() {
    for file in Self.sources {
      for (number, line) in file.code where line.holds("ytesMax") {
        for shift in ["<< 10", "<< 20", "<< 30"] where line.holds("= ") && line.holds(shift) {
          let isDefault = line.holds("var ") || line.holds("let ") || line.holds(": Int")
          #expect(!isDefault, "\(file.path):\(number): \(line.trimmed)")
        }
      }
    }
  }

  @Test("nothing is left to do later without an issue")
  func leftovers() {
    for file in Self.sources + Self.tests {
      for word in ["TO" + "DO", "FIX" + "ME", "XX" + "X:"] where file.text.holds(word) {
        Issue.record("\(file.path) holds \(word)")
      }
    }
  }

  @Test("every name that the sources declare is used by the sources")
  func unused() {
    // Asked for by the language or its library.
    let exempt: Set<String> = [
      "appendInterpolation", "appendLiteral", "callAsFunction", "checkIsolated", "customMirror",
      "debugDescription", "enqueue", "hash", "unownedExecutor", "Entrypoint",
    ]
    var seen: [Substring: Int] = [:]
    var declared: [Substring: (count: Int, place: String)] = [:]
    for file in Self.sources {
      for (number, line) in file.code {
        let words = line.utf8.split { !FolderTests.isWord($0) }.map { Substring($0) }
        for (at, word) in words.enumerated() {
          seen[word, default: 0] += 1
          guard at > 0, ["func", "var", "let", "struct", "enum", "class"].contains(words[at - 1])
          else { continue }
          declared[word, default: (0, "\(file.path):\(number)")].count += 1
        }
      }
    }
    for (name, found) in declared where found.count == seen[name] && !exempt.contains("\(name)") {
      Issue.record("\(found.place): nothing uses \(name)")
    }
  }

  @Test("the engine knows no host, path or field of the five APIs")
  func knowsNoAPI() {
    // Long or odd enough not to be English: a field that is also a word would prove nothing.
    let marks = [
      "googleapis", "youtube", "newsapi", "api.github", "giphy", "openmarket", "yagom",
      "nextPageToken", "pageInfo", "viewCount", "urlToImage", "avatar_url",
      "html_url", "per_page", "maxResults", "trending", "followers",
      "items_per_page", "bargain_price", "healthChecker",
    ].map { $0.lowercased() }
    for file in Self.sources {
      let code = file.code.map(\.line).joined(separator: "\n").lowercased()
      for mark in marks where code.holds(mark) { Issue.record("\(file.path) mentions \(mark)") }
    }
  }

  @Test("no file name or build line holds a processor architecture")
  func architectures() {
    let names = ["x86" + "_64", "aarch" + "64", "amd" + "64", "arm" + "64"]
    let build = ["Package.swift", "Makefile", ".ci/deps", ".ci/run", ".ci/demo"]
      .map { SourceFile(path: $0, text: Checkout.read($0)) }
    for file in build {
      #expect(!file.text.isEmpty, "\(file.path) is gone")
      for name in names { #expect(!file.text.holds(name), "\(file.path) names \(name)") }
    }
    for file in Self.programs {
      for name in names { #expect(!file.path.holds(name), "\(file.path)") }
    }
  }
}
