/// What a request sends after its head: bytes and their type.
public struct RequestBody: Hashable, Sendable {
  public var bytes: [UInt8]
  /// `application/json`
  public var type: String

  public init(_ bytes: [UInt8], type: String) {
    self.bytes = bytes
    self.type = type
  }
}

/// The body of a POST request, with holes.
public enum BodyTemplate: Sendable, Equatable {
  case json(BodyValue)
  case form([QueryItem])
  case none

  public var holes: [String] {
    switch self {
    case .json(let value): value.holes
    case .form(let items): items.flatMap(\.value.holes)
    case .none: []
    }
  }

  /// A GraphQL query: its errors come beside its data, in an answer of 200.
  public var isGraphQL: Bool {
    guard case .json(let value) = self, case .literal = value["query"] else { return false }
    return true
  }
}

/// A value of a body.
public indirect enum BodyValue: Sendable, Equatable {
  public struct Member: Sendable, Equatable {
    public var name: String
    public var value: BodyValue

    public init(_ name: String, _ value: BodyValue) {
      self.name = name
      self.value = value
    }
  }

  /// The type of a value in the body that is not text.
  public enum Scalar: String, Sendable, CaseIterable { case integer, real, boolean }

  case object([Member])
  case list([BodyValue])
  case text(Template)
  /// Its member is omitted if its value is empty.
  case optional(Template)
  /// Its value is sent as a number or boolean: `"{size as integer}"`.
  case typed(Template, Scalar)
  /// Text that is sent unchanged, braces included.
  case literal(String)
  /// A number, a boolean or null, as JSON writes it.
  case plain(String)

  /// Whether a text is a GraphQL query: nested braces, which no hole has.
  public static func isQuestion(_ text: String) -> Bool {
    var depth = 0
    for byte in text.utf8 {
      if byte == UInt8(ascii: "{") { depth += 1 }
      if byte == UInt8(ascii: "}") { depth -= 1 }
      if depth > 1 { return !text.hasPrefix("{{") }
    }
    return false
  }

  public subscript(name: String) -> BodyValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }

  var holes: [String] {
    switch self {
    case .object(let members): members.flatMap(\.value.holes)
    case .list(let values): values.flatMap(\.holes)
    case .text(let template), .optional(let template), .typed(let template, _): template.holes
    case .literal, .plain: []
    }
  }

  /// Sets a value at a path; missing objects are created.
  public func setting(_ path: ArraySlice<String>, _ value: BodyValue) -> BodyValue {
    guard let name = path.first else { return value }
    var members: [Member] = []
    if case .object(let own) = self { members = own }
    let place = members.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
    let inner = (place.map { members[$0].value } ?? .object([]))
      .setting(path.dropFirst(), value)
    if let place { members[place].value = inner } else { members.append(Member(name, inner)) }
    return .object(members)
  }
}

/// As it is sent: a request's holes are filled before.
extension BodyValue: JSONWritable {
  public func write(to out: inout JSONWriter) {
    switch self {
    case .object(let members): JSONObject(members.map { ($0.name, $0.value) }).write(to: &out)
    case .list(let values): values.write(to: &out)
    case .literal(let text): out.string(text)
    case .plain(let text): out.number(text)
    case .text(let template), .optional(let template), .typed(let template, _):
      out.string(template.description)
    }
  }
}
