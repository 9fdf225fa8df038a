internal import Base

/// Reads the `Link` fields of an answer (RFC 8288) for one relation. Other targets are not parsed: they may be
/// templates, which are not URLs.
public enum LinkField {
  /// The target of the first link with this relation and without an anchor.
  public static func target(_ relation: String, in values: [String]) -> String? {
    targets(relation, in: values).first
  }

  /// The targets of all such links, in order.
  static func targets(_ relation: String, in values: [String]) -> [String] {
    var found: [String] = []
    for value in values {
      var reader = Reader(bytes: Array(value.utf8))
      // Each step advances, and the header's size limit bounds the field.
      while let link = reader.next() {
        let relations = link.relation.split { $0 == " " || $0 == "\t" }
        if !link.hasAnchor, relations.contains(where: { String($0).lowercased() == relation }) {
          found.append(link.target)
        }
      }
    }
    return found
  }

  /// Whether it contains only links: anything else may have been meant as one. A relation such as the address of `next`
  /// may name the next page where nothing else does.
  static func isReadable(_ values: [String]) -> Bool {
    values.allSatisfy { value in
      var reader = Reader(bytes: Array(value.utf8))
      var mayNameNext = false
      while let link = reader.next() {
        // `https://iana.org/next`, `UTF-8''next`
        let words = link.relation.lowercased().split { !$0.isLetter && $0 != "-" }
        mayNameNext = mayNameNext || words.contains("next")
      }
      return !reader.hasOther && (!mayNameNext || target("next", in: values) != nil)
    }
  }

  struct Link {
    var target: String
    var relation = ""
    var hasAnchor = false
  }

  /// Iterates over `<target>; name=value; name="value", <target>; …`, and skips anything else.
  private struct Reader {
    let bytes: [UInt8]
    var index = 0
    /// There was something between or after the links.
    private(set) var hasOther = false

    mutating func next() -> Link? {
      guard let open = bytes[index...].firstIndex(of: UInt8(ascii: "<")),
        let close = bytes[open...].firstIndex(of: UInt8(ascii: ">"))
      else {
        pass(to: bytes.count)
        return nil
      }
      pass(to: open)
      var link = Link(target: String(decoding: bytes[(open + 1)..<close], as: UTF8.self))
      index = close + 1
      var hasRelation = false
      while let (name, value) = parameter() {
        // The first of several `rel` parameters counts.
        if name == "rel" || name == "rel*", !hasRelation {
          link.relation = value
          hasRelation = true
        }
        if name == "anchor" { link.hasAnchor = true }
      }
      return link
    }

    /// The next `; name=value` of this link; nil at its comma or at the end.
    private mutating func parameter() -> (String, String)? {
      let end = index
      skip { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
      // A value before it did not close.
      if bytes[end..<index].contains(UInt8(ascii: "\"")) { hasOther = true }
      guard index < bytes.count, bytes[index] == UInt8(ascii: ";") else { return nil }
      index += 1
      skipBlanks()
      let start = index
      skip { !"=;, \t".utf8.contains($0) }
      let name = String(decoding: bytes[start..<index], as: UTF8.self).lowercased()
      skipBlanks()
      guard index < bytes.count, bytes[index] == UInt8(ascii: "=") else { return (name, "") }
      index += 1
      skipBlanks()
      guard index < bytes.count, "\"'".utf8.contains(bytes[index]) else {
        let start = index
        skip { !";, \t".utf8.contains($0) }
        return (name, String(decoding: bytes[start..<index], as: UTF8.self))
      }
      return (name, quoted())
    }

    private mutating func quoted() -> String {
      let quote = bytes[index]
      index += 1
      var text: [UInt8] = []
      while index < bytes.count, bytes[index] != quote {
        if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count { index += 1 }
        text.append(bytes[index])
        index += 1
      }
      if index == bytes.count { hasOther = true } else { index += 1 }
      return String(decoding: text, as: UTF8.self)
    }

    private mutating func pass(to end: Int) {
      if bytes[index..<end].contains(where: { !", ;\t".utf8.contains($0) }) { hasOther = true }
      index = end
    }

    private mutating func skipBlanks() { skip { $0 == 32 || $0 == 9 } }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
      while index < bytes.count, isSkipped(bytes[index]) { index += 1 }
    }
  }
}
