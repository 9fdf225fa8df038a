internal import Base

/// Finds the key of records: a member that each record has, with a different value in each.
struct KeySearch {
  /// Pages without overlap, except records that came twice.
  let pages: [[JSONValue]]
  /// Other pages, each on its own: they may repeat records.
  var others: [[JSONValue]] = []
  /// The word for one record: `video` for videos.
  let singular: String
  /// Unique within one page is enough; another page may repeat values.
  var isWithinEach = false

  private static let levelsMax = 3

  /// How much a name suggests a key; other names are merely unique.
  private static let worth: [String: Int] = [
    "id": 100, "uuid": 96, "guid": 96, "pageid": 92, "key": 78, "sha": 77, "digest": 77, "slug": 75,
    "code": 74, "login": 73, "username": 73, "number": 72, "name": 70, "url": 66, "htmlurl": 66,
    "link": 65, "href": 65, "uri": 65, "path": 60, "email": 50, "title": 30, "isbn": 76, "doi": 76,
    "ean": 76, "sku": 76, "issn": 76, "handle": 72,
  ]
  /// Last words of names for numbers or identifiers: `ticket_no`, `orderNumber`.
  private static let endings: Set = [
    "no", "nr", "number", "num", "key", "code", "ref", "uuid", "guid",
  ]
  /// Objects that wrap the record itself.
  private static let wrappers: Set = [
    "id", "node", "item", "data", "record", "resource", "resourceid", "document", "attributes",
    "fields", "properties", "snippet", "entity", "source",
  ]

  /// The paths of all members that may be the key, best first.
  func all() -> [[String]] {
    let records = pages.flatMap { $0 }
    guard let first = records.first else { return [] }
    if !first.isObject, !first.isArray {
      return isUnique([]) ? [[]] : []
    }
    var candidates: [[String]] = []
    gather(first, [], &candidates)
    let scored = candidates.enumerated().compactMap { order, path in
      isUnique(path) ? (score: score(path), order: order, path: path) : nil
    }
    return scored.sorted { ($1.score, $0.order) < ($0.score, $1.order) }.map(\.path)
  }

  private func gather(_ value: JSONValue, _ path: [String], _ found: inout [[String]]) {
    if value.isArray {
      for at in 0..<min(value.count, 20) { found.append([String(at)]) }
      return
    }
    for member in value.members {
      guard let key = member.key.string, JSONPath.isSayable(key) else { continue }
      if member.value.isObject, path.count + 1 < Self.levelsMax {
        gather(member.value, path + [key], &found)
      } else if member.value.isString || member.value.kind == .integer {
        found.append(path + [key])
      }
    }
  }

  private func score(_ path: [String]) -> Int {
    let plain = ParameterWords.plain(path[path.count - 1])
    var score = Self.worth[plain] ?? 10
    if plain == singular + "id" {
      score = 94
    } else if plain.hasSuffix("id"), plain != "id", !plain.hasSuffix("pageid") {
      score = 80
    }
    // `id: { kind: …, videoId: … }`
    if path.count > 1, ParameterWords.plain(path[path.count - 2]) == "id" { score += 12 }
    if path.count == 1, Int(path[0]) == 0 { score = 60 }
    if score == 10 {
      let words = PlainName.snake(path[path.count - 1]).split(separator: "_").map(String.init)
      let last = words.last ?? ""
      if words.count > 1, Self.endings.contains(last) { score = 60 }
      // The address of something that belongs to the record.
      if ["url", "uri", "href", "link"].contains(last) { score = 5 }
    }
    // The id of a nested object is that object's key, such as a ticket's author.
    let strangers = path.dropLast().count { step in
      let plain = ParameterWords.plain(step)
      return plain != singular && !Self.wrappers.contains(plain)
    }
    return score - 8 * (path.count - 1) - 37 * strangers
  }

  func isUnique(_ path: [String]) -> Bool {
    var seen: [[UInt8]: JSONValue] = [:]
    var repeated = 0
    for (index, page) in (pages + others).enumerated() {
      if isWithinEach || index >= pages.count { seen = [:] }
      for record in page {
        guard let value = Self.value(path, in: record),
          value.kind == .integer || value.isString && !value.isString("")
        else { return false }
        // A record that came twice is still one record.
        if let before = seen.updateValue(record, forKey: value.json) {
          if path.isEmpty || before.json != record.json { return false }
          repeated += 1
        }
      }
    }
    return repeated * 10 <= (pages + others).reduce(0) { $0 + $1.count }
  }

  static func value(_ path: [String], in record: JSONValue) -> JSONValue? {
    var value = record
    for step in path {
      let inner = value.isArray ? Int(step).flatMap { value[$0] } : value[step]
      guard let inner else { return nil }
      value = inner
    }
    return value
  }
}
