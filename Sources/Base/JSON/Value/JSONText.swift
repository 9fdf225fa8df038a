/// Quoting of strings, for the writer and for values that are written again.
enum JSONText {
  /// Appends a quoted, escaped string. Only what must be escaped is; the rest stays UTF-8.
  /// `utf8` must be valid UTF-8.
  static func appendQuoted(_ utf8: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    var plain = 0
    for at in 0..<utf8.count {
      let byte = utf8[at]
      guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
        continue
      }
      output.append(contentsOf: utf8[plain..<at])
      appendEscape(byte, to: &output)
      plain = at + 1
    }
    output.append(contentsOf: utf8[plain..<utf8.count])
    output.append(UInt8(ascii: "\""))
  }

  private static func appendEscape(_ byte: UInt8, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x08: output.append(UInt8(ascii: "b"))
    case 0x09: output.append(UInt8(ascii: "t"))
    case 0x0A: output.append(UInt8(ascii: "n"))
    case 0x0C: output.append(UInt8(ascii: "f"))
    case 0x0D: output.append(UInt8(ascii: "r"))
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): output.append(byte)
    default:
      output.append(contentsOf: "u00\(Hexadecimal.text(CollectionOfOne(byte)))".utf8)
    }
  }
}
