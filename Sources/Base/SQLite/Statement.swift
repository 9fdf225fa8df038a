internal import CSQLite

/// A prepared statement, owned by its connection, which finalises it before it closes. Not Sendable; used on the
/// connection's executor only.
public final class Statement {
  let sql: String
  private var handle: OpaquePointer?
  private let connection: OpaquePointer

  init(_ sql: String, on connection: OpaquePointer) throws(SQLiteError) {
    self.sql = sql
    self.connection = connection
    var text = sql
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    var made: OpaquePointer?
    let (code, hasMore) = text.withUTF8 { bytes -> (Int32, Bool) in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        var tail: UnsafePointer<CChar>?
        let code = sqlite3_prepare_v3(
          connection, characters.baseAddress, Int32(characters.count), flags, &made, &tail)
        let used = tail.flatMap { end in characters.baseAddress.map { end - $0 } } ?? 0
        let rest = UnsafeBufferPointer(rebasing: characters.dropFirst(used))
        return (code, code == SQLITE_OK && Self.holdsStatement(rest, connection))
      }
    }
    guard code == SQLITE_OK else { throw SQLiteError(code, on: connection, sql: sql) }
    guard let made, !hasMore else {
      sqlite3_finalize(made)
      throw SQLiteError(
        code: SQLITE_MISUSE, message: "exactly one statement was expected", sql: sql)
    }
    handle = made
  }

  /// False for blanks, semicolons and comments.
  private static func holdsStatement(
    _ text: UnsafeBufferPointer<CChar>, _ connection: OpaquePointer
  ) -> Bool {
    guard text.contains(where: { $0 > 32 }) else { return false }
    var made: OpaquePointer?
    defer { sqlite3_finalize(made) }
    return sqlite3_prepare_v2(connection, text.baseAddress, Int32(text.count), &made, nil)
      != SQLITE_OK || made != nil
  }

  /// Runs the first statement of a zero-terminated text and returns its length.
  static func run(
    _ text: ArraySlice<CChar>, on connection: OpaquePointer, _ sql: String
  ) throws(SQLiteError) -> Int {
    var made: OpaquePointer?
    defer { sqlite3_finalize(made) }
    var (code, length) = text.withUnsafeBufferPointer { characters -> (Int32, Int) in
      var tail: UnsafePointer<CChar>?
      let code = sqlite3_prepare_v2(connection, characters.baseAddress, -1, &made, &tail)
      return (code, tail.flatMap { end in characters.baseAddress.map { end - $0 } } ?? 0)
    }
    // Blanks and comments compile to nothing.
    if code == SQLITE_OK, made != nil {
      repeat { code = sqlite3_step(made) } while code == SQLITE_ROW
      if code == SQLITE_DONE { code = SQLITE_OK }
    }
    guard code == SQLITE_OK else { throw SQLiteError(code, on: connection, sql: sql) }
    return length
  }

  deinit { finalise() }

  /// Finalises it early or with its connection; `step` has already reported its last error.
  func finalise() {
    sqlite3_finalize(handle)
    handle = nil
  }

  public var columnCount: Int { Int(sqlite3_column_count(handle)) }

  public var columnNames: [String] {
    (0..<sqlite3_column_count(handle)).map { column in
      sqlite3_column_name(handle, column).map { String(cString: $0) } ?? ""
    }
  }

  // MARK: Binding; parameters count from 1

  public func bindNull(_ index: Int) throws(SQLiteError) {
    try check(sqlite3_bind_null(handle, Int32(index)))
  }

  public func bind(_ index: Int, _ value: Int64) throws(SQLiteError) {
    try check(sqlite3_bind_int64(handle, Int32(index), value))
  }

  public func bind(_ index: Int, _ value: Double) throws(SQLiteError) {
    try check(sqlite3_bind_double(handle, Int32(index), value))
  }

  /// The bytes must be UTF-8. SQLite copies them at once, unless they are lent: then they must stay valid until the
  /// statement has run, and parameters must be bound again before its next run.
  public func bindText(
    _ index: Int, _ bytes: UnsafeBufferPointer<UInt8>, lent: Bool = false
  ) throws(SQLiteError) {
    try check(bound(index, bytes, lent: lent))
  }

  private func bound(_ index: Int, _ bytes: UnsafeBufferPointer<UInt8>, lent: Bool) -> Int32 {
    // An empty buffer may have no address, which SQLite would bind as NULL.
    guard let base = bytes.baseAddress else {
      return csqlite_bind_text(handle, Int32(index), "", 0)
    }
    return base.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
      lent
        ? csqlite_lend_text(handle, Int32(index), $0, UInt64(bytes.count))
        : csqlite_bind_text(handle, Int32(index), $0, UInt64(bytes.count))
    }
  }

  public func bind(_ index: Int, _ value: String) throws(SQLiteError) {
    var value = value
    try check(value.withUTF8 { bound(index, $0, lent: false) })
  }

  public func bind(_ index: Int, _ value: SQLValue) throws(SQLiteError) {
    switch value {
    case .null: try bindNull(index)
    case .integer(let value): try bind(index, value)
    case .real(let value): try bind(index, value)
    case .text(let value): try bind(index, value)
    case .blob(let bytes):
      let code = bytes.withUnsafeBytes { buffer -> Int32 in
        guard let base = buffer.baseAddress else {
          return sqlite3_bind_zeroblob(handle, Int32(index), 0)
        }
        return csqlite_bind_blob(handle, Int32(index), base, UInt64(buffer.count))
      }
      try check(code)
    }
  }

  public func bind(_ values: [SQLValue]) throws(SQLiteError) {
    for (offset, value) in values.enumerated() { try bind(offset + 1, value) }
  }

  // MARK: Running

  /// True for a row, false at the end. A failed statement is reset, so that it holds no lock.
  public func step() throws(SQLiteError) -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    let error = SQLiteError(code, on: connection, sql: sql)
    sqlite3_reset(handle)
    throw error
  }

  /// Runs a statement that returns no rows, and resets it.
  public func run() throws(SQLiteError) {
    let hasRow = try step()
    reset()
    assert(!hasRow, "a statement with rows was run for its effect: \(sql)")
  }

  /// Ready for the next run; the values stay bound. Ignores the result, which repeats the last step's error.
  public func reset() { sqlite3_reset(handle) }

  /// Resets and releases the bound values (large texts, say).
  public func clear() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  // MARK: The current row; columns count from 0

  public func kind(_ column: Int) -> SQLKind {
    SQLKind(rawValue: sqlite3_column_type(handle, Int32(column))) ?? .null
  }

  public func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL
  }

  public func integer(_ column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(column)) }
  public func real(_ column: Int) -> Double { sqlite3_column_double(handle, Int32(column)) }

  public func optionalInteger(_ column: Int) -> Int64? { isNull(column) ? nil : integer(column) }
  public func int(_ column: Int) -> Int { Self.count(integer(column)) }
  public func optionalInt(_ column: Int) -> Int? { isNull(column) ? nil : int(column) }
  public func boolean(_ column: Int) -> Bool { integer(column) != 0 }

  /// Nil for NULL. Invalid UTF-8 (after damage, say) becomes U+FFFD.
  public func text(_ column: Int) -> String? {
    withBytes(column) { bytes in bytes.map { String(decoding: $0, as: UTF8.self) } }
  }

  /// The bytes of a text or blob, valid inside the closure only; nil for NULL.
  public func withBytes<T>(_ column: Int, _ body: (UnsafeRawBufferPointer?) -> T) -> T {
    let (index, kind) = (Int32(column), kind(column))
    if kind == .null { return body(nil) }
    let start =
      kind == .blob
      ? sqlite3_column_blob(handle, index)
      : sqlite3_column_text(handle, index).map { UnsafeRawPointer($0) }
    let count = Int(sqlite3_column_bytes(handle, index))
    return body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }

  public func value(_ column: Int) -> SQLValue {
    switch kind(column) {
    case .null: .null
    case .integer: .integer(integer(column))
    case .real: .real(real(column))
    case .text: .text(text(column) ?? "")
    case .blob: .blob(withBytes(column) { $0.map { Array($0) } ?? [] })
    }
  }

  /// A stored count. A damaged one may be any number: it is cut to 2^50, so that sums of many still fit.
  public static func count(_ stored: Int64) -> Int { Int(min(max(stored, -1 << 50), 1 << 50)) }

  private func check(_ code: Int32) throws(SQLiteError) {
    if code != SQLITE_OK { throw SQLiteError(code, on: connection, sql: sql) }
  }
}
