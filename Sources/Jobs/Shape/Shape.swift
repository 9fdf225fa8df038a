internal import Base

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

  init(
    _ name: String, _ about: String, _ keys: [KeyShape],
    standIn: (key: String, spared: [String])? = nil
  ) {
    self.name = name
    self.about = about
    self.keys = keys
    self.standIn = standIn
  }

  func key(_ name: String) -> KeyShape? {
    keys.first { $0.name.utf8.elementsEqual(name.utf8) }
  }
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
  /// One of these alone, or a list of them.
  static func oneOrList(_ shape: Shape, count: ClosedRange<Int>) -> Shape {
    .either([shape, .list(shape, count: count)])
  }

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

  /// Whether it accepts values of this one's kind.
  func takes(_ node: JSON5Node) -> Bool {
    switch self {
    case .text: node.string != nil
    case .integer: node.number != nil
    case .boolean: node.boolean != nil
    case .scalar: node.scalarText != nil
    case .list: node.elements != nil
    case .value: true
    case .object, .map: node.members != nil
    case .either(let shapes): shapes.contains { $0.takes(node) }
    }
  }
}
