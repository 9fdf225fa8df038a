/// Finds several secrets in one pass, each plain, in hexadecimal and within Base64, in any spelling (`SecretSpelling`).
struct SecretSearch: Sendable {
  private(set) var spellings: [SecretSpelling] = []
  /// A bit for each pair of bytes that may begin a spelling: all others are skipped after one look.
  private var pairs = [UInt64](repeating: 0, count: 1024)
  /// The values that an escape must have at the start of a spelling.
  private var firsts = [Bool](repeating: false, count: 256)

  private static let escapes = Array("%\\&".utf8)

  /// - Parameter isInCodes: also look for it in hexadecimal and Base64.
  mutating func add(_ secret: [UInt8], isInCodes: Bool) {
    guard !secret.isEmpty, !holds(secret) else { return }
    add(secret)
    guard isInCodes else { return }
    let digits = Hexadecimal.text(secret)
    add(Array(digits.utf8))
    add(Array(digits.uppercased().utf8))
    for before in 0..<3 {
      let text = Self.base64(secret, behind: before)
      add(text)
      let other = text.map { $0 == UInt8(ascii: "+") ? 45 : $0 == UInt8(ascii: "/") ? 95 : $0 }
      if other != text { add(other) }
    }
  }

  func holds(_ secret: [UInt8]) -> Bool { spellings.contains { $0.text == secret } }

  func isHeld(byHost host: String) -> Bool {
    spellings.contains { host.holds(String(decoding: $0.text, as: UTF8.self).lowercased()) }
  }

  /// The Base64 of a text after `before` other bytes, without the letters that it shares with them.
  private static func base64(_ bytes: [UInt8], behind before: Int) -> [UInt8] {
    let whole = Array(Base64.encoded(Array(repeating: 0, count: before) + bytes).utf8)
    return Array(whole[((before * 8 + 5) / 6)..<((before + bytes.count) * 8 / 6)])
  }

  private mutating func add(_ text: [UInt8]) {
    spellings.append(SecretSpelling(text: text))
    for escape in Self.escapes { note(escape, nil) }
    for first in Self.alike(text[0]) {
      firsts[Int(first)] = true
      guard text.count > 1 else {
        note(first, nil)
        continue
      }
      for second in Self.alike(text[1]) + Self.escapes { note(first, second) }
    }
  }

  private static func alike(_ byte: UInt8) -> [UInt8] {
    SecretSpelling.isPlus(byte) ? Array("+ ".utf8) : [byte]
  }

  private mutating func note(_ first: UInt8, _ second: UInt8?) {
    for other in second.map({ $0...$0 }) ?? 0...255 {
      pairs[Int(first) << 2 | Int(other) >> 6] |= 1 << (other & 63)
    }
  }

  /// The first match from `start` on; of several at the same place the longest.
  func range(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Range<Int>? {
    guard !spellings.isEmpty else { return nil }
    return pairs.withUnsafeBufferPointer { pairs in
      var at = start
      while at < bytes.count {
        let (first, second) = (bytes[at], at + 1 < bytes.count ? bytes[at + 1] : 0)
        if at + 1 == bytes.count
          || pairs[Int(first) << 2 | Int(second) >> 6] & (1 << (second & 63)) != 0,
          let end = end(in: bytes, at: at)
        {
          return at..<end
        }
        at += 1
      }
      return nil
    }
  }

  private func end(in bytes: UnsafeBufferPointer<UInt8>, at place: Int) -> Int? {
    let first = bytes[place]
    if Self.escapes.contains(first), !firsts[Int(first)] {
      guard let value = SecretSpelling.first(bytes, place),
        firsts[Int(value)] || value == UInt8(ascii: "%")
      else { return nil }
    }
    return spellings.lazy.compactMap { $0.end(in: bytes, at: place) }.max()
  }

  /// The bytes with a mask for each secret.
  func masking(_ bytes: [UInt8], _ mask: String) -> [UInt8] {
    bytes.withUnsafeBufferPointer { all in
      guard var found = range(in: all, from: 0) else { return bytes }
      var kept: [UInt8] = []
      var start = 0
      while true {
        kept += all[start..<found.lowerBound]
        kept += mask.utf8
        start = found.upperBound
        guard let next = range(in: all, from: start) else { break }
        found = next
      }
      return kept + all[start...]
    }
  }
}
