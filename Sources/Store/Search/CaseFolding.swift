/// Texts as they are compared where case does not count, as UTF-8: each character by itself, and just as
/// SQLite's trigrams fold it, so that the index and a look at the row say the same.
final class CaseFolding {
  /// Of characters beyond ASCII that were met.
  private var known: [Unicode.Scalar: [UInt8]] = [:]

  func folded(_ bytes: some Collection<UInt8>) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    for byte in bytes {
      guard byte < 0x80 else { return beyondASCII(bytes) }
      // The index ends at a NUL, too.
      if byte == 0 { break }
      text.append(byte &- 65 < 26 ? byte | 0x20 : byte)
    }
    return text
  }

  private func beyondASCII(_ bytes: some Collection<UInt8>) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      switch scalar.value {
      case 0: return text
      case 0..<0x80:
        let byte = UInt8(scalar.value)
        text.append(byte &- 65 < 26 ? byte | 0x20 : byte)
      // Scripts without case, of which texts are long: from Chinese radicals to Yi, and Hangul.
      case 0x2E80..<0xA4D0, 0xAC00..<0xD7B0: text += Array(UTF8.encode(scalar) ?? .init())
      default: text += utf8(of: scalar)
      }
    }
    return text
  }

  private func utf8(of scalar: Unicode.Scalar) -> [UInt8] {
    if let known = known[scalar] { return known }
    let bytes = Array(String(Self.folded(scalar)).utf8)
    known[scalar] = bytes
    return bytes
  }

  /// One character for one; what has no single small form stays as it is.
  static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    // A dotless i is no i.
    guard scalar != "\u{131}", isKnown(scalar) else { return scalar }
    // By way of the capital, since some letters have two small forms.
    let capital = single(scalar.properties.uppercaseMapping) ?? scalar
    let small = single(capital.properties.lowercaseMapping)
    return small.flatMap { isKnown($0) ? $0 : nil } ?? scalar
  }

  private static func single(_ text: String) -> Unicode.Scalar? {
    let scalars = text.unicodeScalars
    return scalars.count == 1 ? scalars.first : nil
  }

  /// SQLite's table is of Unicode 6.1: letters that came later have no case in it.
  private static func isKnown(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.age.map { ($0.major, $0.minor) <= (6, 1) } ?? false
  }
}
