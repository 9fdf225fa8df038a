internal import Base

/// Names of members and header fields that say something about more of a list: the only place that knows such names.
/// Case and punctuation are ignored, so that `next_page`, `nextPage` and `X-Next-Page` are the same.
public enum SignName: Sendable {
  /// A next page: its number, token or address.
  case next
  /// Whether more follow.
  case flag
  /// Whether this is the end.
  case endFlag
  /// The length of the whole list.
  case length
  /// A length that may be the list's or the page's.
  case count
  case pages
  case page
  case cursor
  case notice
  /// Whether this answer lacks some of its records.
  case part
  /// How the request went: an error is a notice.
  case status
  /// A number that is 0 if all is well.
  case errorCode
  /// Whether the request succeeded.
  case success
  /// A page before this one.
  case before
  /// Whether this is the first page.
  case firstFlag
  /// How many records precede the page.
  case begin
  /// How many records are still to come.
  case left
  /// Whether the list was cut at a limit.
  case cut
  /// Whether a count is an estimate or a bound, or exact; how it relates to the true one.
  case bound, exact, relation
  /// Where a feed continues with older entries.
  case archive

  /// Names composed of one word from each column; `-` stands for none.
  private static let made: [(SignName, [String])] = [
    (
      .next,
      [
        "next", "- page result results record records set batch",
        "- token cursor link url uri href offset start index marker id maxid key position",
      ]
    ),
    (.flag, ["has is", "more next", "- page pages items results records data available"]),
    (
      .length,
      [
        "total", "- number",
        "- available count results items records rows elements entries hits size objects matches docs found features "
          + "recordcount itemcount resultcount rowcount",
      ]
    ),
    (.pages, ["total num nb numberof max last", "page pages", "- count"]),
    (.count, ["- num number", "count results records items hits"]),
    (
      .count,
      [
        "result results item items record row rows hit hits feature features doc docs match matches entry entries "
          + "full", "count",
      ]
    ),
    (.page, ["- current cur", "page", "- no number num index"]),
    (.before, ["- has", "prev previous", "- page", "- url link token cursor"]),
  ]

  /// Whole names.
  private static let whole: [(SignName, String)] = [
    (
      .next,
      "after cursornext continue querycontinue continuation continuationtoken nextcontinuationtoken "
        + "resumptiontoken moreurl morelink lastevaluatedkey afterurl"
    ),
    (
      .flag,
      "more moreavailable moreresults morepages moreitems truncated istruncated "
        + "exceededtransferlimit"
    ),
    (
      .part,
      "partial ispartial partialresults haspartialresults incomplete isincomplete incompleteresults "
        + "timedout istimedout terminatedearly searchcutoff throttled isthrottled degraded isdegraded failed"
    ),
    (
      .endFlag,
      "last islast islastpage done isdone end isend endoflist endofrecords endofresults endofstream "
        + "finished isfinished complete iscomplete exhausted nomore nomorepages eof iseof lastpageurl lasturl"
    ),
    (
      .length,
      "numfound numbermatched nbhits nhits found recordsfiltered itotaldisplayrecords totalresultsavailable hitstotal"
    ),
    (.count, "recordstotal itotalrecords"),
    (.pages, "pages pagecount"),
    (
      .cursor,
      "cursor cursors endcursor lastcursor scrollid marker bookmark pagetoken searchafter aftercursor"
    ),
    (.notice, "error errors iserror errormessage message warning warnings"),
    (.status, "status statuscode httpstatus httpcode code stat"),
    (.errorCode, "errorcode errcode errno errorno retcode"),
    (.success, "success ok succeeded issuccess successful issuccessful"),
    (.firstFlag, "first isfirst isfirstpage"),
    (.begin, "offset start startindex startat skip from"),
  ]

  private static let meanings: [String: SignName] = {
    var meanings: [String: SignName] = [:]
    for (meaning, columns) in made {
      var names = [""]
      for column in columns {
        let words = column.split(separator: " ").map { $0 == "-" ? "" : String($0) }
        names = names.flatMap { name in words.map { name + $0 } }
      }
      for name in names { meanings[name] = meaning }
    }
    for (meaning, words) in whole {
      for word in words.split(separator: " ") { meanings[String(word)] = meaning }
    }
    return meanings
  }()

  /// Objects that contain such members beside a list.
  private static let envelopes: Set<String> = {
    let names =
      "meta metadata pagination paging pager page pages links link info resultset range continue attr "
      + "querycontinue cursor cursors nav navigation hydraview extensions"
    // Of a page or an answer.
    let made = ["page", "paging", "response", "search", "result", "list"].flatMap {
      [$0 + "info", $0 + "meta", $0 + "metadata"]
    }
    return Set(names.split(separator: " ").map(String.init) + made)
  }()

  /// What a search over several machines says of those that did not answer: `_shards: { total: 5, failed: 1 }`. What
  /// else is there counts machines, not records.
  static let lostParts = [
    "shards": ["failed", "partial"], "clusters": ["failed", "partial", "skipped"],
  ]

  /// The length of a whole table means nothing beside that of the result that was asked for.
  static let wholeTables = [
    "recordstotal": "recordsFiltered", "itotalrecords": "iTotalDisplayRecords",
  ]

  /// About the object itself, if it has an `id` or a `name`: a finished task, the code of a country.
  static let ofThings: Set<String> = [
    "done", "isdone", "finished", "isfinished", "code", "successful", "issuccessful",
  ]

  /// Beside a message, and part of it.
  static let besideMessages: Set<String> = [
    "msg", "errmsg", "errordescription", "detail", "details", "reason", "requestid", "traceid",
    "timestamp", "path", "documentationurl",
  ]

  /// Prefixes that standards use: `@odata.nextLink`, `X-WP-TotalPages`.
  private static let fronts = ["odata", "hydra", "opensearch"]
  private static let fieldFronts = ["xpagination", "pagination", "xpaging", "xwp", "x", "cmr"]

  private static let bytesMax = 40

  /// Only lower-case letters and digits; nil if longer than any of these names.
  static func plain(_ name: some Collection<UInt8>) -> String? {
    guard name.count <= bytesMax else { return nil }
    var plain: [UInt8] = []
    plain.reserveCapacity(name.count)
    for byte in name {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): plain.append(byte | 0x20)
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        plain.append(byte)
      default: break
      }
    }
    return String(decoding: plain, as: UTF8.self)
  }

  public static func of(member plain: String) -> SignName? { meaning(plain, behind: fronts) }

  /// For a header field; standard fields have meanings of their own.
  public static func of(field plain: String) -> SignName? {
    let found = meaning(plain, behind: fieldFronts)
    return switch found {
    case .notice, .status, .errorCode, .success, .begin, .firstFlag, .part: nil
    // A cache counts its own.
    case .count where plain == "hits" || plain == "xhits": nil
    default: found
    }
  }

  public static func isEnvelope(_ plain: String) -> Bool {
    envelopes.contains(plain) || plain.hasPrefix("paginat")
  }

  /// The meaning of a name by its words, whatever else it contains: `more_items_in_collection`,
  /// `x-ms-continuationtoken`. Nil: none.
  static func form(of name: String) -> SignName? {
    let words = words(of: name)
    if words == ["prev", "archive"] { return .archive }
    if !words.isDisjoint(with: backwards) { return nil }
    if words.contains("more") { return .flag }
    func hasOne(_ others: Set<String>) -> Bool { !words.isDisjoint(with: others) }
    if words.contains("relation") { return .relation }
    if words.isSuperset(of: ["exceeded", "transfer", "limit"]) { return .flag }
    if hasOne(["partial", "incomplete"]), hasOne(recordWords),
      !hasOne(["allow", "include", "accept", "show", "return"])
    {
      return .part
    }
    if hasOne(countWords) {
      if hasOne(["estimate", "estimated", "approximate", "approx", "capped", "inexact"]) {
        return .bound
      }
      if hasOne(["exhaustive", "exact", "accurate", "precise"]) { return .exact }
    }
    if words.contains("remaining"), hasOne(recordWords) { return .left }
    if words.contains("capped")
      || words.contains("limit") && hasOne(["reached", "exceeded", "hit"])
        && !hasOne(["rate", "api", "quota", "request", "requests", "time"])
    {
      return .cut
    }
    if words.contains("additional"), hasOne(recordWords) { return .cut }
    if words.contains("complete"), hasOne(["job", "query", "search", "list", "result", "results"]) {
      return .endFlag
    }
    if words.contains(where: { $0.hasPrefix("continuation") }) { return .next }
    if words.contains("next"), !words.isDisjoint(with: pagingWords) { return .next }
    return words.contains("cursor") ? .cursor : nil
  }

  /// Whether a header field's name may say where the list continues. A quick test: splitting names is slow, and every
  /// answer has ten fields.
  static func mayLeadOn(_ plain: String) -> Bool {
    plain.holds("next") || plain.holds("cursor") || plain.holds("continuation")
  }

  private static let countWords: Set<String> = ["total", "count", "hits"]
  private static let recordWords: Set<String> = [
    "item", "items", "result", "results", "record", "records", "row", "rows", "page", "pages",
    "entries",
  ]
  private static let pagingWords: Set<String> = [
    "page", "pages", "token", "cursor", "link", "links", "url", "uri", "href", "offset", "start",
    "index", "marker",
    "key", "records", "results", "items", "batch", "id",
  ]
  private static let backwards: Set<String> = [
    "prev", "previous", "before", "first", "self", "start", "current", "sync", "delta",
  ]

  /// The maximum number of records of a page.
  static func isSize(_ name: String) -> Bool {
    let words = words(of: name)
    // For the current page it is the number of its records.
    guard words.isDisjoint(with: backwards) else { return false }
    return sizes.contains { words.isSuperset(of: $0) } || words.subtracting([""]) == ["limit"]
  }

  /// A parameter whose number may be that of the records, by any name but those of other things.
  static func mayBeSize(_ name: String) -> Bool { words(of: name).isDisjoint(with: otherNumbers) }

  private static let otherNumbers: Set<String> = [
    "hour", "hours", "day", "days", "week", "weeks", "month", "months", "year", "years", "id",
    "version",
  ]

  /// A maximum or a starting position: the list is read in pages.
  static func isPlace(_ name: String) -> Bool {
    if isSize(name) { return true }
    return plain(name.utf8).map { of(member: $0) == .begin } ?? false
  }

  private static let sizes: [Set<String>] = [
    ["per", "page"], ["perpage"], ["page", "size"], ["pagesize"], ["page", "limit"],
    ["max", "results"], ["retmax"],
  ]

  /// A count of what the list is named after: `release-count` and `total_releases` beside `releases`.
  static func isCount(_ name: String, of list: String) -> Bool {
    let words = words(of: name).subtracting(marks)
    let others = words.subtracting(["total", "count", "num"])
    return others.count < words.count && !others.isEmpty
      && Set(others.map(stem)) == Set(Self.words(of: list).subtracting([""]).map(stem))
  }

  /// Says that the list has more than the answer: `has_more_labels`, `labels_truncated`.
  static func saysMore(_ name: String, of list: String) -> Bool {
    let others = words(of: name, beside: list, { stem($0) })
    return !others.isDisjoint(with: cutWords.union(["more"]))
      && others.isSubset(of: cutWords.union(["has", "have", "is", "are", "more"]))
  }

  private static let cutWords: Set<String> = ["truncated", "omitted"]
  private static let fillers: Set<String> = ["is", "are", "has", "have", "was", "were", "list"]

  /// The same under a related word: `is_authors_truncated` beside `authorships`.
  static func saysCut(_ name: String, of list: String) -> Bool {
    let words = words(of: name)
    guard !words.isDisjoint(with: cutWords) else { return false }
    // cut: five letters are what related words share
    let stems = Self.words(of: list).filter { $0.count > 5 }.map { $0.prefix(5) }
    let rest = words.subtracting(marks).subtracting(cutWords).subtracting(fillers)
    return !rest.isEmpty && rest.allSatisfy { word in stems.contains { word.hasPrefix($0) } }
  }

  /// Where such a list continues: `labels_next`. The next label is something else.
  static func isNext(_ name: String, of list: String) -> Bool {
    let others = words(of: name, beside: list, { $0 })
    return others.contains("next") && others.isSubset(of: pagingWords.union(["next"]))
  }

  /// What a standard inserts: `members@odata.nextLink`.
  private static let marks: Set<String> = ["", "odata"]

  /// Names the next page, by number or token, or says that this page is not the last; without such a word it may be
  /// about a thing: the next chapter, an unfinished task.
  static func isOfPages(_ name: String) -> Bool {
    let words = words(of: name)
    return !words.isDisjoint(with: ["next", "last"])
      && !words.isDisjoint(with: ["page", "token", "cursor", "offset"])
  }

  /// The list is named after its container, or generically as its entries: `comments.data`.
  static func isEntries(_ list: String, of envelope: String) -> Bool {
    entries.contains(list.lowercased()) || stem(list.lowercased()) == stem(envelope.lowercased())
  }

  private static let entries: Set<String> = [
    "data", "items", "nodes", "edges", "results", "records", "values", "entries", "elements",
    "objects", "hits", "docs", "rows",
  ]

  /// An entry has a quantity or votes, so a sum beside its list may count these.
  static func isQuantity(_ name: String) -> Bool {
    !words(of: name).isDisjoint(with: ["count", "votes", "quantity", "qty", "amount"])
  }

  /// Without the list's words; none if any of those is missing.
  private static func words(
    of name: String, beside list: String, _ form: (String) -> String
  ) -> Set<String> {
    let own = Set(words(of: list).subtracting([""]).map(form))
    let all = words(of: name).subtracting(marks)
    guard own.isSubset(of: all.map(form)) else { return [] }
    return all.filter { !own.contains(form($0)) }
  }

  static func stem(_ word: String) -> String {
    word.hasSuffix("ies")
      ? word.dropLast(3) + "y" : String(word.hasSuffix("s") ? word.dropLast() : word[...])
  }

  /// An address beside a list that leads to the current page, or back.
  static func isOfThisPage(_ name: String) -> Bool {
    let words = words(of: name)
    return !words.isDisjoint(with: backwards.union(["last", "this", "canonical", "base", "path"]))
      || words.isSubset(of: ["", "url", "uri", "href", "link", "request", "query"])
  }

  /// `moreItems`, `more_items` and `more-items` have the same two words.
  private static func words(of name: String) -> Set<String> {
    var words: [String] = [""]
    var wasSmall = false
    // cut: none of the words that matter is further back
    for letter in name.utf8.prefix(bytesMax) {
      let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(letter)
      let isLetter = isCapital || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter)
      if !isLetter || isCapital && wasSmall { words.append("") }
      if isLetter { words[words.count - 1].append(Character(Unicode.Scalar(letter | 0x20))) }
      wasSmall = isLetter && !isCapital
    }
    return Set(words)
  }

  private static func meaning(_ plain: String, behind fronts: [String]) -> SignName? {
    if let meaning = meanings[plain] { return meaning }
    for front in fronts where plain.hasPrefix(front) {
      if let meaning = meanings[String(plain.dropFirst(front.count))] { return meaning }
    }
    return nil
  }
}
