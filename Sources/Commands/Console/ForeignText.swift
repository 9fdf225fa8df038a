internal import Base

/// Makes text from outside (an API, a file name, a server's error) safe for terminals and logs: whatever could move the
/// cursor, change colours, reorder or hide letters becomes a visible escape. All output passes through here.
enum ForeignText {
  /// More marks on a letter than any language needs would overwrite neighbouring lines.
  private static let marksInARowMax = 8

  /// - Parameter keepsLines: `\n` and `\t` stay; else they become escapes, too.
  static func cleaned(_ text: String, keepsLines: Bool = false) -> String {
    var text = text
    if let isPlain = text.utf8.withContiguousStorageIfAvailable({ isPlainASCII($0) }), isPlain {
      return text
    }
    text.makeContiguousUTF8()
    return text.utf8.withContiguousStorageIfAvailable { cleaned(bytes: $0, keepsLines) } ?? ""
  }

  /// Bytes expected to be UTF-8; invalid ones become `\xff`.
  static func cleaned(_ bytes: [UInt8]) -> String {
    bytes.withUnsafeBufferPointer { cleaned(bytes: $0, false) }
  }

  private static func isPlainASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7f }
  }

  private static func cleaned(bytes: UnsafeBufferPointer<UInt8>, _ keepsLines: Bool) -> String {
    var cleaner = Cleaner(keepsLines: keepsLines)
    var rest = bytes[...]
    while let first = rest.first {
      if first < 0x80 {
        cleaner.take(Unicode.Scalar(first))
        rest = rest.dropFirst()
      } else if let (scalar, count) = scalar(rest) {
        cleaner.take(scalar)
        rest = rest.dropFirst(count)
      } else {
        cleaner.escape(byte: first)
        rest = rest.dropFirst()
      }
    }
    return cleaner.finished()
  }

  /// The well-formed scalar at the beginning: not overlong, no surrogate, not truncated.
  private static func scalar(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> (Unicode.Scalar, Int)? {
    let (length, isValid) = UTF8Repair.sequence(UnsafeBufferPointer(rebasing: bytes))
    guard isValid else { return nil }
    let value = bytes.dropFirst().prefix(length - 1).reduce(
      UInt32(bytes[bytes.startIndex]) & (0x7f >> UInt32(length))
    ) { $0 << 6 | UInt32($1 & 0x3f) }
    return Unicode.Scalar(value).map { ($0, length) }
  }

  /// Takes scalars one by one; a joiner is held until the next one is known.
  private struct Cleaner {
    let keepsLines: Bool
    private var out = String.UnicodeScalarView()
    private var last: Unicode.Scalar?
    private var pendingJoiner: Unicode.Scalar?
    private var marksInARow = 0

    init(keepsLines: Bool) { self.keepsLines = keepsLines }

    mutating func take(_ scalar: Unicode.Scalar) {
      if let joiner = pendingJoiner, let last, Scalars.mayJoin(last, scalar) {
        pendingJoiner = nil
        out.append(joiner)
      }
      escapeJoiner()
      if Scalars.isJoiner(scalar), last != nil {
        pendingJoiner = scalar
        return
      }
      append(scalar)
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
      if keepsLines, scalar == "\n" || scalar == "\t" {
        out.append(scalar)
        last = nil
      } else if scalar.isHostile {
        escape(scalar)
      } else if Scalars.isMark(scalar) {
        marksInARow += 1
        if last == nil || marksInARow > ForeignText.marksInARowMax {
          escape(scalar)
          return
        }
        out.append(scalar)
        return
      } else {
        out.append(scalar)
        last = scalar
      }
      marksInARow = 0
    }

    mutating func escape(_ scalar: Unicode.Scalar) {
      let short: [Unicode.Scalar: String] = ["\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"]
      let hex = String(scalar.value, radix: 16)
      let text =
        short[scalar]
        ?? (scalar.value < 0x100 ? "\\x" + (hex.utf8.count < 2 ? "0" : "") + hex : "\\u{\(hex)}")
      out.append(contentsOf: text.unicodeScalars)
      last = nil
    }

    mutating func escape(byte: UInt8) {
      escapeJoiner()
      out.append(contentsOf: ("\\x" + String(byte, radix: 16)).unicodeScalars)
      last = nil
      marksInARow = 0
    }

    private mutating func escapeJoiner() {
      guard let joiner = pendingJoiner else { return }
      pendingJoiner = nil
      escape(joiner)
    }

    mutating func finished() -> String {
      escapeJoiner()
      return String(out)
    }
  }
}
