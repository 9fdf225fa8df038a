internal import Base

/// Finds the list in an answer of which nothing is known.
struct RecordSearch {
  struct Found: Sendable {
    /// The steps to it; `*` at the end stands for the members of an object.
    var path: [String]
    var records: [JSONValue]
    /// No list: one object is all that came.
    var isOneRecord = false
  }

  /// Words of the request that a list may be called by.
  let words: Set<String>

  /// Lists lie behind a few envelopes at most.
  static let levelsMax = 4
  /// Looked at of each list.
  private static let sampleMax = 20

  private static let usual: Set = [
    "items", "results", "result", "data", "records", "rows", "entries", "docs", "documents", "hits",
    "list", "objects", "values", "elements", "content", "nodes", "collection", "resources",
  ]
  private static let unusual: Set = [
    "columns", "errors", "error", "links", "link", "facets", "warnings", "messages", "filters",
    "units", "primarykeys", "sort", "fields", "schema", "types", "humandescriptions",
    "expandablecolumns", "suggestions", "aggregations", "included", "meta",
  ]

  func find(in root: JSONValue) -> Found? {
    if root.isArray { return Found(path: [], records: Array(root.elements)) }
    guard root.isObject, !Self.isMessage(root) else { return nil }
    var best: (score: Int, found: Found)?
    look(into: root, [], &best)
    return best?.found ?? Found(path: [], records: [root], isOneRecord: true)
  }

  private func look(
    into object: JSONValue, _ path: [String], _ best: inout (score: Int, found: Found)?
  ) {
    guard path.count < Self.levelsMax else { return }
    for member in object.members {
      guard let key = member.key.string, JSONPath.isSayable(key),
        !key.unicodeScalars.contains(where: \.isHostile)
      else { continue }
      let inner = path + [key]
      if Self.errors.contains(ParameterWords.plain(key)) { continue }
      if let score = score(member.value, inner), score > best?.score ?? 0 {
        let isMap = member.value.isObject
        best = (
          score,
          Found(
            path: inner + (isMap ? ["*"] : []),
            records: isMap ? member.value.members.map(\.value) : Array(member.value.elements))
        )
      }
      if member.value.isObject { look(into: member.value, inner, &best) }
    }
  }

  private static let errors: Set = ["error", "errors", "warning", "warnings"]
  private static let messages: Set = [
    "error", "errors", "message", "detail", "details", "title", "type", "status", "statuscode",
    "code",
    "success", "ok", "reason", "instance", "path", "timestamp", "requestid", "traceid",
    "documentationurl", "errorcode", "errormessage", "errordescription",
  ]

  /// An answer that says what went wrong, and holds nothing else.
  private static func isMessage(_ root: JSONValue) -> Bool {
    let names = root.members.compactMap { $0.key.string.map(ParameterWords.plain) }
    return names.allSatisfy(messages.contains)
      && names.contains {
        errors.contains($0) || $0.hasPrefix("error") || $0 == "message" || $0 == "detail"
      }
  }

  /// Nil: no list of records.
  private func score(_ value: JSONValue, _ path: [String]) -> Int? {
    guard value.isArray || isMap(value) else { return nil }
    let name = ParameterWords.plain(path[path.count - 1])
    var score = 0
    let sample = value.isArray ? Array(value.elements.prefix(Self.sampleMax)) : []
    if value.isObject {
      score = 60
    } else if sample.isEmpty {
      guard Self.usual.contains(name) || words.contains(name) else { return nil }
      score = 10
    } else if sample.allSatisfy(\.isObject) {
      score = 100
    } else {
      score = sample.allSatisfy(\.isArray) ? 40 : 20
    }
    score += min(value.count, 30) + (Self.usual.contains(name) ? 30 : 0)
    if words.contains(name) { score += 30 }
    if Self.unusual.contains(name) || name.holds("facet") { score -= 90 }
    return score - 5 * path.count
  }

  /// An object whose members are entries: `pages: { "12": {…}, "15": {…} }`.
  private func isMap(_ value: JSONValue) -> Bool {
    guard value.isObject, value.count >= 2 else { return false }
    let sample = value.members.prefix(Self.sampleMax).map(\.value)
    guard sample.allSatisfy(\.isObject) else { return false }
    let sets = sample.map { Set($0.members.compactMap { $0.key.string }) }
    let common = sets.dropFirst().reduce(sets[0]) { $0.intersection($1) }
    let most = sets.map(\.count).max() ?? 0
    let areNumbers = value.members.allSatisfy { $0.key.string.flatMap { Int($0) } != nil }
    return common.count * 2 >= most && most > 0 && (areNumbers || value.count >= 4)
  }
}
