/// Reads the text of a path into its segments.
struct JSONPathParser {
  private let path: String
  private let bytes: [UInt8]
  private var at = 0

  private static let dot = UInt8(ascii: ".")
  private static let quote = UInt8(ascii: "\"")
  private static let backslash = UInt8(ascii: "\\")
  private static let opening = UInt8(ascii: "[")
  /// Special here or around a path (`a | b as time`), unless quoted.
  private static let reserved = Array(" |*[]{}(),'\\\"".utf8)

  init(_ path: String) {
    self.path = path
    bytes = Array(path.utf8)
  }

  mutating func parse() throws(JSONPathError) -> [JSONPath.Segment] {
    if bytes.isEmpty || bytes == [Self.dot] { return [] }
    var segments: [JSONPath.Segment] = []
    while true {
      if segments.count == JSONPath.segmentsMax {
        throw wrong("a path has at most \(JSONPath.segmentsMax) parts")
      }
      segments.append(try segment())
      if at == bytes.count { return segments }
      if bytes[at] == Self.opening { continue }
      guard bytes[at] == Self.dot else { throw wrong("a '.' expected between two parts") }
      at += 1
    }
  }

  /// `[-1]` or `[rel=next]`
  private mutating func choice() throws(JSONPathError) -> JSONPath.Segment {
    let start = at
    guard let end = bytes[at...].firstIndex(of: UInt8(ascii: "]")) else {
      throw wrong("this '[' has no ']'")
    }
    let inside = bytes[(at + 1)..<end]
    at = end + 1
    if inside.elementsEqual("-1".utf8) { return .last }
    if let mark = inside.firstIndex(of: UInt8(ascii: "=")), mark > inside.startIndex,
      !inside.contains(where: { $0 < 0x20 || $0 == Self.opening || $0 == Self.quote })
    {
      return .chosen(Array(inside[..<mark]), is: Array(inside[(mark + 1)...]))
    }
    at = start
    throw wrong(
      "in brackets is [-1], the last entry of a list, or [rel=next], the one that says so; another place is"
        + " written .0")
  }

  private mutating func segment() throws(JSONPathError) -> JSONPath.Segment {
    guard at < bytes.count else { throw wrong("a key expected after the last '.'") }
    switch bytes[at] {
    case Self.quote: return .key(try quoted())
    case Self.opening: return try choice()
    case UInt8(ascii: "*"):
      at += 1
      return .every
    case Self.dot:
      throw wrong("a key expected before '.'; a key without characters is written \"\"")
    default: return try plain()
    }
  }

  private mutating func plain() throws(JSONPathError) -> JSONPath.Segment {
    let start = at
    while at < bytes.count, bytes[at] != Self.dot, bytes[at] != Self.opening {
      if bytes[at] < 0x20 || Self.reserved.contains(bytes[at]) {
        throw wrong("a key with this character must be in double quotes: \"a key\".b")
      }
      at += 1
    }
    let key = Array(bytes[start..<at])
    func isNumber(_ digits: ArraySlice<UInt8>) -> Bool {
      !digits.isEmpty && digits.allSatisfy { (48...57).contains($0) }
    }
    if key.first == UInt8(ascii: "-"), isNumber(key.dropFirst()) {
      at = start
      throw wrong(
        "the last entry of a list is written items[-1]; a member of this name is in double quotes")
    }
    // "01" is a key: a position has one spelling.
    guard isNumber(key[...]), key.count == 1 || key[0] != UInt8(ascii: "0"),
      let position = Int(String(decoding: key, as: UTF8.self))
    else {
      return .key(key)
    }
    return .number(position, key)
  }

  /// From the opening quote to after the closing one; `\"` and `\\` are escapes.
  private mutating func quoted() throws(JSONPathError) -> [UInt8] {
    let start = at
    at += 1
    var key: [UInt8] = []
    while at < bytes.count, bytes[at] != Self.quote {
      if bytes[at] == Self.backslash {
        at += 1
        guard at < bytes.count, bytes[at] == Self.quote || bytes[at] == Self.backslash else {
          throw wrong("after '\\' only '\"' and '\\' are known")
        }
      }
      key.append(bytes[at])
      at += 1
    }
    guard at < bytes.count else {
      at = start
      throw wrong("this quote has no end")
    }
    at += 1
    return key
  }

  private func wrong(_ message: String) -> JSONPathError {
    let before = String(decoding: bytes[..<at], as: UTF8.self)
    return JSONPathError(path: path, offset: before.count, message: message)
  }
}
