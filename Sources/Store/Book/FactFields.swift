internal import Base

/// A fact that has several values, as JSON: `{"runs":2,"run":7}`.
struct FactFields: Equatable, ExpressibleByDictionaryLiteral {
  private var values: [String: SQLValue] = [:]

  init() {}

  init(dictionaryLiteral fields: (String, SQLValue)...) {
    for (name, value) in fields { self[name] = value }
  }

  init(_ fact: SQLValue?) {
    for (name, value) in KeptRow.read(fact?.text) { self[name] = value }
  }

  subscript(_ name: String) -> SQLValue {
    get { values[name] ?? .null }
    set { values[name] = newValue == .null ? nil : newValue }
  }

  func integer(_ name: String) -> Int? {
    guard case .integer(let value)? = values[name] else { return nil }
    return Statement.count(value)
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
    .text(KeptRow.text(values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }))
  }
}
