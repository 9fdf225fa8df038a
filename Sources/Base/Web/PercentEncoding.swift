/// Percent-encoding of RFC 3986: our own values are fully encoded, foreign text is only repaired.
public enum PercentEncoding {
  private static let hex = Array("0123456789ABCDEF".utf8)

  /// A value for a query or path segment: all but unreserved characters are encoded, a space as `%20`.
  public static func encoded(_ value: String) -> String {
    var out: [UInt8] = []
    for byte in value.utf8 {
      if isUnreserved(byte) { out.append(byte) } else { append(byte, to: &out) }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// The same for a path template's value, but not as `.` or `..`, which a server would resolve.
  public static func encodedSegment(_ value: String) -> String {
    let dots = value.utf8.allSatisfy { $0 == UInt8(ascii: ".") }
    return dots ? value.utf8.map { _ in "%2E" }.joined() : encoded(value)
  }

  /// Foreign text: what a URL may not contain is encoded, existing escapes stay, a lone `%` becomes `%25`.
  static func repaired(_ bytes: ArraySlice<UInt8>) -> String {
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count)
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let byte = bytes[index]
      index += 1
      let isMistakenPercent =
        byte == UInt8(ascii: "%") && Hexadecimal.byte(in: bytes, at: index) == nil
      if !isUnreserved(byte),
        byte <= 0x20 || byte >= 0x7F || "\"<>\\^`{|}".utf8.contains(byte) || isMistakenPercent
      {
        append(byte, to: &out)
      } else {
        out.append(byte)
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// Resolves percent escapes (and optionally `+` as a space); a broken escape stays.
  public static func decoded(_ text: some StringProtocol, plusIsSpace: Bool = false) -> [UInt8] {
    let bytes = Array(text.utf8)
    var out: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), let byte = Hexadecimal.byte(in: bytes, at: index + 1) {
        out.append(byte)
        index += 3
        continue
      }
      out.append(plusIsSpace && bytes[index] == UInt8(ascii: "+") ? 32 : bytes[index])
      index += 1
    }
    return out
  }

  private static func append(_ byte: UInt8, to out: inout [UInt8]) {
    out += [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    (97...122).contains(byte | 32) && byte >= 65 || (48...57).contains(byte)
      || "-._~".utf8.contains(byte)
  }
}
