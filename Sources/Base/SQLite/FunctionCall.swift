internal import CSQLite

/// One call of an SQL function of ours: its arguments and its result. Valid only while the function runs.
public struct FunctionCall {
  let context: OpaquePointer?
  let arguments: UnsafeMutablePointer<OpaquePointer?>?
  public let count: Int

  public func kind(_ index: Int) -> SQLKind {
    SQLKind(rawValue: sqlite3_value_type(argument(index))) ?? .null
  }

  public func integer(_ index: Int) -> Int64 { sqlite3_value_int64(argument(index)) }
  public func int(_ index: Int) -> Int { Int(integer(index)) }
  public func real(_ index: Int) -> Double { sqlite3_value_double(argument(index)) }

  /// The bytes of a text or blob argument; empty for NULL.
  /// - Parameter kind: the argument's own, if it is known.
  public func withBytes<T>(
    _ index: Int, of kind: SQLKind? = nil, _ body: (UnsafeRawBufferPointer) -> T
  ) -> T {
    let value = argument(index)
    let start =
      kind ?? self.kind(index) == .blob
      ? sqlite3_value_blob(value) : sqlite3_value_text(value).map { UnsafeRawPointer($0) }
    let bytes = Int(sqlite3_value_bytes(value))
    return body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : bytes))
  }

  public func text(_ index: Int) -> String? {
    if kind(index) == .null { return nil }
    return withBytes(index) { String(decoding: $0, as: UTF8.self) }
  }

  public func result(_ value: Int64) { sqlite3_result_int64(context, value) }

  public func result(blob bytes: [UInt8]) {
    bytes.withUnsafeBytes { csqlite_result_blob(context, $0.baseAddress, UInt64($0.count)) }
  }

  public func result(_ value: String?) {
    guard let value else { return sqlite3_result_null(context) }
    csqlite_result_text(context, value, UInt64(value.utf8.count))
  }

  private func argument(_ index: Int) -> OpaquePointer? {
    precondition(index >= 0 && index < count, "the function has \(count) arguments")
    return arguments?[index]
  }
}

/// The data of a function; SQLite frees it when the connection closes.
final class FunctionBox {
  let body: (FunctionCall) -> Void
  init(_ body: @escaping (FunctionCall) -> Void) { self.body = body }
}

func callFunction(
  _ context: OpaquePointer?, _ count: Int32,
  _ arguments: UnsafeMutablePointer<OpaquePointer?>?
) {
  guard let data = sqlite3_user_data(context) else { return }
  let box = Unmanaged<FunctionBox>.fromOpaque(data).takeUnretainedValue()
  box.body(FunctionCall(context: context, arguments: arguments, count: Int(count)))
}

func freeFunction(_ data: UnsafeMutableRawPointer?) {
  guard let data else { return }
  Unmanaged<FunctionBox>.fromOpaque(data).release()
}
