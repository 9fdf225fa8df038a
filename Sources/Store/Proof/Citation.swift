internal import Base

/// A list as it may be cited under a chart: what it holds, what may be claimed of it, and the query
/// whose lines give its digest.
public struct Citation: Sendable, Equatable {
  public var job: String
  public var origin: String
  public var stream: String
  public var table: String
  /// The list in words; several lists whose rows cannot be told apart are cited as one.
  public var listName: String
  public var listNumbers: Set<Int64>
  public var verdict: String
  /// Its proof, or why it is less.
  public var because: String?
  public var why: String
  /// Empty: no walk has reached its end.
  public var asOf: String
  public var pages: Int
  /// Rows that the last walks returned: there are more if earlier walks left some that no proof has
  /// shown to be gone. Nil if a list is read in parts, each of which returns its own.
  public var walked: Int?
  /// Rows that the last walks did not return and that are too many to be marked as gone.
  public var withheld: Int
  /// Returns one line for each row, in the order of their bytes.
  public var sql: String
}

/// The canonical form of a row, in SQL that any SQLite runs: the columns that the job fills, in the
/// table's order, joined by `|`; a text is `x` and its bytes in hexadecimal, a number or NULL is
/// what `quote()` makes of it. No byte of it depends on a locale, a shell or a terminal.
enum CanonicalRow {
  static let ours = ["first_seen_at", "changed_at", "vanished_at"]

  static func isOfJob(_ column: String) -> Bool {
    !ours.contains(column) && !column.hasPrefix("trawl_")
  }

  static func sql(_ columns: [String], of alias: String) -> String {
    columns.filter(isOfJob).map { column in
      let name = "\(alias).\(SQLName.quoted(column))"
      return "iif(typeof(\(name)) = 'text', 'x' || hex(\(name)), quote(\(name)))"
    }.joined(separator: " || '|' || ")
  }
}
