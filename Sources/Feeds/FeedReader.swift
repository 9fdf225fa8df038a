internal import JSON
public import Model

/// Why bytes are no feed.
public struct FeedProblem: Error, Sendable, Equatable, CustomStringConvertible {
  public let sentence: String
  /// It came whole, and is something else than a feed.
  public let isOther: Bool

  public var description: String { sentence }

  init(_ sentence: String, isOther: Bool = false) {
    self.sentence = sentence
    self.isOther = isOther
  }
}

/// Turns a feed (RSS 2.0 and its elder relatives, RSS 1.0, Atom) into the JSON that a job's paths lead into:
/// one shape for all of them, described in `jobs/README.md`.
public enum FeedReader {
  static let atom = "http://www.w3.org/2005/Atom"
  static let oldAtom = "http://purl.org/atom/ns#"
  static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

  /// - Parameters:
  ///   - charset: the server's word for how it is written, which counts where the feed says nothing.
  ///   - address: where it came from, which relative links begin at.
  public static func json(
    _ bytes: [UInt8], charset: String?, from address: WebAddress
  ) throws(FeedProblem) -> [UInt8] {
    let root = try XMLTree.read(bytes, charset: says(bytes) ? nil : charset) { element in
      element.has(atom, "feed") || element.has(oldAtom, "feed") || element.has(rdf, "RDF")
        || element.name == "rss"
    }
    var writing = FeedWriting(root, from: address, bytesMax: 4 * bytes.count + 1_000_000)
    try writing.write()
    return writing.bytes
  }

  /// Whether the document says itself how it is written: by a mark, or in its first line.
  private static func says(_ bytes: [UInt8]) -> Bool {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return true }
    if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) { return true }
    // cut: a declaration is short, and stands at the very beginning
    let head = String(decoding: bytes.prefix(200), as: UTF8.self)
    guard head.hasPrefix("<?xml"), let end = head.firstIndex(of: ">") else { return false }
    return head[..<end].utf8.split(separator: UInt8(ascii: " ")).contains {
      $0.starts(with: "encoding".utf8)
    }
  }
}
