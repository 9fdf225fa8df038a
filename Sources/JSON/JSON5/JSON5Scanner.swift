/// The characters of a JSON5 file one by one: white space, comments, and places for messages.
struct JSON5Scanner {
  private(set) var scalars: [Unicode.Scalar] = []
  var at = 0
  /// The place of `mark.at`; places are asked for in rising order, so each is a short step.
  private var mark = (at: 0, line: 1, column: 1, offset: 0)

  /// Refuses bytes that are not UTF-8. A byte order mark at the beginning is white space.
  init(_ bytes: [UInt8]) throws(JSON5Error) {
    scalars.reserveCapacity(bytes.count)
    var decoder = UTF8()
    var input = bytes.makeIterator()
    decoding: while true {
      switch decoder.decode(&input) {
      case .scalarValue(let scalar): scalars.append(scalar)
      case .emptyInput: break decoding
      case .error:
        at = scalars.count
        throw JSON5Error(position: position(at), message: "the file is not UTF-8 text here")
      }
    }
  }

  /// The character at hand; nil at the end.
  var scalar: Unicode.Scalar? { at < scalars.count ? scalars[at] : nil }

  func scalar(after steps: Int) -> Unicode.Scalar? {
    at + steps < scalars.count ? scalars[at + steps] : nil
  }

  /// Takes the character if it is this one.
  mutating func take(_ wanted: Unicode.Scalar) -> Bool {
    guard scalar == wanted else { return false }
    at += 1
    return true
  }

  /// Skips white space and comments.
  mutating func skipSpace() throws(JSON5Error) {
    while let scalar {
      if scalar == "/" {
        try skipComment()
      } else if JSON5Scanner.isSpace(scalar) {
        at += 1
      } else {
        return
      }
    }
  }

  private mutating func skipComment() throws(JSON5Error) {
    let start = at
    switch scalar(after: 1) {
    case "/":
      while let scalar, !JSON5Scanner.isLineEnd(scalar) { at += 1 }
    case "*":
      at += 2
      while !(scalar == "*" && scalar(after: 1) == "/") {
        guard at < scalars.count else {
          throw wrong("this comment has no end; expected '*/'", at: start)
        }
        at += 1
      }
      at += 2
    default:
      throw wrong("expected '//' or '/*' to begin a comment, found '/' alone")
    }
  }

  static func isLineEnd(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\n" || scalar == "\r" || scalar == "\u{2028}" || scalar == "\u{2029}"
  }

  static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case " ", "\t", "\n", "\r", "\u{B}", "\u{C}", "\u{A0}", "\u{FEFF}", "\u{2028}", "\u{2029}":
      true
    default: !scalar.isASCII && scalar.properties.generalCategory == .spaceSeparator
    }
  }

  /// The place of the character at `index`.
  mutating func position(_ index: Int) -> JSON5Position {
    if index < mark.at { mark = (at: 0, line: 1, column: 1, offset: 0) }
    var lineStart = mark.at
    for place in mark.at..<index {
      let scalar = scalars[place]
      mark.offset += UTF8.width(scalar)
      let ends = scalar == "\n" || (scalar == "\r" && !startsWithLineFeed(place + 1))
      guard ends else { continue }
      mark.line += 1
      mark.column = 1
      lineStart = place + 1
    }
    mark.column += JSON5Scanner.characters(scalars[lineStart..<index])
    mark.at = index
    return JSON5Position(line: mark.line, column: mark.column, offset: mark.offset)
  }

  private func startsWithLineFeed(_ index: Int) -> Bool {
    index < scalars.count && scalars[index] == "\n"
  }

  private static func characters(_ scalars: ArraySlice<Unicode.Scalar>) -> Int {
    if scalars.allSatisfy(\.isASCII) { return scalars.count }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars.drop { $0 == "\u{FEFF}" })
    return String(text).count
  }

  /// An error at the character at hand, or at `index`.
  mutating func wrong(_ message: String, at index: Int? = nil) -> JSON5Error {
    JSON5Error(position: position(index ?? at), message: message)
  }

  /// What stands at hand, for a message.
  var found: String {
    guard let scalar else { return "the end of the file" }
    if JSON5Scanner.isWordStart(scalar) { return "'\(word)'" }
    if scalar.value < 0x20 || scalar.value == 0x7F {
      return "the character U+" + JSON5Scanner.hex(scalar.value)
    }
    return "'\(Character(scalar))'"
  }

  /// The word at hand, cut for a message.
  private var word: String {
    var text = String.UnicodeScalarView()
    for scalar in scalars[at...].prefix(24) {
      guard JSON5Scanner.isWordPart(scalar) else { break }
      text.append(scalar)
    }
    return String(text)
  }

  private static func hex(_ value: UInt32) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  /// A character that a key without quotes may begin with, an escape apart.
  static func isWordStart(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII {
      return scalar == "_" || scalar == "$" || ("a"..."z").contains(scalar)
        || ("A"..."Z").contains(scalar)
    }
    return scalar.properties.isIDStart
  }

  static func isWordPart(_ scalar: Unicode.Scalar) -> Bool {
    if isWordStart(scalar) { return true }
    if scalar.isASCII { return ("0"..."9").contains(scalar) }
    return scalar == "\u{200C}" || scalar == "\u{200D}" || scalar.properties.isIDContinue
  }
}
