/// Repairs invalid UTF-8: each broken sequence becomes one U+FFFD, as the Unicode standard recommends (a broken
/// sequence is the longest prefix of a valid one).
public enum UTF8Repair {
  static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]

  /// The length of the sequence that `bytes` (not empty) begins with, and whether it is valid.
  public static func sequence(_ bytes: UnsafeBufferPointer<UInt8>) -> (length: Int, isValid: Bool) {
    let lead = bytes[0]
    let length: Int
    // The second byte of some sequences has a narrower range: no overlong forms, surrogates or U+110000.
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch lead {
    case 0x00...0x7F: return (1, true)
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: length = 4
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: return (1, false)
    }
    for at in 1..<length {
      let allowed = at == 1 ? second : 0x80...0xBF
      guard at < bytes.count, allowed.contains(bytes[at]) else { return (at, false) }
    }
    return (length, true)
  }

  /// Where the first broken sequence begins; nil if there is none.
  static func firstBroken(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    var at = 0
    while at < bytes.count {
      let (length, isValid) = sequence(UnsafeBufferPointer(rebasing: bytes[at...]))
      if !isValid { return at }
      at += length
    }
    return nil
  }
}
