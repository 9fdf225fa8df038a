/// The column that a list is sorted by. Declared: a walk can disprove the order, but never prove it.
public struct ListOrder: Sendable, Equatable {
  public enum Direction: String, Sendable, CaseIterable { case rising, falling }

  public enum Basis: Sendable, Equatable {
    /// A column of the key: unique, and constant while a record is in the list.
    case key
    /// A time that only grows: a changed record moves towards the newest end.
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

  /// Whether one record may come before another in the list. Two with the same key are one record; at the same time
  /// there may be many.
  public func mayPrecede(_ one: SortValue, _ other: SortValue) -> Bool {
    if one == other { return basis == .time }
    return precedes(one, other)
  }

  public func precedes(_ one: SortValue, _ other: SortValue) -> Bool {
    direction == .rising ? one < other : other < one
  }
}

/// The value that a record is sorted by. Texts are compared byte by byte.
public enum SortValue: Hashable, Sendable, Comparable {
  /// For a time: milliseconds since 1970.
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

/// How the records of one page are sorted, dropped ones included.
public enum PageOrder: Hashable, Sendable {
  /// In the declared order, from the first to the last.
  case sorted(first: SortValue, last: SortValue)
  case unsorted
}
