/// Reads a JSON5 file (a job) into a tree with the position of every value and key.
public struct JSON5Reader {
  /// The deepest nesting that is read.
  static let depthMax = 100

  var scanner: JSONScanner
  private var lines = LineCounter()
  private var depth = 0

  /// Reads one file. Stops at the first error.
  public static func read(_ bytes: [UInt8]) throws(JSON5Error) -> JSON5Node {
    try bytes.withUnsafeBufferPointer { bytes throws(JSON5Error) in
      var reader = JSON5Reader(JSONScanner(bytes, .json5))
      return try reader.readFile()
    }
  }

  private init(_ scanner: JSONScanner) { self.scanner = scanner }

  private mutating func readFile() throws(JSON5Error) -> JSON5Node {
    if let broken = UTF8Repair.firstBroken(scanner.bytes) {
      throw wrong("the file is not UTF-8 text here", at: broken)
    }
    let root = try readValue("expected a value")
    try skipSpace()
    guard scanner.scalar == nil else {
      throw wrong("expected the end of the file after its value, found \(scanner.found)")
    }
    return root
  }

  private mutating func skipSpace() throws(JSON5Error) {
    if scanner.skipSpaceAndComments() { return }
    throw wrong(
      scanner.byte(after: 1) == UInt8(ascii: "*")
        ? "this comment has no end; expected '*/'"
        : "expected '//' or '/*' to begin a comment, found '/' alone")
  }

  /// The position of the current character, or of `index`.
  private mutating func position(_ index: Int? = nil) -> JSON5Position {
    lines.position(index ?? scanner.at, in: scanner)
  }

  /// An error at the current character, or at `index`.
  mutating func wrong(_ message: String, at index: Int? = nil) -> JSON5Error {
    JSON5Error(position: position(index), message: message)
  }

  /// `expected` begins the message if there is no value here.
  private mutating func readValue(_ expected: String) throws(JSON5Error) -> JSON5Node {
    try skipSpace()
    let position = position()
    let content: JSON5Node.Content
    switch scanner.scalar {
    case "{":
      try enter(position)
      content = .object(try readMembers(position))
      depth -= 1
    case "[":
      try enter(position)
      content = .array(try readElements(position))
      depth -= 1
    case "\"", "'": content = .string(try readString())
    case "+", "-", ".": content = .number(try readNumber())
    case let digit? where ("0"..."9").contains(digit): content = .number(try readNumber())
    default: content = try readWordValue(expected)
    }
    return JSON5Node(position: position, content: content)
  }

  /// Takes the bracket that opens a list or object.
  private mutating func enter(_ position: JSON5Position) throws(JSON5Error) {
    guard depth < JSON5Reader.depthMax else {
      throw JSON5Error(
        position: position, message: "more than \(JSON5Reader.depthMax) levels of nesting")
    }
    depth += 1
    scanner.at += 1
  }

  private mutating func readMembers(_ start: JSON5Position) throws(JSON5Error) -> [JSON5Member] {
    var members: [JSON5Member] = []
    while true {
      try skipSpace()
      if scanner.take("}") { return members }
      let keyPosition = position()
      let key = try readKey(start)
      try skipSpace()
      guard scanner.take(":") else {
        throw wrong("expected ':' after the key \"\(key)\", found \(scanner.found)")
      }
      let value = try readValue("expected a value for \"\(key)\"")
      members.append(JSON5Member(key: key, keyPosition: keyPosition, value: value))
      try skipSpace()
      if scanner.take(",") { continue }
      if scanner.take("}") { return members }
      throw wrong(
        "expected ',' or '}' after the value of \"\(key)\", found \(scanner.found)"
          + unclosed("object", start))
    }
  }

  private mutating func readElements(_ start: JSON5Position) throws(JSON5Error) -> [JSON5Node] {
    var elements: [JSON5Node] = []
    while true {
      try skipSpace()
      if scanner.take("]") { return elements }
      elements.append(try readValue("expected a value or ']'"))
      try skipSpace()
      if scanner.take(",") { continue }
      if scanner.take("]") { return elements }
      throw wrong(
        "expected ',' or ']' after an element, found \(scanner.found)" + unclosed("list", start))
    }
  }

  /// At the end of the file, names where the unclosed list or object begins.
  private func unclosed(_ what: String, _ start: JSON5Position) -> String {
    scanner.scalar == nil ? "; the \(what) begins at \(start)" : ""
  }

  private mutating func readKey(_ start: JSON5Position) throws(JSON5Error) -> String {
    guard let first = scanner.scalar else {
      throw wrong(
        "expected a key or '}', found the end of the file"
          + unclosed("object", start))
    }
    if first == "\"" || first == "'" { return try readString() }
    if JSONScanner.isWordStart(first) || first == "\\" { return try readWord() }
    if ("0"..."9").contains(first) || first == "-" {
      throw wrong(
        "expected a key or '}', found '\(first)'; a key that begins like this must be in quotes")
    }
    throw wrong("expected a key or '}', found \(scanner.found)" + hint)
  }

  /// true, false, null, Infinity, NaN, and what people write instead of a value.
  private mutating func readWordValue(_ expected: String) throws(JSON5Error) -> JSON5Node.Content {
    guard let first = scanner.scalar, JSONScanner.isWordStart(first) else {
      throw wrong("\(expected), found \(scanner.found)" + hint)
    }
    let start = scanner.at
    switch try readWord() {
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    case "null": return .null
    case "Infinity", "NaN":
      scanner.at = start
      return .number(try readNumber())
    case let word:
      scanner.at = start
      let cure =
        switch word.lowercased() {
        case "true", "yes", "on": "write true"
        case "false", "no", "off": "write false"
        case "none", "nil", "undefined": "write null"
        default: "text must be in quotes"
        }
      throw wrong("\(expected), found \(scanner.found); \(cure)")
    }
  }

  /// A hint for characters that come from other notations.
  private var hint: String {
    switch scanner.scalar {
    case "#": "; a comment begins with '//'"
    case "\u{201C}", "\u{201D}", "\u{201E}", "\u{2018}", "\u{2019}", "`":
      "; quotes are \" or '"
    default: ""
    }
  }
}
