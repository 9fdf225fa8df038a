/// Finds a text in any spelling of addresses, JSON and HTML, byte by byte: plain, percent-encoded in whole or in part,
/// in capital or small letters, once or several times, with a space for a plus, and with the escapes of JSON (`\/`,
/// `\u002B`) and HTML (`&#43;`). It compares values, since the spellings are too many to list.
struct SecretSpelling: Sendable {
  let text: [UInt8]

  /// An address within an address within an address.
  private static let percentsMax = 4
  /// JSON within JSON doubles each backslash.
  private static let backslashesMax = 8

  /// The end of the text from its byte `index` on, if that is spelled at `place`. Recurses only where a place can be
  /// read in two ways: a secret may have thousands of bytes.
  func end(
    of index: Int = 0, in bytes: UnsafeBufferPointer<UInt8>, at place: Int
  ) -> Int? {
    var (index, place) = (index, place)
    while index < text.count {
      guard place < bytes.count else { return nil }
      var next: Int?
      /// The end by the reading before this one, if there was one.
      func read(_ value: UInt8, _ behind: Int) -> Int? {
        guard value == text[index] || Self.isPlus(value) && Self.isPlus(text[index]) else {
          return nil
        }
        defer { next = behind }
        return next.flatMap { end(of: index + 1, in: bytes, at: $0) }
      }
      if let end = read(bytes[place], place + 1) { return end }
      var percent: Int? = bytes[place] == UInt8(ascii: "%") ? place + 1 : nil
      if let (value, behind) = Self.escaped(bytes, place) {
        if let end = read(value, behind) { return end }
        if value == UInt8(ascii: "%") { percent = behind }
      }
      var depth = 0
      while let digits = percent, depth < Self.percentsMax,
        let value = Hexadecimal.byte(in: bytes, at: digits)
      {
        if let end = read(value, digits + 2) { return end }
        percent = value == UInt8(ascii: "%") ? digits + 2 : nil
        depth += 1
      }
      guard let next else { return nil }
      (index, place) = (index + 1, next)
    }
    return place
  }

  /// The first byte of what an escape at a place means.
  static func first(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Int) -> UInt8? {
    bytes[place] == UInt8(ascii: "%")
      ? Hexadecimal.byte(in: bytes, at: place + 1) : escaped(bytes, place)?.0
  }

  /// In a query both mean a space.
  static func isPlus(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "+") || byte == UInt8(ascii: " ")
  }

  /// The byte that an escape of JSON or HTML means.
  private static func escaped(
    _ bytes: UnsafeBufferPointer<UInt8>, _ place: Int
  ) -> (UInt8, next: Int)? {
    switch bytes[place] {
    case UInt8(ascii: "\\"): escapedInJSON(bytes, place)
    case UInt8(ascii: "&"): escapedInHTML(bytes, place)
    default: nil
    }
  }

  private static func escapedInJSON(
    _ bytes: UnsafeBufferPointer<UInt8>, _ place: Int
  ) -> (UInt8, next: Int)? {
    var at = place
    while at < bytes.count, bytes[at] == UInt8(ascii: "\\"), at - place < backslashesMax { at += 1 }
    guard at < bytes.count else { return nil }
    switch bytes[at] {
    case UInt8(ascii: "/"), UInt8(ascii: "\""): return (bytes[at], at + 1)
    case UInt8(ascii: "u"):
      guard Hexadecimal.byte(in: bytes, at: at + 1) == 0 else { return nil }
      return Hexadecimal.byte(in: bytes, at: at + 3).map { ($0, at + 5) }
    default: return at - place > 1 ? (UInt8(ascii: "\\"), at) : nil
    }
  }

  private static func escapedInHTML(
    _ bytes: UnsafeBufferPointer<UInt8>, _ place: Int
  ) -> (UInt8, next: Int)? {
    let longest = 8
    let rest = bytes[min(place + 1, bytes.count)..<min(place + 1 + longest, bytes.count)]
    guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { return nil }
    let name = String(decoding: rest[..<end], as: UTF8.self)
    let value: UInt8? =
      if name.hasPrefix("#x") || name.hasPrefix("#X") {
        UInt8(name.dropFirst(2), radix: 16)
      } else if name.hasPrefix("#") {
        UInt8(name.dropFirst())
      } else {
        ["amp": UInt8(ascii: "&"), "lt": 60, "gt": 62, "quot": 34, "apos": 39][name]
      }
    return value.map { ($0, end + 1) }
  }
}
