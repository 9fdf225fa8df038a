/// A value that JSON can say.
public protocol JSONWritable: Sendable {
  func write(to out: inout JSONWriter)
}

extension JSONWritable {
  /// As a document of its own.
  public var jsonText: String { JSONWriter.text { write(to: &$0) } }
}

/// In compact form, its numbers as they were written.
extension JSONValue: JSONWritable {
  public func write(to out: inout JSONWriter) { out.value(self) }
}

/// One that is read back, too.
public protocol JSONScalar: JSONWritable, Equatable {
  init?(json: JSONValue)
}

extension Bool: JSONScalar {
  public init?(json: JSONValue) {
    guard let value = json.boolean else { return nil }
    self = value
  }
  public func write(to out: inout JSONWriter) { out.boolean(self) }
}

extension JSONScalar where Self: FixedWidthInteger {
  public init?(json: JSONValue) {
    guard let value = json.integer.flatMap({ Self(exactly: $0) }) else { return nil }
    self = value
  }
  public func write(to out: inout JSONWriter) { out.integer(self) }
}

extension Int: JSONScalar {}
extension Int32: JSONScalar {}
extension Int64: JSONScalar {}

extension Double: JSONScalar {
  public init?(json: JSONValue) {
    guard let value = json.real else { return nil }
    self = value
  }
  public func write(to out: inout JSONWriter) { out.real(self) }
}

extension String: JSONScalar {
  public init?(json: JSONValue) {
    guard let value = json.string else { return nil }
    self = value
  }
  public func write(to out: inout JSONWriter) { out.string(self) }
}

/// A digest, with the sign that SQLite gives it.
extension UInt64: JSONScalar {
  public init?(json: JSONValue) {
    guard let value = json.integer else { return nil }
    self = UInt64(bitPattern: value)
  }
  public func write(to out: inout JSONWriter) { out.integer(Int64(bitPattern: self)) }
}

/// In milliseconds.
extension Duration: JSONScalar {
  public init?(json: JSONValue) {
    guard let value = json.integer else { return nil }
    self = .milliseconds(value)
  }
  public func write(to out: inout JSONWriter) {
    out.integer(components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000)
  }
}

/// Words of one set.
extension JSONScalar where Self: RawRepresentable, RawValue == String {
  public init?(json: JSONValue) {
    guard let word = json.string else { return nil }
    self.init(rawValue: word)
  }
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
  public init?(json: JSONValue) {
    let read = json.elements.map { Element(json: $0) }
    let elements = read.compactMap { $0 }
    guard elements.count == read.count else { return nil }
    self = elements
  }
}

/// Words and the number of each, in the order of their bytes.
extension [String: Int]: JSONScalar, JSONWritable {
  public init?(json: JSONValue) {
    guard json.isObject else { return nil }
    self.init()
    for member in json.members {
      if let name = member.key.string, let value = Int(json: member.value) { self[name] = value }
    }
  }
  public func write(to out: inout JSONWriter) {
    JSONObject(sorted { $0.key < $1.key }.map { ($0.key, $0.value) }).write(to: &out)
  }
}

/// An object that is only written, its members in their order; one without a value is null.
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
