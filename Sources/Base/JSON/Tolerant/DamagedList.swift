/// A text that is not JSON because some elements of its list are damaged, read without these.
///
/// Brackets outside of strings show where an element begins and ends. That is certain only while every string is where
/// a string may be: one quote too many or too few swaps inside and outside. Such a text stays unread, as does one whose
/// brackets do not match.
public struct DamagedList: Sendable {
  public struct Element: Sendable {
    /// Its place in the list, from 0.
    public let place: Int
    /// The offset of its first byte in the text.
    public let offset: Int
    public let bytes: [UInt8]
    /// Its error; the offset is that in the text.
    public let error: JSONError
  }

  /// The text with null for each damaged element.
  public let document: JSONDocument
  /// At least one.
  public let damaged: [Element]

  /// Nil if the elements of the list at `path` are uncertain, or the text is damaged elsewhere.
  public init?(_ bytes: [UInt8], at path: JSONPath) {
    guard bytes.count <= JSONDocument.bytesMax else { return nil }
    let found = bytes.withUnsafeBufferPointer { text -> [Range<Int>]? in
      var outline = Outline(text)
      return outline.enter(path) ? outline.elements() : nil
    }
    guard let found else { return nil }
    var damaged: [Element] = []
    var mended: [UInt8] = []
    mended.reserveCapacity(bytes.count)
    var end = 0
    for (place, range) in found.enumerated() {
      do throws(JSONError) {
        _ = try JSONDocument.read(Array(bytes[range]))
      } catch {
        guard error.kind != .memory else { return nil }
        damaged.append(
          Element(
            place: place, offset: range.lowerBound, bytes: Array(bytes[range]),
            error: JSONError(error.kind, at: range.lowerBound + error.offset, error.message)))
        mended += bytes[end..<range.lowerBound]
        mended += Array("null".utf8)
        end = range.upperBound
      }
    }
    mended += bytes[end...]
    // Damage elsewhere fails here.
    guard !damaged.isEmpty, let document = try? JSONDocument.read(mended) else { return nil }
    self.document = document
    self.damaged = damaged
  }
}

/// The brackets and strings of a text; anything between them is skipped.
private struct Outline {
  private var scanner: JSONScanner

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    scanner = JSONScanner(bytes, .json)
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    if bytes.starts(with: mark) { scanner.at = mark.count }
  }

  /// Enters the value at the path.
  mutating func enter(_ path: JSONPath) -> Bool {
    scanner.skipSpace()
    for segment in path.segments {
      let isThere =
        switch segment {
        case .key(let key): enterMember(key)
        case .number(let place, let key):
          scanner.take("[") ? (0..<max(0, place)).allSatisfy { _ in skipEntry() } : enterMember(key)
        case .every, .last, .chosen: false
        }
      guard isThere else { return false }
      scanner.skipSpace()
    }
    return true
  }

  private mutating func enterMember(_ key: [UInt8]) -> Bool {
    guard scanner.take("{") else { return false }
    while true {
      scanner.skipSpace()
      let start = scanner.at + 1
      guard skipString() else { return false }
      let isWanted = scanner.bytes[start..<scanner.at - 1].elementsEqual(key)
      scanner.skipSpace()
      guard scanner.take(":") else { return false }
      if isWanted { return true }
      guard skipEntry() else { return false }
    }
  }

  /// Skips a value and its comma.
  private mutating func skipEntry() -> Bool {
    guard skipValue() != nil else { return false }
    scanner.skipSpace()
    return scanner.take(",")
  }

  /// The ranges of the current list's elements; nil if they are uncertain.
  mutating func elements() -> [Range<Int>]? {
    guard scanner.take("[") else { return nil }
    var found: [Range<Int>] = []
    while true {
      guard let range = skipValue() else { return nil }
      found.append(range)
      scanner.skipSpace()
      if scanner.byte == UInt8(ascii: "]") { return found }
      guard scanner.take(",") else { return nil }
    }
  }

  private mutating func skipValue() -> Range<Int>? {
    scanner.skipSpace()
    let start = scanner.at
    switch scanner.byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["): return skipBrackets() ? start..<scanner.at : nil
    case UInt8(ascii: "\""): return skipString() ? start..<scanner.at : nil
    default:
      while let byte = scanner.byte, !Self.ends.contains(byte) {
        if byte == UInt8(ascii: "\"") { return nil }
        scanner.at += 1
      }
      return scanner.at > start ? start..<scanner.at : nil
    }
  }

  private static let ends: [UInt8] = Array(" \n\r\t,]}".utf8)
  /// What may precede a string, and what may follow it.
  private static let before: [UInt8] = Array("{[,:".utf8)
  private static let behind: [UInt8] = Array(":,]}".utf8)

  private mutating func skipBrackets() -> Bool {
    var open: [UInt8] = []
    // The last byte other than white space.
    var last: UInt8 = 0
    while true {
      scanner.skipSpace()
      guard let byte = scanner.byte else { return false }
      switch byte {
      case UInt8(ascii: "\""):
        guard Self.before.contains(last), skipString() else { return false }
        last = byte
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        open.append(byte)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        let opening = byte == UInt8(ascii: "}") ? UInt8(ascii: "{") : UInt8(ascii: "[")
        guard open.popLast() == opening else { return false }
        if open.isEmpty {
          scanner.at += 1
          return true
        }
      default: break
      }
      last = byte
      scanner.at += 1
    }
  }

  /// Skips a string; false if what follows may not follow a string.
  private mutating func skipString() -> Bool {
    guard scanner.take("\"") else { return false }
    while let byte = scanner.byte, byte != UInt8(ascii: "\"") {
      scanner.at += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    guard scanner.take("\"") else { return false }
    var rest = scanner
    rest.skipSpace()
    return rest.byte.map(Self.behind.contains) ?? false
  }
}
