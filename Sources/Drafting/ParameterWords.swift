/// Names of parameters that page a list.
public enum ParameterWords {
  static let page: Set = [
    "page", "p", "pg", "pageno", "pagenum", "pagenumber", "pageindex", "currentpage", "curpage",
  ]
  static let offset: Set = [
    "offset", "start", "skip", "from", "startindex", "startat", "pageoffset", "recordoffset",
    "retstart",
  ]
  /// Positions within the list: a job must not begin there.
  static let place: Set = [
    "cursor", "nextcursor", "endcursor", "pagetoken", "nexttoken",
    "continuationtoken",
  ]
  /// Parameters that take the key of the last record.
  static let after = ["starting_after", "after", "after_id", "since_id", "last_id", "last"]
  private static let sizes: Set = [
    "limit", "pagesize", "size", "count", "rows", "n", "num", "take", "top", "max", "numresults",
    "first", "length", "pagelength", "retmax",
  ]
  /// The position parameter that belongs to a size parameter, and whether it is certain.
  private static let partners: [(size: String, place: String, isSure: Bool)] = [
    ("retmax", "retstart", true), ("rows", "start", true), ("take", "skip", true),
    ("top", "skip", true), ("size", "from", false), ("limit", "offset", false),
  ]

  /// `from` beside `to`: the ends of a range, where each alone may be an offset.
  static func range(in names: [String]) -> (from: String, to: String)? {
    for (from, to) in [("from", "to"), ("from", "until"), ("start", "end")] {
      let ends = [from, to].compactMap { end in names.first { plain($0) == end } }
      if ends.count == 2 { return (ends[0], ends[1]) }
    }
    return nil
  }

  /// Names of positions, most frequent first.
  static let known = [
    "start", "from", "skip", "offset", "$skip", "startAt", "retstart", "$offset",
  ]

  /// `$offset` beside `$limit`, `start` beside `rows`.
  static func place(beside size: String) -> (name: String, isSure: Bool)? {
    let front = front(of: size)
    return partners.first { $0.size == plain(size) }
      .map { (front + $0.place, $0.isSure || front == "$") }
  }

  /// `_page` beside `_limit`, `@page_index` beside `@page_size`.
  static func page(beside size: String) -> String {
    switch front(of: size) {
    case "_": "_page"
    case "@": "@page_index"
    default: "page"
    }
  }

  private static func front(of name: String) -> String {
    String(name.prefix { !$0.isLetter })
  }

  /// Whether a list that is requested with this value begins behind its first page.
  public static func isLater(_ name: String, _ value: String) -> Bool {
    let plain = plain(name)
    if place.contains(plain) { return !["", "*", "0", "-1", "null"].contains(value) }
    // A longer number is a time, or names something.
    guard page.contains(plain) || offset.contains(plain), value.utf8.count <= 6,
      let number = Int(value)
    else { return false }
    let isDate = 1900...2100 ~= number || 190_001...210_012 ~= number
    return number > 1 && !(isDate && ["from", "start"].contains(plain))
  }

  static func isSize(_ name: String) -> Bool {
    let plain = plain(name)
    return sizes.contains(plain) || plain.hasSuffix("limit") || plain.hasSuffix("perpage")
      || plain.hasPrefix("max") && plain.hasSuffix("results")
  }

  /// Names so clear that they mean the page size in an answer, too.
  static func isSizeOfPage(_ name: String) -> Bool {
    isSize(name) && !["count", "n", "num", "first", "length", "max", "top"].contains(plain(name))
  }

  /// Only lower-case letters and digits.
  public static func plain(_ name: String) -> String {
    String(
      decoding: name.lowercased().utf8.filter {
        (97...122).contains($0) || (48...57).contains($0)
      }, as: UTF8.self)
  }
}
