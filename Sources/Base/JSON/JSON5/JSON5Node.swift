/// A position in a JSON5 file.
public struct JSON5Position: Sendable, Hashable, CustomStringConvertible {
  /// From 1. Lines end with LF, CR or both.
  public let line: Int
  /// In characters as a person counts them, from 1.
  public let column: Int
  /// In bytes, from 0.
  public let offset: Int

  public init(line: Int, column: Int, offset: Int) {
    self.line = line
    self.column = column
    self.offset = offset
  }

  public var description: String { "\(line):\(column)" }
}

/// One value of a JSON5 file and its position, for a validator's messages.
public struct JSON5Node: Sendable, Hashable {
  public enum Content: Sendable, Hashable {
    case null
    case boolean(Bool)
    case number(JSON5Number)
    case string(String)
    case array([JSON5Node])
    /// The members in the order of the file, duplicate keys included.
    case object([JSON5Member])
  }

  /// The position of the value's first character.
  public let position: JSON5Position
  public let content: Content

  public init(position: JSON5Position, content: Content) {
    self.position = position
    self.content = content
  }

  /// Another value at the same position.
  public func with(_ content: Content) -> JSON5Node {
    JSON5Node(position: position, content: content)
  }

  /// What the value is, for a message: "a list", "an object", "text" and so on.
  public var kindName: String {
    switch content {
    case .null: "null"
    case .boolean: "true or false"
    case .number: "a number"
    case .string: "text"
    case .array: "a list"
    case .object: "an object"
    }
  }

  public var string: String? {
    if case .string(let text) = content { text } else { nil }
  }

  public var boolean: Bool? {
    if case .boolean(let value) = content { value } else { nil }
  }

  public var number: JSON5Number? {
    if case .number(let number) = content { number } else { nil }
  }

  public var elements: [JSON5Node]? {
    if case .array(let elements) = content { elements } else { nil }
  }

  public var members: [JSON5Member]? {
    if case .object(let members) = content { members } else { nil }
  }

  /// The value of the first member with this key, compared as bytes.
  public subscript(_ key: String) -> JSON5Node? {
    members?.first {
      $0.key.utf8.count == key.utf8.count && $0.key.utf8.elementsEqual(key.utf8)
    }?.value
  }
}

/// One member of an object in a JSON5 file.
public struct JSON5Member: Sendable, Hashable {
  public let key: String
  /// The position of the key's first character, its quote included.
  public let keyPosition: JSON5Position
  public let value: JSON5Node

  public init(key: String, keyPosition: JSON5Position, value: JSON5Node) {
    self.key = key
    self.keyPosition = keyPosition
    self.value = value
  }

  public func with(_ value: JSON5Node) -> JSON5Member {
    JSON5Member(key: key, keyPosition: keyPosition, value: value)
  }
}

/// A number of a JSON5 file.
public struct JSON5Number: Sendable, Hashable {
  /// As it was written, sign and "0x" included.
  public let text: String
  /// The same number in JSON's notation, with all its digits; nil: JSON has none like it.
  public let json: String?
  /// The exact value, if it is whole and fits.
  public let integer: Int64?
  /// The nearest `Double`; may be infinite or NaN, which JSON5 can say.
  public let real: Double
}

/// The first error in a JSON5 file.
public struct JSON5Error: Error, Sendable, Hashable, CustomStringConvertible {
  public let position: JSON5Position
  /// What is wrong, and what would be right.
  public let message: String

  public var description: String { "\(position): \(message)" }
}
