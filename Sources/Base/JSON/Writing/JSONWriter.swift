/// Writes JSON text call by call: every begin needs its end, and each value of an object a key before it. Keys keep the
/// order of the calls. The output is valid UTF-8 whatever comes in.
public struct JSONWriter: Sendable {
  /// What has been written so far.
  public private(set) var bytes: [UInt8] = []

  private struct Level {
    let isObject: Bool
    var isEmpty = true
  }

  private let isPretty: Bool
  private var levels: [Level] = []
  private var isAfterKey = false

  /// `pretty` puts each member and element on a line of its own, indented by 2 spaces a level.
  public init(pretty: Bool = false) { isPretty = pretty }

  /// What has been written so far, as text.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Starts again but keeps the memory, for many lines.
  public mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    levels.removeAll(keepingCapacity: true)
    isAfterKey = false
  }

  /// Ends the line after a document, as in JSON Lines.
  public mutating func newline() { bytes.append(UInt8(ascii: "\n")) }

  public mutating func beginObject() { begin(UInt8(ascii: "{"), isObject: true) }
  public mutating func beginArray() { begin(UInt8(ascii: "["), isObject: false) }
  public mutating func endObject() { end(UInt8(ascii: "}"), isObject: true) }
  public mutating func endArray() { end(UInt8(ascii: "]"), isObject: false) }

  /// An object whose members `body` writes.
  public mutating func object<Failure: Error>(
    _ body: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    beginObject()
    try body(&self)
    endObject()
  }

  /// A list whose elements `body` writes.
  public mutating func array<Failure: Error>(
    _ body: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    beginArray()
    try body(&self)
    endArray()
  }

  public mutating func key(_ name: String) {
    precondition(levels.last?.isObject == true && !isAfterKey, "a key stands in an object")
    separate()
    appendQuoted(name)
    bytes.append(UInt8(ascii: ":"))
    if isPretty { bytes.append(UInt8(ascii: " ")) }
    isAfterKey = true
  }

  public mutating func string(_ value: String) {
    beforeValue()
    appendQuoted(value)
  }

  /// Bytes that should be UTF-8; each broken sequence becomes U+FFFD.
  public mutating func string(utf8 value: UnsafeBufferPointer<UInt8>) {
    beforeValue()
    if UTF8Repair.firstBroken(value) == nil {
      JSONText.appendQuoted(value, to: &bytes)
    } else {
      appendQuoted(String(decoding: value, as: UTF8.self))
    }
  }

  public mutating func integer(_ value: some BinaryInteger) {
    beforeValue()
    bytes.append(contentsOf: String(value).utf8)
  }

  /// The shortest text that reads back as the same number; null for NaN and the infinities, which JSON cannot express.
  public mutating func real(_ value: Double) {
    beforeValue()
    bytes.append(contentsOf: (value.isFinite ? value.description : "null").utf8)
  }

  /// A number exactly as given: `6.0E7`. It must be valid JSON.
  public mutating func number(_ text: String) {
    beforeValue()
    bytes.append(contentsOf: text.utf8)
  }

  public mutating func boolean(_ value: Bool) {
    beforeValue()
    bytes.append(contentsOf: (value ? "true" : "false").utf8)
  }

  public mutating func null() {
    beforeValue()
    bytes.append(contentsOf: "null".utf8)
  }

  /// A value of a document, in compact form; numbers keep their spelling.
  public mutating func value(_ value: JSONValue) {
    beforeValue()
    value.appendJSON(to: &bytes)
  }

  private mutating func begin(_ byte: UInt8, isObject: Bool) {
    beforeValue()
    bytes.append(byte)
    levels.append(Level(isObject: isObject))
  }

  private mutating func end(_ byte: UInt8, isObject: Bool) {
    precondition(levels.last?.isObject == isObject && !isAfterKey, "an end without its beginning")
    let level = levels.removeLast()
    if !level.isEmpty { breakLine() }
    bytes.append(byte)
  }

  private mutating func beforeValue() {
    if isAfterKey {
      isAfterKey = false
      return
    }
    precondition(levels.last?.isObject != true, "a value in an object comes after its key")
    separate()
  }

  /// The comma and the line break before a member or an element.
  private mutating func separate() {
    guard !levels.isEmpty else { return }
    if !levels[levels.count - 1].isEmpty { bytes.append(UInt8(ascii: ",")) }
    levels[levels.count - 1].isEmpty = false
    breakLine()
  }

  private mutating func breakLine() {
    guard isPretty else { return }
    bytes.append(UInt8(ascii: "\n"))
    for _ in 0..<levels.count { bytes.append(contentsOf: [0x20, 0x20]) }
  }

  private mutating func appendQuoted(_ value: String) {
    var value = value
    value.withUTF8 { JSONText.appendQuoted($0, to: &bytes) }
  }
}
