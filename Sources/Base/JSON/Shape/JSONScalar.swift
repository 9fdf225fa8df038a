/// A value that stands in JSON as it is.
public protocol JSONScalar: Sendable, Equatable {
  init?(json: JSONValue)
  func write(to out: inout JSONWriter)
}

extension Bool: JSONScalar {
  public init?(json: JSONValue) {
    guard let value = json.boolean else { return nil }
    self = value
  }
  public func write(to out: inout JSONWriter) { out.boolean(self) }
}

extension Int: JSONScalar {
  public init?(json: JSONValue) {
    guard let value = json.integer.flatMap({ Int(exactly: $0) }) else { return nil }
    self = value
  }
  public func write(to out: inout JSONWriter) { out.integer(self) }
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

extension Array: JSONScalar where Element: JSONScalar {
  public init?(json: JSONValue) {
    let read = json.elements.map { Element(json: $0) }
    let elements = read.compactMap { $0 }
    guard elements.count == read.count else { return nil }
    self = elements
  }
  public func write(to out: inout JSONWriter) {
    out.beginArray()
    for element in self { element.write(to: &out) }
    out.endArray()
  }
}
