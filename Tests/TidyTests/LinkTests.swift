import Testing

/// The texts that people read: each link leads to a file that is there, and to a heading of it.
@Suite("Links")
struct LinkTests {
  private static let pages =
    ["README.md", "CHANGELOG.md"].map {
      SourceFile(path: $0, text: Checkout.read($0))
    }
    + ["jobs", "systemd", "Tests", "Sources"].flatMap {
      Checkout.files(under: $0, endingIn: ".md").filter { !$0.path.holds("/Golden/") }
    }

  @Test("lead to what is there")
  func targets() {
    var count = 0
    for page in Self.pages {
      for link in Self.links(page) where !link.holds("://") && !link.hasPrefix("mailto:") {
        count += 1
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].isEmpty ? page.path : Self.path(String(parts[0]), from: page.folder)
        #expect(Checkout.exists(path), "\(page.path): \(link)")
        guard parts.count == 2 else { continue }
        let other = SourceFile(path: path, text: Checkout.read(path))
        #expect(Self.anchors(other).contains(String(parts[1])), "\(page.path): \(link)")
      }
    }
    #expect(count > 40, "the links were not found: \(count)")
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
