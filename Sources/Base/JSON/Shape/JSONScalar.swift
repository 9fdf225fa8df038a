/// A value that can be written as JSON.
public protocol JSONWritable: Sendable {
  func write(to out: inout JSONWriter)
}

extension JSONWritable {
  /// As a document of its own.
  public var jsonText: String { JSONWriter.text { write(to: &$0) } }
}

/// Compact; numbers keep their spelling.
extension JSONValue: JSONWritable {
  public func write(to out: inout JSONWriter) { out.value(self) }
}

/// A value that can also be read back.
public protocol JSONScalar: JSONWritable, Equatable {
  /// Nil: the value has the wrong kind.
  static func read(_ json: JSONValue) -> Self?
}

extension JSONScalar {
  public init?(json: JSONValue) {
    guard let value = Self.read(json) else { return nil }
    self = value
  }
}

extension Bool: JSONScalar {
  public static func read(_ json: JSONValue) -> Bool? { json.boolean }
  public func write(to out: inout JSONWriter) { out.boolean(self) }
}

extension JSONScalar where Self: FixedWidthInteger {
  public static func read(_ json: JSONValue) -> Self? { json.integer.flatMap { Self(exactly: $0) } }
  public func write(to out: inout JSONWriter) { out.integer(self) }
}

extension Int: JSONScalar {}
extension Int32: JSONScalar {}
extension Int64: JSONScalar {}

extension Double: JSONScalar {
  public static func read(_ json: JSONValue) -> Double? { json.real }
  public func write(to out: inout JSONWriter) { out.real(self) }
}

extension String: JSONScalar {
  public static func read(_ json: JSONValue) -> String? { json.string }
  public func write(to out: inout JSONWriter) { out.string(self) }
}

/// A digest, signed as in SQLite.
extension UInt64: JSONScalar {
  public static func read(_ json: JSONValue) -> UInt64? {
    json.integer.map { UInt64(bitPattern: $0) }
  }
  public func write(to out: inout JSONWriter) { out.integer(Int64(bitPattern: self)) }
}

/// In milliseconds.
extension Duration: JSONScalar {
  public static func read(_ json: JSONValue) -> Duration? { json.integer.map { .milliseconds($0) } }
  public func write(to out: inout JSONWriter) { out.integer(milliseconds) }
}

/// Enums of words.
extension JSONScalar where Self: RawRepresentable, RawValue == String {
  public static func read(_ json: JSONValue) -> Self? { json.string.flatMap { Self(rawValue: $0) } }
  public func write(to out: inout JSONWriter) { out.string(rawValue) }
}

extension Array: JSONWritable where Element: JSONWritable {
  public func write(to out: inout JSONWriter) {
    out.beginArray()
    for element in self { element.write(to: &out) }
    out.endArray()
  }
}

extension Array: JSONScalar where Element: JSONScalar {
  public static func read(_ json: JSONValue) -> [Element]? {
    guard json.isArray else { return nil }
    let read = json.elements.map { Element.read($0) }
    let elements = read.compactMap { $0 }
    return elements.count == read.count ? elements : nil
  }
}

/// Written in the order of the keys.
extension Dictionary: JSONScalar, JSONWritable where Key == String, Value: JSONScalar {
  public static func read(_ json: JSONValue) -> Self? {
    guard json.isObject else { return nil }
    var values: Self = [:]
    for member in json.members {
      if let name = member.key.string, let value = Value(json: member.value) {
        values[name] = value
      }
    }
    return values
  }
  public func write(to out: inout JSONWriter) {
    JSONObject(sorted { $0.key < $1.key }.map { ($0.key, $0.value) }).write(to: &out)
  }
}

/// An object that is only written, with its members in this order; nil is written as null.
public struct JSONObject: JSONWritable, ExpressibleByDictionaryLiteral {
  public var members: [(name: String, value: (any JSONWritable)?)]

  public init(_ members: [(String, (any JSONWritable)?)]) { self.members = members }

  public init(dictionaryLiteral members: (String, (any JSONWritable)?)...) {
    self.init(members)
  }

  public func write(to out: inout JSONWriter) {
    out.beginObject()
    for (name, value) in members {
      out.key(name)
      if let value { value.write(to: &out) } else { out.null() }
    }
    out.endObject()
  }

  public var bytes: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.bytes
  }
}
