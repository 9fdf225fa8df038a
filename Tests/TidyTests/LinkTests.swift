import TestSupport
internal import Testing

/// The texts that people read: each link leads to a file that is there, and to a heading of it.
@Suite("Links")
struct LinkTests {
  @Test("lead to what is there")
  func targets() {
    let folders = ["jobs", "systemd", "Tests", "Sources"].flatMap {
      Checkout.files(under: $0, endingIn: ".md").map(\.path).filter { !$0.holds("/Golden/") }
    }
    let (count, broken) = Self.broken(
      ["README.md", "CHANGELOG.md"] + folders, under: "\(Checkout.root)/")
    #expect(broken == [])
    #expect(count > 40, "the links were not found: \(count)")
  }

  @Test("of an installed copy lead to what was installed")
  func installed() async {
    let folder = ScratchFolder()
    let ended = await BinaryRun.run(
      "/usr/bin/make",
      [
        "--no-print-directory", "-s", "-C", Checkout.root, "install", "DESTDIR=\(folder.path)",
        "PREFIX=/usr", "BIN=\(BinaryRun.products)",
      ], environment: ["PATH": "/usr/bin:/bin"])
    #expect(ended.status == 0 && ended.errors == "", "\(ended.errors)")
    let failed = Checkout.read("usr/lib/trawl/failed", under: "\(folder.path)/")
    #expect(failed.holds("$(/usr/bin/trawl status "), "it asks the program of its own prefix")
    let pages =
      ["README.md", "CHANGELOG.md", "jobs/USING.md"]
      + ["BUCKET", "EVIDENCE", "FORGETTING"].map { "Sources/\($0).md" }
      + ["jobs", "systemd", "Sources"].map { "\($0)/README.md" }
    let (count, broken) = Self.broken(pages, under: "\(folder.path)/usr/share/doc/trawl/")
    #expect(broken == [])
    #expect(count > 20, "the links were not found: \(count)")
  }

  /// How many links the pages have, and those that lead nowhere.
  private static func broken(_ pages: [String], under root: String) -> (Int, [String]) {
    var count = 0
    var broken: [String] = []
    for path in pages {
      let page = SourceFile(path: path, text: Checkout.read(path, under: root))
      for link in links(page) where !link.holds("://") && !link.hasPrefix("mailto:") {
        count += 1
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let target = parts[0].isEmpty ? path : Self.path(String(parts[0]), from: page.folder)
        let other = SourceFile(path: target, text: Checkout.read(target, under: root))
        let leads =
          parts.count == 2
          ? anchors(other).contains(String(parts[1])) : Checkout.exists(target, under: root)
        if !leads { broken.append("\(path): \(link)") }
      }
    }
    return (count, broken)
  }

  /// The texts between `](` and `)`.
  private static func links(_ page: SourceFile) -> [String] {
    let bytes = Array(page.text.utf8)
    var links: [String] = []
    for at in bytes.indices.dropLast()
    where bytes[at] == UInt8(ascii: "]") && bytes[at + 1] == UInt8(ascii: "(") {
      let link = bytes[(at + 2)...].prefix { $0 != UInt8(ascii: ")") && $0 != 10 }
      links.append(String(decoding: link, as: UTF8.self))
    }
    return links
  }

  private static func path(_ link: String, from folder: String) -> String {
    var parts = folder.split(separator: "/")
    for part in link.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return parts.joined(separator: "/")
  }

  /// As GitHub makes them of headings; and those that are written out.
  private static func anchors(_ page: SourceFile) -> Set<String> {
    var anchors: Set<String> = []
    for line in page.lines {
      if line.hasPrefix("#") {
        let words = line.drop { $0 == "#" || $0 == " " }.lowercased()
        let kept = words.filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }
        anchors.insert(String(kept.map { $0 == " " ? "-" : $0 }))
      }
      for mark in ["id=\"", "name=\""] where line.holds(mark) {
        for piece in line.split(separator: mark, omittingEmptySubsequences: false).dropFirst() {
          anchors.insert(String(piece.prefix { $0 != "\"" }))
        }
      }
    }
    return anchors
  }
}
