internal import Base

/// Why bytes are not a feed.
struct FeedProblem: Error, Sendable, Equatable, CustomStringConvertible {
  let sentence: String
  /// It is something other than a feed, or an unsupported one, but not damaged.
  let isOther: Bool

  var description: String { sentence }

  init(_ sentence: String, isOther: Bool = false) {
    self.sentence = sentence
    self.isOther = isOther
  }
}

/// Turns a feed (RSS 2.0 and its predecessors, RSS 1.0, Atom) into the JSON that a job's paths lead into: one shape for
/// all, described in `jobs/README.md`.
enum FeedReader {
  static let atom = "http://www.w3.org/2005/Atom"
  static let oldAtom = "http://purl.org/atom/ns#"
  static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

  /// - Parameters:
  ///   - charset: the server's word for the encoding, used if the feed declares none and is not UTF-8.
  ///   - address: where it came from, the base of relative links.
  static func json(
    _ bytes: [UInt8], charset: String?, from address: WebAddress
  ) throws(FeedProblem) -> [UInt8] {
    let (root, isMended) = try read(trimmed(bytes), charset)
    var writing = FeedWriting(root: root, address: address, bytesMax: 4 * bytes.count + 1_000_000)
    try writing.write()
    return isMended ? unmended(writing.bytes) : writing.bytes
  }

  /// With an invalid byte for each U+FFFD: who reads the JSON replaces it again, and tells of it.
  private static func unmended(_ json: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(json.count)
    var rest = json[...]
    while let byte = rest.first {
      let isReplacement = byte == 0xEF && rest.starts(with: [0xEF, 0xBF, 0xBD])
      bytes.append(isReplacement ? 0xFF : byte)
      rest = rest.dropFirst(isReplacement ? 3 : 1)
    }
    return bytes
  }

  /// Parses it as it is, and if that fails with invalid UTF-8 replaced.
  private static func read(
    _ bytes: [UInt8], _ charset: String?
  ) throws(FeedProblem) -> (root: XMLElement, isMended: Bool) {
    let encoding = encoding(bytes, charset)
    do {
      return (try tree(bytes, encoding), false)
    } catch {
      let name = encoding ?? declared(bytes) ?? "UTF-8"
      guard !error.isOther, XMLEncoding.isUTF8(name) else { throw error }
      let mended = Array(String(decoding: bytes, as: UTF8.self).utf8)
      guard mended != bytes else { throw error }
      return (try tree(mended, encoding), true)
    }
  }

  private static func tree(
    _ bytes: [UInt8], _ encoding: String?
  ) throws(FeedProblem) -> XMLElement {
    try XMLTree.read(bytes, charset: encoding) { element in
      element.has(atom, "feed") || element.has(oldAtom, "feed") || element.has(rdf, "RDF")
        || element.name == "rss"
    }
  }

  /// Without the blank lines that some programs send before a document; not for UTF-16.
  private static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
    guard let first = bytes.first(where: { !$0.isBlank }),
      first == UInt8(ascii: "<"), bytes.first != first
    else { return bytes }
    return Array(bytes.drop { $0 != first })
  }

  /// The encoding to pass to expat; nil if the document itself says enough.
  private static func encoding(_ bytes: [UInt8], _ charset: String?) -> String? {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return nil }
    if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) { return nil }
    let declared = Self.declared(bytes)
    guard let name = declared ?? charset else { return nil }
    if XMLEncoding.isUTF8(name) || XMLEncoding.holdsUTF8(bytes) { return "UTF-8" }
    return declared == nil ? charset : nil
  }

  /// `ISO-8859-1` in `<?xml version="1.0" encoding="ISO-8859-1"?>`.
  private static func declared(_ bytes: [UInt8]) -> String? {
    // cut: a declaration is short, and at the very beginning
    let head = String(decoding: bytes.prefix(200), as: UTF8.self)
    guard head.hasPrefix("<?xml"), let end = head.firstIndex(of: ">") else { return nil }
    let words = head[..<end].split { $0 == "=" || $0.isWhitespace }
    guard let at = words.firstIndex(of: "encoding"), at + 1 < words.count else { return nil }
    return words[at + 1].split { $0 == "\"" || $0 == "'" || $0 == "?" }.first.map(String.init)
  }
}
