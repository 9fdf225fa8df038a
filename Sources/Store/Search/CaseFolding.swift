/// Folds the case of UTF-8 texts for comparison: each character by itself.
final class CaseFolding {
  /// The lower-case forms of characters met so far, by code point; 0: not met yet. Beyond the table
  /// no character has case.
  private var known = [UInt32](repeating: 0, count: 0x2_0000)

  func folded(_ text: String) -> [UInt8] {
    Array(text.utf8).withUnsafeBytes { bytes in
      Array(unsafeUninitializedCapacity: Self.room(for: bytes.count)) { room, count in
        count = fold(bytes, into: room)
      }
    }
  }

  /// The maximum size after folding: a lower-case form has up to three bytes for two.
  static func room(for count: Int) -> Int { count + (count + 1) / 2 }

  /// Folds a text, and returns the number of bytes.
  func fold(
    _ bytes: UnsafeRawBufferPointer, into text: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    precondition(text.count >= Self.room(for: bytes.count), "the text may not fit")
    var (place, count) = (0, 0)
    while place < bytes.count {
      let byte = bytes[place]
      if byte < 0x80 {
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

  /// Scripts without case that have long texts: Chinese, Japanese and Hangul.
  private static func isCaseless(_ first: UInt8, _ second: UInt8) -> Bool {
    first >= 0xE3 && first <= 0xED && (first != 0xEA || second >= 0xB0)
  }

  /// Bytes that are not UTF-8 (after damage) become some character.
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

  /// One character for one; a character without a single lower-case form stays as it is.
  static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    // A dotless i is not an i.
    if scalar == "\u{131}" { return scalar }
    // By way of upper case, since some letters have two lower-case forms.
    let capital = single(scalar.properties.uppercaseMapping) ?? scalar
    return single(capital.properties.lowercaseMapping) ?? scalar
  }

  private static func single(_ text: String) -> Unicode.Scalar? {
    let scalars = text.unicodeScalars
    return scalars.count == 1 ? scalars.first : nil
  }
}
