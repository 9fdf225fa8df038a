/// Names of tables and columns: plain, so that none ever has to be quoted.
public enum PlainName {
  /// The name, with the first number that makes it unique if it is taken.
  public static func unique(_ name: String, _ taken: inout Set<String>) -> String {
    var candidate = name
    var number = 2
    while !taken.insert(candidate).inserted {
      candidate = "\(name)_\(number)"
      number += 1
    }
    return candidate
  }

  /// Columns of every table of ours.
  public static let reserved = ["first_seen_at", "changed_at", "vanished_at", "rowid", "oid"]

  /// SQLite keywords that cannot be a name without quotes.
  static let words: Set<String> = [
    "add", "all", "alter", "and", "as", "autoincrement", "between", "case", "check", "collate",
    "commit", "constraint", "create", "default", "deferrable", "delete", "distinct", "drop",
    "else", "escape", "except", "exists", "foreign", "from", "group", "having", "in", "index",
    "insert", "intersect", "into", "is", "isnull", "join", "limit", "not", "nothing", "notnull",
    "null", "on", "or", "order", "primary", "references", "returning", "select", "set", "table",
    "then", "to", "transaction", "union", "unique", "update", "using", "values", "when", "where",
  ]

  /// What is wrong with a name; nil if it is fine.
  public static func problem(_ name: String) -> String? {
    guard isPlain(name, lengthMax: 63) else {
      return
        "\"\(name.shown)\" is not a valid table or column name: a small letter, then up to 62 small"
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

  /// `[a-z][a-z0-9_]*`, up to a length.
  public static func isPlain(_ name: String, lengthMax: Int, alsoDash: Bool = false) -> Bool {
    guard let first = name.utf8.first, (97...122).contains(first), name.utf8.count <= lengthMax
    else { return false }
    let joint = UInt8(ascii: alsoDash ? "-" : "_")
    return name.utf8.allSatisfy {
      (97...122).contains($0) || (48...57).contains($0) || $0 == joint
    }
  }

  // MARK: made of names that an API uses

  /// Leaves room for a number at the end.
  private static let foldedMax = 55

  /// The column name for a place in a record: `owner.avatarUrl` gives `owner_avatar_url`. A name that is reserved or
  /// does not begin with a letter gets a prefix, an SQL keyword a `_` at the end.
  public static func folded(_ steps: [String]) -> String {
    let words = steps.map { snake($0) }.filter { !$0.isEmpty }
    var name = words.isEmpty ? "member" : words.joined(separator: "_")
    if let first = name.utf8.first, !(97...122).contains(first) || isOwn(name) {
      name = "api_" + name
    }
    name = String(decoding: name.utf8.prefix(foldedMax), as: UTF8.self)
    return self.words.contains(name) ? name + "_" : name
  }

  private static func isOwn(_ name: String) -> Bool {
    reserved.contains(name) || name.hasPrefix("trawl_")
  }

  /// `fullName` and `full-name` are `full_name`.
  public static func snake(_ text: String) -> String {
    var out: [UInt8] = []
    var wasLower = false
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"):
        if wasLower { out.append(UInt8(ascii: "_")) }
        out.append(byte | 0x20)
        wasLower = false
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        out.append(byte)
        wasLower = true
      default:
        if out.last != UInt8(ascii: "_"), !out.isEmpty { out.append(UInt8(ascii: "_")) }
        wasLower = false
      }
    }
    while out.last == UInt8(ascii: "_") { out.removeLast() }
    return String(decoding: out, as: UTF8.self)
  }
}
