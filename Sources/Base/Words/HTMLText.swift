/// Escapes the characters that HTML reserves, and reads the entities back.
public enum HTMLText {
  private static let entities: [(name: [UInt8], byte: UInt8)] = [
    (Array("&amp;".utf8), UInt8(ascii: "&")), (Array("&lt;".utf8), UInt8(ascii: "<")),
    (Array("&gt;".utf8), UInt8(ascii: ">")), (Array("&quot;".utf8), UInt8(ascii: "\"")),
    (Array("&#39;".utf8), UInt8(ascii: "'")), (Array("&apos;".utf8), UInt8(ascii: "'")),
    (Array("&#34;".utf8), UInt8(ascii: "\"")), (Array("&#x22;".utf8), UInt8(ascii: "\"")),
    (Array("&#x27;".utf8), UInt8(ascii: "'")),
  ]

  /// For element content and quoted attributes: no part of it becomes markup. Characters that could hide or reverse
  /// text become a visible box, and more than `max` characters are cut.
  public static func escaped(_ text: String, max: Int = 2_000) -> String {
    if text.utf8.count <= max, text.utf8.allSatisfy(isPlain) { return text }
    var out = ""
    var count = 0
    for scalar in text.unicodeScalars {
      count += 1
      if count > max { return out + "…" }
      switch scalar {
      case "&": out += "&amp;"
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      case "\"": out += "&quot;"
      case "'": out += "&#39;"
      case "\n", "\t": out += " "
      default: out.unicodeScalars.append(scalar.isHostile ? "\u{FFFD}" : scalar)
      }
    }
    return out
  }

  /// True for bytes that need no escape: nearly all of most texts.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""),
      UInt8(ascii: "'"):
      false
    default: (0x20..<0x7f).contains(byte)
    }
  }

  /// One pass, so that a text that was escaped twice stays escaped once.
  public static func unescaped(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
    let bytes = Array(text.utf8)
    var plain: [UInt8] = []
    plain.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      let rest = bytes[index...]
      if bytes[index] == UInt8(ascii: "&"),
        let entity = entities.first(where: { rest.starts(with: $0.name) })
      {
        plain.append(entity.byte)
        index += entity.name.count
      } else {
        plain.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: plain, as: UTF8.self)
  }
}
