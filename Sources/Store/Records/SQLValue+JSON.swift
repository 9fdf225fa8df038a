internal import Base

/// Values of columns as JSON keeps them, with their classes; a blob is never kept so.
extension SQLValue {
  init(json value: JSONValue) {
    if let text = value.string {
      self = .text(text)
    } else if let integer = value.integer {
      self = .integer(integer)
    } else {
      self = value.real.map { .real($0) } ?? .null
    }
  }
}

extension JSONWriter {
  mutating func value(_ value: SQLValue) {
    switch value {
    case .null, .blob: null()
    case .integer(let value): integer(value)
    case .real(let value): real(value)
    case .text(let value): string(value)
    }
  }
}
