internal import Base

/// A fact that has several values, as JSON: `{"runs":2,"run":7}`.
struct FactFields: Equatable, ExpressibleByDictionaryLiteral {
  private var values: [String: SQLValue] = [:]

  init() {}

  init(dictionaryLiteral fields: (String, SQLValue)...) {
    for (name, value) in fields { self[name] = value }
  }

  init(_ fact: SQLValue?) {
    for (name, value) in KeptRow.read(fact?.text) where value != .null { values[name] = value }
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
    let known = values.filter { $0.value != .null }.sorted { $0.key < $1.key }
    return .text(KeptRow.text(known.map { ($0.key, $0.value) }))
  }
}
