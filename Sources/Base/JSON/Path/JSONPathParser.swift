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
      guard scalars[at] == "." else { throw wrong("a '.' expected between two parts") }
      at += 1
    }
  }

  private mutating func segment() throws(JSONPathError) -> JSONPath.Segment {
    guard at < scalars.count else { throw wrong("a key expected after the last '.'") }
    switch scalars[at] {
    case "\"": return .key(try quoted())
    case "*":
      at += 1
      return .every
    case ".": throw wrong("a key expected before '.'; a key without characters is written \"\"")
    default: return try plain()
    }
  }

  private mutating func plain() throws(JSONPathError) -> JSONPath.Segment {
    let start = at
    while at < scalars.count, scalars[at] != "." {
      let scalar = scalars[at]
      if scalar.value < 0x20 || JSONPathParser.reserved.contains(scalar) {
        throw wrong("a key with this character must be in double quotes: \"a key\".b")
      }
      at += 1
    }
    var key: [UInt8] = []
    var isDigits = true
    for scalar in scalars[start..<at] {
      UTF8Repair.append(scalar, to: &key)
      isDigits = isDigits && ("0"..."9").contains(scalar)
    }
    // "01" is no position: a position has one spelling.
    guard isDigits, key.count == 1 || key[0] != UInt8(ascii: "0"),
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
