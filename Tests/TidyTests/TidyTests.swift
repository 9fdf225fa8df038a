import Testing

/// What each module may import; the reason is the way of the data: each knows only modules above.
private let mayImport: [String: Set<String>] = [
  "JSON": ["CSimdjson"],
  "Model": ["JSON"],
  "SQLite": ["CSQLite"],
  "Transport": ["Model", "CCurl", "CZlib"],
  "Jobs": ["Model", "JSON", "CBuiltInJobs"],
  "Walk": ["Model", "JSON"],
  "Store": ["Model", "JSON", "SQLite"],
  "Ledger": ["Model", "SQLite"],
  "Media": ["Model", "CCrypto", "CLinux"],
  // Not Transport: the engine reaches the network through a seam only.
  "Crawl": ["Model", "JSON", "Walk", "Store", "Ledger", "Media"],
  "Report": ["Model", "JSON"],
  "Commands": [
    "JSON", "Model", "SQLite", "Transport", "Jobs", "Walk", "Store", "Ledger", "Media", "Crawl",
    "Report",
  ],
  "trawl": ["Commands"],
  "SandboxKit": ["Model", "JSON", "CCrypto", "CEpoll", "CZlib"],
  "trawl-sandbox": ["SandboxKit", "Model"],
]

private let system: Set<String> = ["Glibc", "Dispatch", "Synchronization"]

@Suite("The shape of the sources")
struct TidyTests {
  static let sources = Checkout.files(under: "Sources")
  /// The local server: a second program, so what holds for programs holds for it.
  static let sandbox = ["SandboxKit", "trawl-sandbox"].flatMap {
    Checkout.files(under: "Tests/Sandbox/\($0)")
  }
  static let tests = Checkout.files(under: "Tests")

  @Test("a module imports only what its row allows", arguments: sources + sandbox)
  func imports(file: SourceFile) throws {
    let allowed = try #require(mayImport[file.module], "\(file.path) belongs to no known module")
    for line in file.lines {
      let words = line.split(separator: " ")
      guard let at = words.firstIndex(of: "import"), at <= 2, !line.hasPrefix("//"),
        at + 1 < words.count
      else { continue }
      let name = String(words[at + 1])
      #expect(allowed.union(system).contains(name), "\(file.path): \(line)")
    }
  }

  @Test("no file is longer than 400 lines", arguments: sources + tests)
  func length(file: SourceFile) {
    #expect(file.lines.count <= 401, "\(file.path) has \(file.lines.count) lines")
  }

  @Test("no file has a name that says nothing", arguments: sources + tests)
  func names(file: SourceFile) {
    let stem = file.name.dropLast(".swift".count).lowercased()
    for word in ["util", "utils", "helper", "helpers", "manager", "common", "misc"] {
      #expect(!stem.hasSuffix(word), "\(file.path)")
    }
  }

  @Test("every escape hatch has its reason beside it", arguments: sources + sandbox)
  func hatches(file: SourceFile) {
    let hatches = [
      "@unchecked Sendable", "nonisolated(unsafe)", "try!", "try?", "as!", "fatalError(",
    ]
    for (index, line) in file.lines.enumerated() where !line.trimming.hasPrefix("//") {
      for hatch in hatches where line.contains(hatch) {
        let isExplained =
          line.contains("//") || (index > 0 && file.lines[index - 1].trimming.hasPrefix("//"))
        #expect(isExplained, "\(file.path):\(index + 1) uses \(hatch) without a comment")
      }
    }
  }

  @Test("nothing is left to do later without an issue", arguments: sources + tests)
  func leftovers(file: SourceFile) {
    for word in ["TO" + "DO", "FIX" + "ME", "XX" + "X:"] {
      #expect(!file.text.contains(word), "\(file.path) holds \(word)")
    }
  }

  @Test("the engine knows no host, path or field of the five APIs")
  func knowsNoAPI() {
    // Long or odd enough not to be English: a field that is also a word would prove nothing.
    let marks = [
      "googleapis", "youtube", "newsapi", "api.github", "giphy", "openmarket", "yagom",
      "nextPageToken", "pageInfo", "totalResults", "viewCount", "urlToImage", "avatar_url",
      "html_url", "per_page", "maxResults", "trending", "followers", "itemsPerPage",
      "items_per_page", "bargain_price", "healthChecker",
    ]
    for file in Self.sources {
      let code = file.lines.filter { !$0.trimming.hasPrefix("//") }.joined(separator: "\n")
        .lowercased()
      for mark in marks {
        #expect(!code.contains(mark.lowercased()), "\(file.path) mentions \(mark)")
      }
    }
  }

  @Test("no file name or build line holds a processor architecture")
  func architectures() {
    let names = ["x86" + "_64", "aarch" + "64", "amd" + "64", "arm" + "64"]
    let build = ["Package.swift", "Makefile", ".ci/deps", ".ci/run", ".ci/demo"]
      .map { SourceFile(path: $0, text: Checkout.read($0)) }
    for file in build {
      for name in names { #expect(!file.text.contains(name), "\(file.path) names \(name)") }
    }
    for file in Self.sources {
      for name in names { #expect(!file.path.contains(name), "\(file.path)") }
    }
  }
}

extension Substring {
  fileprivate var trimming: Substring { drop { $0 == " " } }
}
