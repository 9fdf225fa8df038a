/// One value of a document: a position that keeps the document alive. Cheap to copy.
public struct JSONValue: Sendable {
  public enum Kind: Sendable, Hashable {
    case object, array, string, boolean, null
    /// A number without fraction or exponent that fits 64 bits, signed or unsigned.
    case integer
    /// A number with a fraction or an exponent, within the range of `Double`.
    case real
    /// A number beyond both; `rawNumber` has its text.
    case hugeNumber
  }

  let document: JSONDocument
  let index: Int

  /// Runs `body` on the tape and keeps the document alive until it returns: the tape's pointers do not.
  @inline(__always)
  func withTape<Result, Failure: Error>(
    _ body: (Tape) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(document) {} }
    return try body(document.tape)
  }

  public var kind: Kind {
    switch withTape({ $0.tag(index) }) {
    case Tape.Tag.object: .object
    case Tape.Tag.array: .array
    case Tape.Tag.string: .string
    case Tape.Tag.signed, Tape.Tag.unsigned: .integer
    case Tape.Tag.double: .real
    case Tape.Tag.huge: .hugeNumber
    case Tape.Tag.yes, Tape.Tag.no: .boolean
    default: .null
    }
  }

  public var isNull: Bool { withTape { $0.tag(index) == Tape.Tag.null } }
  public var isObject: Bool { withTape { $0.tag(index) == Tape.Tag.object } }
  public var isArray: Bool { withTape { $0.tag(index) == Tape.Tag.array } }
  public var isString: Bool { withTape { $0.tag(index) == Tape.Tag.string } }

  /// Of kind integer, real or hugeNumber.
  public var isNumber: Bool { withTape { JSONValue.isNumber($0.tag(index)) } }

  public var boolean: Bool? {
    switch withTape({ $0.tag(index) }) {
    case Tape.Tag.yes: true
    case Tape.Tag.no: false
    default: nil
    }
  }

  /// A copy of the string; nil for every other kind.
  public var string: String? { withUTF8 { String(decoding: $0, as: UTF8.self) } }

  /// Lends the string's bytes, which are valid UTF-8; nil for every other kind.
  @inline(__always)
  public func withUTF8<Result, Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    try withTape { tape throws(Failure) in
      tape.tag(index) == Tape.Tag.string ? try body(tape.string(index)) : nil
    }
  }

  /// Whether this is a string of exactly these bytes; "é" and "e" + accent differ.
  public func isString(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { wanted in withUTF8 { Tape.equal($0, wanted) } } ?? false
  }

  static func isNumber(_ tag: UInt8) -> Bool {
    switch tag {
    case Tape.Tag.signed, Tape.Tag.unsigned, Tape.Tag.double, Tape.Tag.huge: true
    default: false
    }
  }
}

extension JSONValue {
  /// Null, for a missing value.
  public static let nothing: JSONValue = {
    guard let null = JSONValue(text: "null") else { preconditionFailure("null is JSON") }
    return null
  }()

  /// The root of a document; nil: the text is not JSON.
  public init?(text: String) {
    // The caller only needs to know whether there is a value.
    guard let document = try? JSONDocument.read(Array(text.utf8)) else { return nil }
    self = document.root
  }
}
