internal import CSQLite

/// The library this process runs with.
public enum SQLiteVersion {
  /// STRICT tables came with 3.37, the place of an error in a statement with 3.38.
  static let oldest = 3_038_000

  /// 3,040,001 is 3.40.1.
  public static var number: Int { Int(sqlite3_libversion_number()) }
  public static var text: String { String(cString: sqlite3_libversion()) }

  /// Throws for a library that cannot read what we write, and says what would help.
  public static func check(_ number: Int = SQLiteVersion.number) throws(SQLiteError) {
    guard number < oldest else { return }
    throw SQLiteError(
      code: SQLITE_ERROR,
      message: "SQLite \(number / 1_000_000).\(number / 1000 % 1000) is too old: "
        + "3.38 or later is needed; install a newer libsqlite3")
  }
}
