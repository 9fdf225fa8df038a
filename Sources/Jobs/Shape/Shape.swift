/// What a place in a job file may contain. The check of a file, its JSON Schema and its reference all come from these.
indirect enum Shape: Sendable {
  case text(TextForm)
  case integer(ClosedRange<Int>)
  case boolean
  /// Text, a number or true/false, all read as text.
  case scalar(TextForm)
  case list(Shape, count: ClosedRange<Int>)
  /// Any value.
  case value
  case object(ObjectShape)
  /// Names chosen by the author, each with a value.
  case map(key: TextForm, Shape, count: ClosedRange<Int>)
  /// Distinguished by the kind of value; no two of them have the same kind.
  case either([Shape])
}

struct ObjectShape: Sendable {
  /// `Stream`: names the object in the schema and the reference.
  let name: String
  let about: String
  let keys: [KeyShape]
  /// A key that takes others from elsewhere, so that these may be missing.
  let standIn: (key: String, spared: [String])?
  /// Former spellings of keys, with their replacements.
  let former: [String: String]

  init(
    _ name: String, _ about: String, _ keys: [KeyShape],
    standIn: (key: String, spared: [String])? = nil, former: [String: String] = [:]
  ) {
    self.former = former
    self.name = name
    self.about = about
    self.keys = keys
    self.standIn = standIn
  }

  func key(_ name: String) -> KeyShape? { keys.first { $0.name == name } }
}

struct KeyShape: Sendable {
  let name: String
  let shape: Shape
  let isRequired: Bool
  /// The default in words.
  let without: String?
  let about: String

  init(
    _ name: String, _ shape: Shape, isRequired: Bool = false, without: String? = nil,
    _ about: String
  ) {
    self.name = name
    self.shape = shape
    self.isRequired = isRequired
    self.without = without
    self.about = about
  }

  /// A short description: up to the first semicolon.
  var clause: Substring { about.split(separator: ";", maxSplits: 1)[0] }
}

extension Shape {
  /// What is allowed, in words: `text or a list`.
  var words: String {
    switch self {
    case .text(let form): form.words
    case .integer: "a whole number"
    case .boolean: "true or false"
    case .scalar: "text, a number, or true or false"
    case .value: "any value"
    case .list(let inner, _): "a list of \(inner.pluralWords)"
    case .object(let shape): "an object (\(shape.name))"
    case .map(_, let inner, _): "an object of names, each with \(inner.words)"
    case .either(let shapes): shapes.map(\.words).joined(separator: ", or ")
    }
  }

  var isList: Bool { if case .list = self { true } else { false } }

  private var pluralWords: String {
    switch self {
    case .text, .scalar: "texts"
    case .object(let shape): "objects (\(shape.name))"
    default: words
    }
  }

  /// The kinds of values it accepts, as named by the JSON5 reader.
  var kinds: [String] {
    switch self {
    case .text: ["text"]
    case .integer: ["a number"]
    case .boolean: ["true or false"]
    case .scalar: ["text", "a number", "true or false"]
    case .list: ["a list"]
    case .value: ["text", "a number", "true or false", "null", "a list", "an object"]
    case .object, .map: ["an object"]
    case .either(let shapes): shapes.flatMap(\.kinds)
    }
  }
}
