internal import Base

/// The columns that the records of a list can fill.
struct FieldSurvey {
  struct Column: Sendable {
    var name = ""
    var path: [String]
    /// `integer`, `time`, …; nil is text.
    var type: String?
    var remark: String?
    /// It holds the address of an image.
    var isImage = false
  }

  struct Child: Sendable {
    var name: String
    var path: [String]
    var key: String?
    var columns: [Column]
  }

  private(set) var columns: [Column] = []
  private(set) var children: [Child] = []
  /// What was left out, and why.
  private(set) var remarks: [String] = []
  /// Without names.
  private var found: [Column] = []
  private var nested: [(path: [String], lists: [[JSONValue]])] = []

  /// More columns should be chosen by the user.
  static let columnsMax = 60
  static let recordsMax = 300
  private static let levelsMax = 3
  private static let membersMax = 40

  /// - Parameter key: the path of the member that identifies records, whose column comes first; nil: their position
  ///   identifies them.
  init(
    _ records: [JSONValue], names: [String] = [], key: [String]?, withChildren: Bool = true
  ) {
    // cut: `trawl try` shows members of later records
    let records = Array(records.prefix(Self.recordsMax))
    let isOfRows = records.first?.isArray ?? false
    if isOfRows {
      surveyRows(records)
    } else if let first = records.first, !first.isObject {
      note([], records)
    } else {
      survey(records, [], withChildren: withChildren)
    }
    if let at = found.firstIndex(where: { $0.path == key }) { found.swapAt(0, at) }
    nameColumns(isOfRows ? names : [], hasKey: key != nil)
    if withChildren { nameChildren() }
    let more = remarks.count - Self.remarksMax
    guard more > 0 else { return }
    remarks = remarks.prefix(Self.remarksMax) + ["and \(Wording.number(more)) more like these"]
  }

  private static let remarksMax = 20

  /// Surveys records that are lists: `[1, "Ada"]`; some answers name their columns elsewhere.
  private mutating func surveyRows(_ rows: [JSONValue]) {
    let rows = rows.map { Array($0.elements) }
    let longest = rows.map(\.count).max() ?? 0
    for at in 0..<min(longest, Self.positionsMax) {
      note([String(at)], rows.compactMap { at < $0.count ? $0[at] : nil })
    }
    if longest > Self.positionsMax {
      remarks.append("\(longest - Self.positionsMax) more values of a record were not looked at")
    }
  }

  private static let positionsMax = 200

  private mutating func survey(_ objects: [JSONValue], _ path: [String], withChildren: Bool) {
    var order: [String] = []
    var values: [String: [JSONValue]] = [:]
    for object in objects {
      for member in object.members {
        guard let key = member.key.string else { continue }
        if values[key] == nil { order.append(key) }
        values[key, default: []].append(member.value)
      }
    }
    for key in order {
      let inner = path + [key]
      guard JobText.isMember(key) else {
        remarks.append("a member called \(key.shown.debugDescription): no path can name it")
        continue
      }
      let all = (values[key] ?? []).filter { !$0.isNull }
      let inside = all.filter(\.isObject)
      if all.isEmpty {
        remarks.append("\(JSONPath.text(of: inner)): null in every record")
      } else if inside.count == all.count {
        surveyObjects(inside, inner)
      } else if withChildren, path.isEmpty, all.allSatisfy(\.isArray) {
        let lists = all.map { Array($0.elements) }
        let entries = lists.flatMap { $0 }
        if !entries.isEmpty, entries.allSatisfy(\.isObject) {
          nested.append((inner, lists))
        } else {
          note(inner, all)
        }
      } else {
        note(inner, all)
      }
    }
  }

  private mutating func surveyObjects(_ objects: [JSONValue], _ path: [String]) {
    let members = objects.map(\.count).max() ?? 0
    if members == 0 { return }
    if let one = Self.choice(objects[0]) {
      remarks.append(
        "\(JSONPath.text(of: path)): \(members) objects of one form; only \(one.shown) is taken")
      survey(objects.compactMap { $0[one] }.filter(\.isObject), path + [one], withChildren: false)
    } else if path.count < Self.levelsMax, members <= Self.membersMax {
      survey(objects, path, withChildren: false)
    } else {
      let remark = "an object of \(Wording.count(members, "member")), kept as it is"
      found.append(Column(path: path, type: "json", remark: remark))
    }
  }

  /// The one to keep of many similar objects, such as image sizes.
  private static func choice(_ object: JSONValue) -> String? {
    let sets = object.members.map { Set($0.value.members.compactMap { $0.key.string }) }
    guard object.count >= 4, sets.allSatisfy({ !$0.isEmpty }),
      sets.allSatisfy({ $0.contains("url") || $0 == sets[0] })
    else { return nil }
    let names = object.members.compactMap { $0.key.string }.filter(JSONPath.isSayable)
    return ["original", "high", "large", "full", "medium", "default"].first(where: names.contains)
      ?? names.first
  }

  private mutating func note(_ path: [String], _ values: [JSONValue]) {
    let values = values.filter { !$0.isNull }
    guard !values.isEmpty else { return }
    let (type, remark) = Self.type(of: values, called: path.last ?? "")
    let isImage = type == "url" && Self.namesImage(path, values)
    found.append(Column(path: path, type: type, remark: remark, isImage: isImage))
  }

  // MARK: types

  private static func type(of values: [JSONValue], called name: String) -> (String?, String?) {
    if values.contains(where: { $0.isObject || $0.isArray }) { return ("json", nil) }
    if values.allSatisfy({ $0.boolean != nil }) { return ("boolean", nil) }
    if values.allSatisfy(\.isNumber) {
      guard values.allSatisfy({ $0.integer != nil && $0.kind == .integer }) else {
        return values.contains { $0.kind == .hugeNumber || $0.integer == nil && $0.unsigned != nil }
          ? (nil, "beyond 64 bits") : ("real", nil)
      }
      if isEpoch(values, name) { return ("time", "written as seconds or milliseconds") }
      return ("integer", nil)
    }
    guard values.allSatisfy(\.isString) else { return (nil, "numbers and texts are mixed") }
    let texts = values.filter { !$0.isString("") }
    guard !texts.isEmpty else { return (nil, "empty in every record") }
    if let time = timeType(texts) { return time }
    if texts.allSatisfy(isAddress) { return ("url", nil) }
    return (nil, nil)
  }

  private static func timeType(_ texts: [JSONValue]) -> (String?, String?)? {
    var hasTime = true
    var hasZone = true
    for text in texts {
      guard case .moment(let moment)? = text.withUTF8({ TimeReader.read($0) }) else { return nil }
      hasTime = hasTime && moment.hasTime
      hasZone = hasZone && moment.offsetMinutes != nil
    }
    if !hasTime { return ("date", nil) }
    return hasZone
      ? ("time", nil) : ("time in UTC", "no zone is written there: UTC is a guess")
  }

  private static func isEpoch(_ values: [JSONValue], _ name: String) -> Bool {
    let plain = ParameterWords.plain(name)
    let isCalledSo =
      ["time", "date", "timestamp", "created", "updated", "modified", "createdutc", "createdat"]
      .contains(plain)
      || ["_at", "At", "_time", "Time", "_date", "Date", "_ts", "timestamp", "_on"]
        .contains(where: name.hasSuffix)
    return isCalledSo
      && values.allSatisfy {
        let number = $0.integer ?? 0
        return (500_000_000...4_000_000_000).contains(number)
          || (500_000_000_000...4_000_000_000_000).contains(number)
      }
  }

  private static func isAddress(_ value: JSONValue) -> Bool {
    guard let text = value.string, text.hasPrefix("https://") || text.hasPrefix("http://") else {
      return false
    }
    return (try? WebAddress(text)) != nil  // only whether it is one matters here
  }

  private static let imageWords = [
    "avatar", "image", "thumb", "picture", "photo", "icon", "cover", "logo", "poster", "still",
    "screenshot", "img",
  ]

  private static func namesImage(_ path: [String], _ values: [JSONValue]) -> Bool {
    let name = path.joined(separator: ".").lowercased()
    let endings = [".jpg", ".jpeg", ".png", ".gif", ".webp"]
    let hasEnding = values.prefix(3).allSatisfy { value in
      let text = (value.string ?? "").lowercased().prefix { $0 != "?" }
      return endings.contains { text.hasSuffix($0) }
    }
    return hasEnding || imageWords.contains { name.holds($0) }
  }

  // MARK: names

  private static let common: Set = [
    "id", "name", "url", "type", "value", "href", "kind", "title", "key", "code", "count", "label",
  ]

  private mutating func nameColumns(_ names: [String], hasKey: Bool) {
    var uses: [String: Int] = [:]
    for field in found { uses[PlainName.snake(field.path.last ?? ""), default: 0] += 1 }
    // Records without a key are identified by a column of this name.
    var taken: Set<String> = hasKey ? [] : ["position"]
    for field in found {
      if columns.count == Self.columnsMax {
        remarks.append(
          "\(found.count - columns.count) more members: \(Self.columnsMax) columns were drafted")
        break
      }
      // A record that is a plain text may be its own key.
      let last = PlainName.snake(field.path.last ?? (hasKey ? "id" : "value"))
      let isPlain = field.path.count <= 1 || uses[last] == 1 && !Self.common.contains(last)
      var text = isPlain ? last : field.path.joined(separator: "_")
      if field.path.count == 1, let at = Int(field.path[0]), at >= 0 {
        text = names.indices.contains(at) ? names[at] : "column_\(at)"
      }
      var column = field
      column.name = PlainName.unique(DraftNames.plain(text, else: "column"), &taken)
      columns.append(column)
    }
  }

  private mutating func nameChildren() {
    var taken: Set<String> = []
    for (path, lists) in nested {
      let survey = FieldSurvey(lists.flatMap { $0 }, key: [], withChildren: false)
      guard !survey.columns.isEmpty else { continue }
      let keys = KeySearch(pages: lists, singular: "", isWithinEach: true).all()
        .filter { $0.count == 1 }
      let name = PlainName.unique(DraftNames.plain(path[0], else: "entries"), &taken)
      children.append(
        Child(
          name: name, path: path,
          key: keys.lazy.compactMap { key in survey.columns.first { $0.path == key }?.name }.first,
          columns: survey.columns))
    }
  }
}
