/// What SQL expressions in a job file may use; checked here and enforced by the store.
public enum ExpressionRules {
  public static let bytesMax = 1_000

  /// SQLite functions that depend only on their arguments and whose results are bounded.
  public static let functions: [String] = [
    "abs", "char", "coalesce", "glob", "hex", "ifnull", "iif", "instr", "length", "like", "lower",
    "ltrim", "max", "min",
    "nullif", "replace", "round", "rtrim", "substr", "substring", "trim", "typeof", "unicode",
    "upper",
  ]
  /// Functions that the store adds.
  public static let ownFunctions: [(name: String, about: String)] = [
    ("trawl_digest", "a digest of the value: 16 hexadecimal digits"),
    ("trawl_plain_url", "a URL without its fragment and without `utm_…`, `fbclid` and `gclid`"),
    (
      "trawl_unescape",
      "text with HTML's `&amp;`, `&lt;`, `&gt;`, `&quot;`, `&#39;` and `&apos;` resolved"
    ),
  ]

  public static let allFunctions = functions + ownFunctions.map(\.name)
}
