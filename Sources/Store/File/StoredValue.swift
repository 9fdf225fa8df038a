internal import Base

/// What is read of a row from one column, or from several side by side.
protocol StoredValue {
  init(_ columns: inout ColumnReader)
}

/// The columns of a row, from left to right.
struct ColumnReader {
  let row: Statement
  fileprivate var column: Int

  init(_ row: Statement, from first: Int = 0) { (self.row, column) = (row, first) }

  mutating func next<Value: StoredValue>(_: Value.Type = Value.self) -> Value { Value(&self) }
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

extension Instant: StoredColumn {
  init() { self.init(seconds: 0) }
  static func read(_ row: Statement, _ column: Int) -> Instant? { row.instant(column) }
}

/// From one column to the next.
extension TimeWindow: StoredValue {
  init(_ columns: inout ColumnReader) { self.init(from: columns.next(), to: columns.next()) }
}

/// Names, as a JSON list.
extension [String]: StoredValue, StoredColumn {
  static func read(_ row: Statement, _ column: Int) -> [String]? {
    row.text(column).map(OldTable.names)
  }
}

extension Connection {
  /// Every row, made of its columns from left to right: those of a struct in the order of its fields.
  func rows<each Value: StoredValue, Made>(
    _ sql: String, _ values: [SQLValue] = [], as make: (repeat each Value) -> Made
  ) throws(SQLiteError) -> [Made] {
    try rows(sql, values) { row in
      var columns = ColumnReader(row)
      return make(repeat columns.next((each Value).self))
    }
  }
}
