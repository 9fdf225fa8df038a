/// A value for or from a statement, where speed does not matter.
public enum SQLValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  public init(_ value: Int?) { self = value.map { .integer(Int64($0)) } ?? .null }
  public init(_ value: Int64?) { self = value.map { .integer($0) } ?? .null }
  public init(_ value: String?) { self = value.map { .text($0) } ?? .null }
  public init(_ value: Bool) { self = .integer(value ? 1 : 0) }
  /// The same 64 bits as a signed number, since SQLite has no unsigned ones.
  public init(bits value: UInt64?) {
    self = value.map { .integer(Int64(bitPattern: $0)) } ?? .null
  }

  /// Nil: it is not text.
  public var text: String? {
    if case .text(let text) = self { text } else { nil }
  }

  /// Nil: it is not a whole number.
  public var integer: Int64? {
    if case .integer(let integer) = self { integer } else { nil }
  }

  public static func == (left: SQLValue, right: SQLValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let a), .integer(let b)): a == b
    case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
    case (.text(let a), .text(let b)): ExactText(a) == ExactText(b)
    case (.blob(let a), .blob(let b)): a == b
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .integer(let value): hasher.combine(value)
    case .real(let value): hasher.combine(value.bitPattern)
    case .text(let value): hasher.combine(ExactText(value))
    case .blob(let value): hasher.combine(value)
    }
  }
}

extension SQLValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByNilLiteral
{
  public init(stringLiteral value: String) { self = .text(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(nilLiteral: ()) { self = .null }
}

/// The storage class of a value.
public enum SQLKind: Int32, Sendable {
  case integer = 1
  case real = 2
  case text = 3
  case blob = 4
  case null = 5
}

extension Double {
  /// An infinite one is what SQLite writes in JSON: a number too large for a double.
  public var sqlText: String { isInfinite ? (self < 0 ? "-9.0e+999" : "9.0e+999") : description }
}
