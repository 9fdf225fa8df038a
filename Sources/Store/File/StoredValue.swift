internal import Base

/// A value read from one column of a row, or from several adjacent ones.
protocol StoredValue {
  init(_ columns: inout ColumnReader)
}

/// The columns of a row, from left to right.
struct ColumnReader {
  let row: Statement
  fileprivate var column: Int

  init(_ row: Statement, from first: Int = 0) { (self.row, column) = (row, first) }

  mutating func next<Value: StoredValue>(_: Value.Type = Value.self) -> Value { Value(&self) }

  /// What is made of a text; nil: there is none, or nothing can be made of it.
  mutating func made<Value>(_ make: (String) -> Value?) -> Value? {
    next(String?.self).flatMap(make)
  }
  mutating func word<Word: RawRepresentable<String>>() -> Word? { made { Word(rawValue: $0) } }

  mutating func keys() -> [UInt64] {
    defer { column += 1 }
    return row.keys(column)
  }
}

/// The value of one column.
protocol StoredColumn: StoredValue {
  /// The value for NULL, or for what cannot be read.
  init()
  static func read(_ row: Statement, _ column: Int) -> Self?
}

extension StoredColumn {
  init(_ columns: inout ColumnReader) { self = columns.next(Self?.self) ?? Self() }
}

extension Optional: StoredValue where Wrapped: StoredColumn {
  init(_ columns: inout ColumnReader) {
    self = Wrapped.read(columns.row, columns.column)
    columns.column += 1
  }
}

extension String: StoredColumn {
  static func read(_ row: Statement, _ column: Int) -> String? { row.text(column) }
}

extension Int: StoredColumn {
  static func read(_ row: Statement, _ column: Int) -> Int? { row.optionalInt(column) }
}

extension Int64: StoredColumn {
  static func read(_ row: Statement, _ column: Int) -> Int64? { row.optionalInteger(column) }
}

extension UInt64: StoredColumn {
  static func read(_ row: Statement, _ column: Int) -> UInt64? {
    row.isNull(column) ? nil : row.bits(column)
  }
}

extension Bool: StoredColumn {
  static func read(_ row: Statement, _ column: Int) -> Bool? {
    row.isNull(column) ? nil : row.boolean(column)
  }
}

extension SQLValue: StoredColumn {
  init() { self = .null }
  static func read(_ row: Statement, _ column: Int) -> SQLValue? { row.value(column) }
}
extension Instant: StoredColumn {
  init() { self.init(seconds: 0) }
  static func read(_ row: Statement, _ column: Int) -> Instant? { row.instant(column) }
}

/// Its two ends, in adjacent columns.
extension TimeWindow: StoredValue {
  init(_ columns: inout ColumnReader) { self.init(from: columns.next(), to: columns.next()) }
}

/// Names, as a JSON list.
extension [String]: StoredValue, StoredColumn {
  static func read(_ row: Statement, _ column: Int) -> [String]? {
    row.text(column).map(OldTable.names)
  }
}

extension Statement {
  /// The columns of its row, from left to right, as these values.
  fileprivate func columns<each Value: StoredValue>() -> (repeat each Value) {
    var columns = ColumnReader(self)
    return (repeat columns.next((each Value).self))
  }
}

extension Connection {
  /// Every row, as the values that its columns are, from left to right.
  func rows<each Value: StoredValue>(
    _ sql: String, _ values: [SQLValue] = []
  ) throws(SQLiteError) -> [(repeat each Value)] {
    try rows(sql, values) { $0.columns() }
  }

  /// The same, each made into something else: into a struct in the order of its fields.
  func rows<each Value: StoredValue, Made>(
    _ sql: String, _ values: [SQLValue] = [], as make: (repeat each Value) -> Made
  ) throws(SQLiteError) -> [Made] {
    try rows(sql, values) { row in
      let columns: (repeat each Value) = row.columns()
      return make(repeat each columns)
    }
  }

  /// The first row.
  func row<each Value: StoredValue>(
    _ sql: String, _ values: [SQLValue] = []
  ) throws(SQLiteError) -> (repeat each Value)? {
    try row(sql, values) { $0.columns() }
  }

  /// A map of the first of two columns to the second.
  func dictionary<Name: StoredValue & Hashable, Value: StoredValue>(
    _ sql: String, _ values: [SQLValue] = []
  ) throws(SQLiteError) -> [Name: Value] {
    let pairs: [(Name, Value)] = try rows(sql, values)
    return Dictionary(pairs) { one, _ in one }
  }
}
