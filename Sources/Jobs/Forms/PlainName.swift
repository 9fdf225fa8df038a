internal import Base

/// Names of tables and columns: plain, so that nobody ever has to quote one.
public enum PlainName {
  /// Columns that every table of ours has.
  static let reserved = ["first_seen_at", "changed_at", "vanished_at", "rowid", "oid"]

  /// The words of SQLite that cannot stand as a name without quotes.
  static let words: Set<String> = [
    "add", "all", "alter", "and", "as", "autoincrement", "between", "case", "check", "collate",
    "commit", "constraint", "create", "default", "deferrable", "delete", "distinct", "drop",
    "else", "escape", "except", "exists", "foreign", "from", "group", "having", "in", "index",
    "insert", "intersect", "into", "is", "isnull", "join", "limit", "not", "nothing", "notnull",
    "null", "on", "or", "order", "primary", "references", "returning", "select", "set", "table",
    "then", "to", "transaction", "union", "unique", "update", "using", "values", "when", "where",
  ]

  /// What is wrong with a name; nil when nothing is.
  public static func problem(_ name: String) -> String? {
    guard isPlain(name, lengthMax: 63) else {
      return
        "\"\(name.shown)\" is no name for a table or column: a small letter, then up to 62 small"
        + " letters, digits or '_'"
    }
    if name.hasPrefix("trawl_") { return "names that begin with trawl_ are Trawl's own" }
    if reserved.contains(name) { return "Trawl itself keeps a column \(name) in every table" }
    if words.contains(name) {
      return "\"\(name)\" is a word of SQL that every query would have to quote;"
        + " \"\(name)_\" would do"
    }
    return nil
  }

  /// `[a-z][a-z0-9_]*`, bounded.
  static func isPlain(_ name: String, lengthMax: Int, alsoDash: Bool = false) -> Bool {
    guard let first = name.utf8.first, (97...122).contains(first), name.utf8.count <= lengthMax
    else { return false }
    return name.utf8.allSatisfy {
      (97...122).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "_") && !alsoDash
        || $0 == UInt8(ascii: "-") && alsoDash
    }
  }
}
