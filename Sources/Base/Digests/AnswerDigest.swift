/// A 64-bit digest that recognises a whole answer when it comes again. Many times as fast as `Digest64`, which would
/// take a fifth of a night on which nothing changed. It may change between versions: then answers are read once more.
public enum AnswerDigest {
  // Digits of pi: no text is likely to hold them.
  private static let a: UInt64 = 0x243f_6a88_85a3_08d3
  private static let b: UInt64 = 0x1319_8a2e_0370_7344
  private static let c: UInt64 = 0xa409_3822_299f_31d0
  private static let d: UInt64 = 0x082e_fa98_ec4e_6c89

  static func of(_ bytes: [UInt8]) -> UInt64 { bytes.withUnsafeBytes { of($0) } }

  /// Three lanes, each of which multiplies two words at a time. Their initial values differ from the constants mixed
  /// into the words, so that swapping two words changes the product.
  public static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var (one, two, three) = (b, c, d)
    var at = 0
    while at + 48 <= bytes.count {
      one = fold(word(bytes, at) ^ a, word(bytes, at + 8) ^ one)
      two = fold(word(bytes, at + 16) ^ b, word(bytes, at + 24) ^ two)
      three = fold(word(bytes, at + 32) ^ c, word(bytes, at + 40) ^ three)
      at += 48
    }
    one ^= two ^ three
    while at < bytes.count {
      one = fold(partialWord(bytes, at) ^ b, partialWord(bytes, at + 8) ^ one)
      at += 16
    }
    return fold(one ^ a, UInt64(bytes.count) ^ c)
  }

  private static func fold(_ one: UInt64, _ other: UInt64) -> UInt64 {
    let product = one.multipliedFullWidth(by: other)
    return product.high ^ product.low
  }

  private static func word(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
  }

  /// Filled up with zeros; the count says how many.
  private static func partialWord(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> UInt64 {
    if at + 8 <= bytes.count { return word(bytes, at) }
    var word: UInt64 = 0
    for index in at..<max(at, bytes.count) {
      word |= UInt64(bytes[index]) << UInt64((index - at) * 8)
    }
    return word
  }
}
