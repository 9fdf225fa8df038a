internal import Base

/// JSON escapes C0 controls, but no others that terminals obey or that hide text; in a document all of these are in
/// strings, where `\u009b` is equivalent.
enum TerminalJSON {
  static func escaped(_ document: [UInt8]) -> [UInt8] {
    // Mostly ASCII without controls; DEL is the one that JSON allows.
    if document.allSatisfy({ $0 < 0x7f && $0 >= 0x20 }) { return document }
    var out: [UInt8] = []
    out.reserveCapacity(document.count + 64)
    for scalar in String(decoding: document, as: UTF8.self).unicodeScalars {
      if scalar == "\n" || scalar == "\t" || scalar == "\r" {
        // A line end in a document would break "one object a line"; a blank is equivalent.
        out.append(UInt8(ascii: " "))
      } else if !scalar.isHostile {
        out.append(contentsOf: String(scalar).utf8)
      } else {
        for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
          let hex = String(unit, radix: 16)
          out.append(contentsOf: "\\u".utf8)
          out.append(contentsOf: String(repeating: "0", count: 4 - hex.utf8.count).utf8)
          out.append(contentsOf: hex.utf8)
        }
      }
    }
    return out
  }
}
