/// Bytes as text (RFC 4648).
public enum Base64 {
  private static let letters = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let addressLetters = Array(letters[..<62] + "-_".utf8)

  /// - Parameter isForAddress: the URL-safe alphabet, without padding.
  public static func encoded(_ bytes: [UInt8], isForAddress: Bool = false) -> String {
    let letters = isForAddress ? addressLetters : letters
    var out: [UInt8] = []
    out.reserveCapacity((bytes.count + 2) / 3 * 4)
    var index = 0
    while index < bytes.count {
      let left = bytes.count - index
      let first = UInt32(bytes[index]) << 16
      let second = left > 1 ? UInt32(bytes[index + 1]) << 8 : 0
      let third = left > 2 ? UInt32(bytes[index + 2]) : 0
      let word = first | second | third
      out.append(letters[Int(word >> 18)])
      out.append(letters[Int(word >> 12 & 63)])
      out.append(left > 1 ? letters[Int(word >> 6 & 63)] : UInt8(ascii: "="))
      out.append(left > 2 ? letters[Int(word & 63)] : UInt8(ascii: "="))
      index += 3
    }
    if isForAddress { out.removeLast((3 - bytes.count % 3) % 3) }
    return String(decoding: out, as: UTF8.self)
  }

  /// The decoded text, from either alphabet, if all of it is plain ASCII; else nil.
  public static func decodedText(_ text: String) -> String? {
    var (word, bits): (UInt32, Int) = (0, 0)
    var out: [UInt8] = []
    for letter in text.utf8 where letter != UInt8(ascii: "=") {
      guard let value = letters.firstIndex(of: letter) ?? addressLetters.firstIndex(of: letter)
      else { return nil }
      (word, bits) = (word << 6 | UInt32(value), bits + 6)
      guard bits >= 8 else { continue }
      bits -= 8
      out.append(UInt8(truncatingIfNeeded: word >> UInt32(bits)))
    }
    let isPlain = !out.isEmpty && out.allSatisfy { (32..<127).contains($0) }
    return isPlain ? String(decoding: out, as: UTF8.self) : nil
  }
}
