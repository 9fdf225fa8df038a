/// Texts as they are compared where case does not count, as UTF-8: each character by itself, and just as
/// SQLite's trigrams fold it, by which a copy for readers is searched.
final class CaseFolding {
  /// The small forms of characters that were met, by number; 0: not met yet. Behind them nothing has case.
  private var known = [UInt32](repeating: 0, count: 0x2_0000)

  func folded(_ text: String) -> [UInt8] {
    Array(text.utf8).withUnsafeBytes { bytes in
      Array(unsafeUninitializedCapacity: Self.room(for: bytes.count)) { room, count in
        count = fold(bytes, into: room)
      }
    }
  }

  /// What folding so many bytes may take: a small form has up to three bytes for two.
  static func room(for count: Int) -> Int { count + (count + 1) / 2 }

  /// Folds a text up to its end or a NUL, and says how many bytes it became.
  func fold(
    _ bytes: UnsafeRawBufferPointer, into text: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    precondition(text.count >= Self.room(for: bytes.count), "the text may not fit")
    var (place, count) = (0, 0)
    while place < bytes.count {
      let byte = bytes[place]
      if byte < 0x80 {
        if byte == 0 { break }
        text[count] = byte &- 65 < 26 ? byte | 0x20 : byte
        (place, count) = (place + 1, count + 1)
        continue
      }
      let end = min(place + (byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4), bytes.count)
      if end == place + 3, Self.isCaseless(byte, bytes[place + 1]) {
        text[count] = byte
        text[count + 1] = bytes[place + 1]
        text[count + 2] = bytes[place + 2]
        count += 3
      } else {
        for byte in small(bytes[place..<end]) {
          text[count] = byte
          count += 1
        }
      }
      place = end
    }
    return count
  }

  /// Of scripts without case, of which texts are long: Chinese and Japanese, and Hangul.
  private static func isCaseless(_ first: UInt8, _ second: UInt8) -> Bool {
    first >= 0xE3 && first <= 0xED && (first != 0xEA || second >= 0xB0)
  }

  /// Bytes that are no UTF-8 (damage, say) become some character.
  private func small(_ bytes: Slice<UnsafeRawBufferPointer>) -> Unicode.UTF8.EncodedScalar {
    var number = UInt32(bytes[bytes.startIndex]) & (0x7F >> UInt32(bytes.count))
    for more in bytes.dropFirst() { number = number << 6 | UInt32(more) & 0x3F }
    return Unicode.Scalar(small(number)).flatMap { UTF8.encode($0) }
      ?? UTF8.encodedReplacementCharacter
  }

  private func small(_ number: UInt32) -> UInt32 {
    guard number < known.count else { return number }
    let found = known[Int(number)]
    if found != 0 { return found }
    let small = Unicode.Scalar(number).map { Self.folded($0).value } ?? number
    known[Int(number)] = small
    return small
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
