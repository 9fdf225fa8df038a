internal import CExpat

/// Single-byte encodings that expat does not know itself (it knows UTF-8, UTF-16, ISO-8859-1). None comes from the
/// system: small ones have no tables, and a feed must read alike everywhere.
enum XMLEncoding {
  /// The ways in which feeds and servers write UTF-8.
  static func isUTF8(_ name: String) -> Bool { plain(name) == "utf8" }

  /// Whether most of the letters beyond ASCII are UTF-8: hardly any text of another encoding looks like it, and one
  /// that is cut within a letter makes no other encoding of a page.
  static func holdsUTF8(_ bytes: [UInt8]) -> Bool {
    var parser = Unicode.UTF8.ForwardParser()
    var rest = bytes.makeIterator()
    var surplus = 0
    while true {
      switch parser.parseScalar(from: &rest) {
      case .valid(let letter): if letter.count > 1 { surplus += 1 }
      case .error: surplus -= 1
      case .emptyInput: return surplus > 0
      }
    }
  }

  /// 0 if it is not supported.
  static func fill(_ info: UnsafeMutablePointer<XML_Encoding>?, _ name: String) -> Int32 {
    guard let info, let letters = letters(plain(name)) else { return 0 }
    info.pointee.data = nil
    info.pointee.convert = nil
    info.pointee.release = nil
    withUnsafeMutablePointer(to: &info.pointee.map) { map in
      map.withMemoryRebound(to: Int32.self, capacity: 256) { map in
        // Lower bytes stand for themselves: ASCII, and control characters in ISO 8859.
        for byte in 0..<256 { map[byte] = Int32(byte) }
        for (at, letter) in letters.enumerated() {
          map[256 - letters.count + at] = letter == "?" ? -1 : Int32(letter.value)
        }
      }
    }
    return 1
  }

  /// As UTF-8; nil if it is not a known single-byte encoding.
  static func decoded(_ bytes: [UInt8], from name: String) -> [UInt8]? {
    guard let letters = letters(plain(name)) else { return nil }
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count + bytes.count / 8)
    for byte in bytes {
      let place = Int(byte) - (256 - letters.count)
      let letter = place < 0 ? Unicode.Scalar(byte) : letters[place]
      if byte < 0x80 { text.append(byte) } else { text += String(letter).utf8 }
    }
    return text
  }

  private static func letters(_ name: String) -> [Unicode.Scalar]? {
    if ["latin1", "l1", "iso88591", "cp819"].contains(name) { return [] }
    if ["ascii", "usascii"].contains(name) { return Array(repeating: "?", count: 128) }
    return XMLLetters.known[others[name] ?? name].map { Array($0.unicodeScalars) }
  }

  private static let others: [String: String] = {
    var others = [
      "tis620": "windows874", "cp874": "windows874", "iso885911": "windows874", "koi8": "koi8r",
      "cp866": "ibm866", "866": "ibm866", "mac": "macintosh", "macroman": "macintosh",
      "xmacroman": "macintosh", "maccyrillic": "xmaccyrillic",
    ]
    for number in 1250...1258 {
      for front in ["cp", "xcp", "ms", ""] { others["\(front)\(number)"] = "windows\(number)" }
    }
    let latin = [2: 2, 3: 3, 4: 4, 5: 9, 6: 10, 7: 13, 8: 14, 9: 15, 10: 16]
    for (number, part) in latin {
      for front in ["latin", "l"] { others["\(front)\(number)"] = "iso8859\(part)" }
    }
    return others
  }()

  /// `ISO_8859-15`, `iso8859-15` and `8859-15` are the same.
  private static func plain(_ name: String) -> String {
    let text = name.utf8.map { (65...90).contains($0) ? $0 | 32 : $0 }
      .filter { (97...122).contains($0) || (48...57).contains($0) }
    let plain = String(decoding: text, as: UTF8.self)
    return plain.hasPrefix("8859") ? "iso\(plain)" : plain
  }
}
