internal import Base

/// A fact that has several values, as JSON: `{"runs":2,"run":7}`.
struct FactFields: Equatable {
  private var values: [String: SQLValue] = [:]

  init() {}

  init(_ fact: SQLValue?) {
    // We wrote it; of one that is damaged nothing is known.
    guard let text = fact?.text, let document = try? JSONDocument.read(Array(text.utf8))
    else { return }
    for member in document.root.members {
      guard let name = member.key.string, !member.value.isNull else { continue }
      values[name] = SQLValue(json: member.value)
    }
  }

  subscript(_ name: String) -> SQLValue {
    get { values[name] ?? .null }
    set { values[name] = newValue }
  }

  func integer(_ name: String) -> Int? {
    guard case .integer(let value)? = values[name] else { return nil }
    return Int(exactly: value)
  }

  func real(_ name: String) -> Double? {
    switch values[name] {
    case .real(let value): value
    case .integer(let value): Double(value)
    default: nil
    }
  }

  func text(_ name: String) -> String? { values[name]?.text }

  func flag(_ name: String) -> Bool? { integer(name).map { $0 != 0 } }
  func instant(_ name: String) -> Instant? { text(name).flatMap { Instant(stored: $0) } }

  var fact: SQLValue {
    var writer = JSONWriter()
    writer.object { object in
      for (name, value) in values.sorted(by: { $0.key < $1.key }) where value != .null {
        object.key(name)
        object.value(value)
      }
    }
    return .text(writer.text)
  }
}
