/// Our own reader: the grammar of RFC 8259, but a string may hold lone surrogates, bad UTF-8 and raw control
/// characters, and a number may have any size. It builds the same tape as simdjson, word for word, with exact error
/// positions. Read once, then `finish`.
struct TolerantReader {
  var scanner: JSONScanner
  var words: [UInt64] = []
  var strings: [UInt8] = []
  var repairs: [RepairedString] = []
  private var open: [Level] = []

  /// A list or object that is not closed yet.
  private struct Level {
    let index: Int
    let isObject: Bool
    var count = 0
  }

  private enum Expected { case value, key, separator }

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    scanner = JSONScanner(bytes, .json)
    words.reserveCapacity(bytes.count / 8 + 16)
    strings.reserveCapacity(bytes.count / 2 + 16)
  }

  mutating func read() throws(JSONError) {
    words.append(0)
    scanner.skipSpace()
    if scanner.byte == nil { throw JSONError(.empty, at: scanner.at, "nothing but white space") }
    var expected = Expected.value
    repeat {
      scanner.skipSpace()
      switch expected {
      case .value: expected = try readValue()
      case .key:
        try readKey()
        expected = .value
      case .separator: expected = try readSeparator()
      }
    } while !(open.isEmpty && expected == .separator)
    scanner.skipSpace()
    if scanner.byte != nil { throw wrong("the end of the document expected after its value") }
    words[0] = Tape.word(Tape.Tag.root, words.count + 1)
    words.append(Tape.word(Tape.Tag.root, 0))
  }

  /// Returns the finished tape; the holder of the owner frees it.
  func finish() -> (Tape, TapeOwner) {
    let tapeWords = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: words.count)
    _ = tapeWords.initialize(fromContentsOf: words)
    let tapeStrings = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: strings.count)
    _ = tapeStrings.initialize(fromContentsOf: strings)
    let tape = Tape(
      words: UnsafePointer(tapeWords.baseAddress.unsafelyUnwrapped),
      strings: UnsafePointer(tapeStrings.baseAddress.unsafelyUnwrapped),
      source: scanner.bytes.baseAddress.unsafelyUnwrapped, sourceCount: scanner.bytes.count)
    return (tape, .ours(words: tapeWords, strings: tapeStrings))
  }

  private mutating func readValue() throws(JSONError) -> Expected {
    guard let first = scanner.byte else { throw wrong("a value expected") }
    switch first {
    case UInt8(ascii: "{"): return try beginLevel(isObject: true)
    case UInt8(ascii: "["): return try beginLevel(isObject: false)
    case UInt8(ascii: "\""): try readString()
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try readNumber()
    case UInt8(ascii: "t"): try readWord("true", Tape.Tag.yes)
    case UInt8(ascii: "f"): try readWord("false", Tape.Tag.no)
    case UInt8(ascii: "n"): try readWord("null", Tape.Tag.null)
    default: throw wrong("a value expected")
    }
    return .separator
  }

  private mutating func readKey() throws(JSONError) {
    guard scanner.byte == UInt8(ascii: "\"") else { throw wrong("a key in double quotes expected") }
    try readString()
    scanner.skipSpace()
    guard scanner.byte == UInt8(ascii: ":") else { throw wrong("':' expected after the key") }
    scanner.at += 1
  }

  /// After a value within a list or object: a comma, or the end of that level.
  private mutating func readSeparator() throws(JSONError) -> Expected {
    let isObject = open[open.count - 1].isObject
    open[open.count - 1].count += 1
    switch scanner.byte {
    case UInt8(ascii: ","):
      scanner.at += 1
      return isObject ? .key : .value
    case UInt8(ascii: "}") where isObject, UInt8(ascii: "]") where !isObject:
      scanner.at += 1
      endLevel()
      return .separator
    default:
      throw wrong(
        isObject ? "',' or '}' expected after a member" : "',' or ']' expected after an element")
    }
  }

  private mutating func beginLevel(isObject: Bool) throws(JSONError) -> Expected {
    let start = scanner.at
    scanner.at += 1
    scanner.skipSpace()
    let index = words.count
    if scanner.byte == UInt8(ascii: isObject ? "}" : "]") {
      scanner.at += 1
      words.append(Tape.word(isObject ? Tape.Tag.object : Tape.Tag.array, index + 2))
      words.append(Tape.word(isObject ? Tape.Tag.objectEnd : Tape.Tag.arrayEnd, index))
      return .separator
    }
    if open.count == JSONDocument.depthMax { throw JSONError.depth(at: start) }
    words.append(0)
    open.append(Level(index: index, isObject: isObject))
    return isObject ? .key : .value
  }

  private mutating func endLevel() {
    let level = open.removeLast()
    let counted = min(level.count, Int(Tape.countMask))
    let tag = level.isObject ? Tape.Tag.object : Tape.Tag.array
    words[level.index] = Tape.word(tag, counted << 32 | (words.count + 1))
    words.append(
      Tape.word(level.isObject ? Tape.Tag.objectEnd : Tape.Tag.arrayEnd, level.index))
  }

  private mutating func readWord(_ word: StaticString, _ tag: UInt8) throws(JSONError) {
    let start = scanner.at
    guard scanner.take(word: word) else {
      if scanner.byte != nil { scanner.at = start }
      throw wrong("'\(word)' expected")
    }
    words.append(Tape.word(tag, 0))
  }

  /// An error at the current byte, or `truncated` at the end.
  func wrong(_ message: String) -> JSONError {
    guard let byte = scanner.byte else {
      return JSONError(.truncated, at: scanner.bytes.count, "the document ends early: \(message)")
    }
    return JSONError(.syntax, at: scanner.at, "\(message), found \(TolerantReader.name(byte))")
  }

  private static func name(_ byte: UInt8) -> String {
    if byte > 0x20, byte < 0x7F { return "'\(Character(Unicode.Scalar(byte)))'" }
    return "byte 0x" + Hexadecimal.text(CollectionOfOne(byte))
  }
}
