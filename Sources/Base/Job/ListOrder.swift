/// By which column a list is sorted. Declared: what a walk compares can show that it is wrong, and
/// never that it is right.
public struct ListOrder: Sendable, Equatable {
  public enum Direction: String, Sendable, CaseIterable { case rising, falling }

  public enum Basis: Sendable, Equatable {
    /// A column of the key: unique, and never another while a record is in the list.
    case key
    /// A time that only grows: a record that changes moves towards the young end.
    case time
  }

  public var column: String
  public var direction: Direction
  public var basis: Basis

  public init(_ column: String, _ direction: Direction, by basis: Basis) {
    self.column = column
    self.direction = direction
    self.basis = basis
  }

  /// `id falling`
  public var text: String { "\(column) \(direction.rawValue)" }

  /// Whether a list may have the one before the other. Two records of one key are one record; of one
  /// instant there may be many.
  public func mayPrecede(_ one: SortValue, _ other: SortValue) -> Bool {
    if one == other { return basis == .time }
    return precedes(one, other)
  }

  public func precedes(_ one: SortValue, _ other: SortValue) -> Bool {
    direction == .rising ? one < other : other < one
  }
}

/// What a record is sorted by. Texts are compared byte by byte.
public enum SortValue: Hashable, Sendable, Comparable {
  /// Of a time: milliseconds since 1970.
  case number(Int64)
  case text([UInt8])

  public static func < (one: SortValue, other: SortValue) -> Bool {
    switch (one, other) {
    case (.number(let one), .number(let other)): one < other
    case (.text(let one), .text(let other)): one.lexicographicallyPrecedes(other)
    case (.number, .text): true
    case (.text, .number): false
    }
  }
}

/// How the records of one page are sorted, those that were dropped among them.
public enum PageOrder: Hashable, Sendable {
  /// As declared, from the first to the last.
  case sorted(first: SortValue, last: SortValue)
  case unsorted
}
