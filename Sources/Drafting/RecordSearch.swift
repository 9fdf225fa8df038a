internal import Base
internal import Walk

/// Finds the list in an unknown answer.
struct RecordSearch {
  struct Found: Sendable {
    /// The steps to it; `*` at the end means the members of an object.
    var path: [String]
    var records: [JSONValue]
    /// Not a list: the answer is one object.
    var isOneRecord = false
    /// An object of lists, one for each member of the records.
    var isColumnar = false
  }

  /// Possible forms of a list.
  private enum Form {
    case list, members, columns
  }

  /// Words of the request that may be the list's name.
  let words: Set<String>
  /// Page sizes that the request and the answer mention.
  private var sizes: Set<Int>
  /// The longest list of objects, or of lists.
  private var longest = 0
  private var best: (score: Int, found: Found)?

  /// How deep a list may be nested.
  static let levelsMax = 4
  /// How many entries of each list are examined.
  private static let sampleMax = 20
  /// This many members of one form are entries, whatever their names.
  private static let entriesMin = 10

  private static let usual: Set = [
    "items", "results", "result", "data", "records", "rows", "entries", "docs", "documents", "hits",
    "list", "objects", "values", "elements", "content", "nodes", "collection", "resources",
  ]
  private static let unusual: Set = [
    "columns", "errors", "error", "links", "link", "facets", "warnings", "messages", "filters",
    "units", "primarykeys", "sort", "fields", "schema", "types", "humandescriptions",
    "expandablecolumns", "suggestions", "aggregations", "included", "meta",
  ]

  private init(words: Set<String>, sizes: Set<Int>) {
    self.words = words
    self.sizes = sizes
  }

  /// - Parameters:
  ///   - words: words of the request that may be the list's name.
  ///   - sizes: page sizes that it asked for.
  static func find(in root: JSONValue, words: Set<String>, sizes: Set<Int>) -> Found? {
    if root.isArray { return Found(path: [], records: Array(root.elements)) }
    guard root.isObject, !isMessage(root) else { return nil }
    if let whole = whole(root) { return whole }
    var search = RecordSearch(words: words, sizes: sizes)
    search.learn(root, level: 0)
    search.look(into: root, [])
    return search.best?.found ?? Found(path: [], records: [root], isOneRecord: true)
  }

  /// At the place where an earlier page of the list has its records.
  static func find(in root: JSONValue, like page: Sample) -> Found? {
    guard let value = Sample.holder(of: page.path, in: root) else { return nil }
    let form: Form = page.isColumnar ? .columns : page.path.last == "*" ? .members : .list
    if form == .list, !value.isArray { return nil }
    return found(value, page.path.filter { $0 != "*" }, form)
  }

  /// Where the request does not name the list: others beside it, with records of the same members, or as many values.
  static func siblings(of page: Sample, _ words: Set<String>) -> [String] {
    let front = Array(page.path.dropLast())
    // A date of the request may be one of many.
    guard let name = page.path.last, name != "*", !page.isColumnar,
      !words.contains(ParameterWords.plain(name)) || !name.contains(where: \.isLetter),
      let holder = Sample.holder(of: front, in: page.document.root)
    else { return [] }
    return holder.members.compactMap { member -> String? in
      guard let key = member.key.string, key != name, JobText.isMember(key), member.value.isArray,
        !Self.unusual.contains(ParameterWords.plain(key)),
        Self.areAlike(page.records, Array(member.value.elements))
      else { return nil }
      return JSONPath.text(of: front + [key])
    }
  }

  private static func areAlike(_ records: [JSONValue], _ others: [JSONValue]) -> Bool {
    if !forms(of: records).isDisjoint(with: forms(of: others)) { return true }
    // Two columns are too few to be read as such.
    return records.count > 1 && records.count == others.count
      && (records + others).allSatisfy { !$0.isObject && !$0.isArray }
  }

  private static func forms(of records: [JSONValue]) -> Set<Set<String>> {
    let names = records.prefix(sampleMax).map { Set($0.members.compactMap { $0.key.string }) }
    return Set(names.filter { !$0.isEmpty })
  }

  /// The answer itself is the object of entries, or of lists.
  private static func whole(_ root: JSONValue) -> Found? {
    switch form(of: root) {
    case .columns?: found(root, [], .columns)
    case .members? where holdsManyEntries(root): found(root, [], .members)
    default: nil
    }
  }

  /// The value at these steps, read in this form.
  private static func found(_ value: JSONValue, _ path: [String], _ form: Form) -> Found? {
    switch form {
    case .list: Found(path: path, records: Array(value.elements))
    case .members: Found(path: path + ["*"], records: entries(of: value))
    case .columns: rows(of: value).map { Found(path: path, records: $0, isColumnar: true) }
    }
  }

  private static func entries(of map: JSONValue) -> [JSONValue] {
    map.members.map(\.value).filter(\.isObject)
  }

  private static func rows(of columns: JSONValue) -> [JSONValue]? {
    try? ColumnLists.records(columns, at: "it")  // what makes no rows is none of this form
  }

  // MARK: a first look

  private mutating func learn(_ object: JSONValue, level: Int) {
    guard level < Self.levelsMax else { return }
    for member in object.members {
      let value = member.value
      if value.isObject {
        if Self.isMap(value) { longest = max(longest, value.count) }
        learn(value, level: level + 1)
      } else if value.isArray {
        if let first = value[0], first.isObject || first.isArray {
          longest = max(longest, value.count)
        }
      } else if let key = member.key.string, ParameterWords.isSizeOfPage(key),
        let size = value.integer.flatMap({ Int(exactly: $0) }) ?? value.string.flatMap({ Int($0) })
      {
        sizes.insert(size)
      }
    }
  }

  /// So much longer than any list of objects that it is the list, and those are side data.
  private func isLongest(_ count: Int) -> Bool {
    count >= Self.entriesMin && count / 10 >= longest
  }

  // MARK: the search

  private mutating func look(into object: JSONValue, _ path: [String]) {
    guard path.count < Self.levelsMax else { return }
    for member in object.members {
      guard let key = member.key.string, JobText.isMember(key) else { continue }
      let inner = path + [key]
      let value = member.value
      if Self.errors.contains(ParameterWords.plain(key)) { continue }
      let form = Self.form(of: value)
      if let form, let score = score(value, form, inner), score > best?.score ?? 0,
        let found = Self.found(value, inner, form)
      {
        best = (score, found)
      }
      // Names of entries may change tomorrow, and a column is not a list of records.
      let isWhole = form == .columns || form == .members && Self.holdsManyEntries(value)
      if value.isObject, !isWhole { look(into: value, inner) }
    }
  }

  private static let errors: Set = ["error", "errors", "warning", "warnings"]
  private static let messages: Set = [
    "error", "errors", "message", "detail", "details", "title", "type", "status", "statuscode",
    "code",
    "success", "ok", "reason", "instance", "path", "timestamp", "requestid", "traceid",
    "documentationurl", "errorcode", "errormessage", "errordescription",
  ]

  /// An answer that says what went wrong, and nothing else.
  private static func isMessage(_ root: JSONValue) -> Bool {
    let names = root.members.compactMap { $0.key.string.map(ParameterWords.plain) }
    return names.allSatisfy(messages.contains)
      && names.contains {
        errors.contains($0) || $0.hasPrefix("error") || $0 == "message" || $0 == "detail"
      }
  }

  /// Nil: not a list of records.
  private func score(_ value: JSONValue, _ form: Form, _ path: [String]) -> Int? {
    let name = ParameterWords.plain(path[path.count - 1])
    let count = form == .columns ? Self.columnLength(value) ?? 0 : value.count
    var score: Int
    switch form {
    case .columns: score = isLongest(count) ? 120 : 90
    case .members: score = Self.holdsManyEntries(value) ? 100 : 60
    case .list:
      let sample = Array(value.elements.prefix(Self.sampleMax))
      if sample.isEmpty {
        guard Self.usual.contains(name) || words.contains(name) else { return nil }
        score = 10
      } else if sample.allSatisfy(\.isObject) {
        score = 100
      } else if sample.allSatisfy(\.isArray) {
        score = 40
      } else {
        score = sizes.contains(count) ? 99 : isLongest(count) ? 90 : 20
      }
    }
    score += min(count, 30) + (Self.usual.contains(name) ? 30 : 0)
    if words.contains(name) { score += 30 }
    if Self.unusual.contains(name) || name.holds("facet") { score -= 90 }
    return score - 5 * path.count
  }

  // MARK: forms

  private static func form(of value: JSONValue) -> Form? {
    if value.isArray { return .list }
    if columnLength(value) != nil { return .columns }
    return isMap(value) ? .members : nil
  }

  /// An object whose members are entries: `pages: { "12": {…}, "15": {…} }`.
  private static func isMap(_ value: JSONValue) -> Bool {
    guard value.isObject, value.count >= 2 else { return false }
    let entries = entries(of: value)
    guard entries.count == value.count || holdsManyEntries(value), !entries.isEmpty else {
      return false
    }
    let sets = entries.prefix(sampleMax).map { Set($0.members.compactMap { $0.key.string }) }
    let common = sets.dropFirst().reduce(sets[0]) { $0.intersection($1) }
    let most = sets.map(\.count).max() ?? 0
    let areNumbers = value.members.allSatisfy { $0.key.string.flatMap { Int($0) } != nil }
    return common.count * 2 >= most && most > 0 && (areNumbers || entries.count >= 4)
  }

  /// So many that they are keyed by id, even with a list of the ids among them.
  private static func holdsManyEntries(_ map: JSONValue) -> Bool {
    guard map.count >= entriesMin else { return false }
    let entries = entries(of: map).count
    return entries >= entriesMin && (map.count - entries) * 5 <= map.count
  }

  /// For an object with one list per member of its records, the length of those lists; nil: it is
  /// not such an object.
  private static func columnLength(_ value: JSONValue) -> Int? {
    guard value.isObject, value.count >= 4 else { return nil }
    let lists = value.members.map(\.value).filter(\.isArray)
    guard lists.count >= 4, lists.count * 2 > value.count, lists[0].count > 1,
      lists.allSatisfy({ list in
        list.count == lists[0].count
          && list.elements.prefix(sampleMax).allSatisfy { !$0.isObject && !$0.isArray }
      })
    else { return nil }
    return lists[0].count
  }
}
