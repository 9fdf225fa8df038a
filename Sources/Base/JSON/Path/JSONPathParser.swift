/// Reads the text of a path into its segments.
struct JSONPathParser {
  private let path: String
  private let scalars: [Unicode.Scalar]
  private var at = 0

  /// These have a meaning of their own here or around a path (`a | b as time`); quotes free them.
  private static let reserved: [Unicode.Scalar] = [
    " ", "|", "*", "[", "]", "{", "}", "(", ")", ",", "'", "\\", "\"",
  ]

  init(_ path: String) {
    self.path = path
    scalars = Array(path.unicodeScalars)
  }

  mutating func parse() throws(JSONPathError) -> [JSONPath.Segment] {
    if scalars.isEmpty || scalars == ["."] { return [] }
    var segments: [JSONPath.Segment] = []
    while true {
      if segments.count == JSONPath.segmentsMax {
        throw wrong("a path has at most \(JSONPath.segmentsMax) parts")
      }
      segments.append(try segment())
      if at == scalars.count { return segments }
      if scalars[at] == "[" { continue }
      guard scalars[at] == "." else { throw wrong("a '.' expected between two parts") }
      at += 1
    }
  }

  /// `[-1]` or `[rel=next]`
  private mutating func choice() throws(JSONPathError) -> JSONPath.Segment {
    let start = at
    guard let end = scalars[at...].firstIndex(of: "]") else { throw wrong("this '[' has no ']'") }
    let inside = scalars[(at + 1)..<end]
    at = end + 1
    if inside.elementsEqual(["-", "1"]) { return .last }
    if let mark = inside.firstIndex(of: "="), mark > inside.startIndex,
      !inside.contains(where: { $0.value < 0x20 || $0 == "[" || $0 == "\"" })
    {
      return .chosen(Self.bytes(inside[..<mark]), is: Self.bytes(inside[(mark + 1)...]))
    }
    at = start
    throw wrong(
      "in brackets is [-1], the last entry of a list, or [rel=next], the one that says so; another place is"
        + " written .0")
  }

  private static func bytes(_ scalars: ArraySlice<Unicode.Scalar>) -> [UInt8] {
    var bytes: [UInt8] = []
    for scalar in scalars { UTF8Repair.append(scalar, to: &bytes) }
    return bytes
  }

  private mutating func segment() throws(JSONPathError) -> JSONPath.Segment {
    guard at < scalars.count else { throw wrong("a key expected after the last '.'") }
    switch scalars[at] {
    case "\"": return .key(try quoted())
    case "[": return try choice()
    case "*":
      at += 1
      return .every
    case ".": throw wrong("a key expected before '.'; a key without characters is written \"\"")
    default: return try plain()
    }
  }

  private mutating func plain() throws(JSONPathError) -> JSONPath.Segment {
    let start = at
    while at < scalars.count, scalars[at] != ".", scalars[at] != "[" {
      let scalar = scalars[at]
      if scalar.value < 0x20 || JSONPathParser.reserved.contains(scalar) {
        throw wrong("a key with this character must be in double quotes: \"a key\".b")
      }
      at += 1
    }
    let key = Self.bytes(scalars[start..<at])
    func isNumber(_ digits: ArraySlice<UInt8>) -> Bool {
      !digits.isEmpty && digits.allSatisfy { (48...57).contains($0) }
    }
    if key.first == UInt8(ascii: "-"), isNumber(key.dropFirst()) {
      at = start
      throw wrong(
        "the last entry of a list is written items[-1]; a member of this name is in double quotes")
    }
    // "01" is no position: a position has one spelling.
    guard isNumber(key[...]), key.count == 1 || key[0] != UInt8(ascii: "0"),
      let position = Int(String(decoding: key, as: UTF8.self))
    else {
      return .key(key)
    }
    return .number(position, key)
  }

  /// From the opening quote to after the closing one; `\"` and `\\` stand for themselves.
  private mutating func quoted() throws(JSONPathError) -> [UInt8] {
    let start = at
    at += 1
    var key: [UInt8] = []
    while at < scalars.count, scalars[at] != "\"" {
      if scalars[at] == "\\" {
        at += 1
        guard at < scalars.count, scalars[at] == "\"" || scalars[at] == "\\" else {
          at = min(at, scalars.count)
          throw wrong("after '\\' only '\"' and '\\' are known")
        }
      }
      UTF8Repair.append(scalars[at], to: &key)
      at += 1
    }
    guard at < scalars.count else {
      at = start
      throw wrong("this quote has no end")
    }
    at += 1
    return key
  }

  private func wrong(_ message: String) -> JSONPathError {
    var before = String.UnicodeScalarView()
    before.append(contentsOf: scalars[0..<at])
    return JSONPathError(path: path, offset: String(before).count, message: message)
  }
}
