extension JSONValue {
  /// The number of members or elements; 0 for other kinds.
  public var count: Int {
    withTape { tape in
      switch tape.tag(index) {
      case Tape.Tag.object, Tape.Tag.array: tape.count(index)
      default: 0
      }
    }
  }

  /// The value of the first member with this name, compared as bytes; nil if there is none.
  public subscript(_ key: String) -> JSONValue? {
    var key = key
    let place = key.withUTF8 { key in withTape { $0.member(key, of: index) } }
    return place.map { JSONValue(document: document, index: $0) }
  }

  /// The element at this position, from 0; nil beyond the end and for other kinds. It counts from the start: to see
  /// every element use `elements`.
  public subscript(_ position: Int) -> JSONValue? {
    withTape { $0.element(position, of: index) }.map { JSONValue(document: document, index: $0) }
  }

  /// The elements of a list in order; nothing for other kinds.
  public var elements: JSONElements { JSONElements(self) }

  /// The members of an object in order, duplicates included; nothing for other kinds.
  public var members: JSONMembers { JSONMembers(self) }
}

/// The elements of a list. Iterating allocates nothing.
public struct JSONElements: Sequence, IteratorProtocol, Sendable {
  private let document: JSONDocument
  private var at: Int
  private let end: Int

  init(_ value: JSONValue) {
    document = value.document
    (at, end) = value.withTape { tape in
      tape.tag(value.index) == Tape.Tag.array ? (value.index + 1, tape.close(value.index)) : (0, 0)
    }
  }

  public mutating func next() -> JSONValue? {
    guard at < end else { return nil }
    let value = JSONValue(document: document, index: at)
    at = value.withTape { $0.next(at) }
    return value
  }
}

/// One member of an object. The key is a value of kind string.
public struct JSONMember: Sendable {
  public let key: JSONValue
  public let value: JSONValue
}

/// The members of an object. Iterating allocates nothing.
public struct JSONMembers: Sequence, IteratorProtocol, Sendable {
  private let document: JSONDocument
  private var at: Int
  private let end: Int

  init(_ value: JSONValue) {
    document = value.document
    (at, end) = value.withTape { tape in
      tape.tag(value.index) == Tape.Tag.object ? (value.index + 1, tape.close(value.index)) : (0, 0)
    }
  }

  public mutating func next() -> JSONMember? {
    guard at < end else { return nil }
    let key = JSONValue(document: document, index: at)
    let value = JSONValue(document: document, index: at + 1)
    at = value.withTape { $0.next(at + 1) }
    return JSONMember(key: key, value: value)
  }
}
