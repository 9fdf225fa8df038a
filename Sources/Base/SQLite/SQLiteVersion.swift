internal import CSQLite

/// The SQLite library of this process.
public enum SQLiteVersion {
  /// STRICT tables need 3.37, error offsets in statements 3.38.
  static let oldest = 3_038_000

  /// 3,040,001 is 3.40.1.
  public static var number: Int { Int(sqlite3_libversion_number()) }
  public static var text: String { String(cString: sqlite3_libversion()) }

  /// Throws if the library cannot read what we write, and says what helps.
  public static func check(_ number: Int = SQLiteVersion.number) throws(SQLiteError) {
    guard number < oldest else { return }
    throw SQLiteError(
      code: SQLITE_ERROR,
      message: "SQLite \(number / 1_000_000).\(number / 1000 % 1000) is too old: "
        + "3.38 or later is needed; install a newer libsqlite3")
  }
}
