internal import Base
internal import Walk

/// What an answer says about its list besides the records.
struct Envelope: Sendable {
  /// A member about further pages, or about a length.
  struct Mark: Sendable {
    var path: [String]
    var meaning: SignName
    var value: JSONValue

    var name: String { path[path.count - 1] }
    var text: String { JSONPath.text(of: path) }
    /// A length, even if written as text.
    var number: Int? {
      value.integer.flatMap { Int(exactly: $0) } ?? value.string.flatMap { Int($0) }
    }
  }

  var marks: [Mark] = []

  private static let levelsMax = 3

  /// - Parameter records: the steps to them.
  init(_ root: JSONValue, records: [String]) {
    guard root.isObject, !records.isEmpty else { return }
    look(into: root, [], records, level: 0, inside: "")
  }

  private mutating func look(
    into object: JSONValue, _ path: [String], _ records: [String], level: Int, inside: String
  ) {
    for member in object.members {
      guard let key = member.key.string, JobText.isMember(key) else { continue }
      let inner = path + [key]
      if inner == Array(records.prefix(inner.count)),
        inner.count == records.filter({ $0 != "*" }).count
      {
        continue
      }
      let plain = ParameterWords.plain(key)
      let isOnTheWay = inner == Array(records.prefix(inner.count))
      if member.value.isObject, isOnTheWay || SignName.isEnvelope(plain), level < Self.levelsMax {
        look(into: member.value, inner, records, level: level + (isOnTheWay ? 0 : 1), inside: plain)
      } else if let meaning = Self.meaning(plain, inside, member.value) {
        if member.value.isObject, let (step, target) = Self.target(of: member.value) {
          marks.append(Mark(path: inner + [step], meaning: meaning, value: target))
        } else if let first = member.value[0], let (step, target) = Self.target(of: first) {
          marks.append(Mark(path: inner + ["0", step], meaning: meaning, value: target))
        } else if !member.value.isObject, !member.value.isArray {
          marks.append(Mark(path: inner, meaning: meaning, value: member.value))
        }
      }
    }
  }

  private static func meaning(
    _ plain: String, _ inside: String, _ value: JSONValue
  ) -> SignName? {
    // An offset that is not a number leads to the next page.
    if plain == "offset", let text = value.string, !text.isEmpty, Double(text) == nil {
      return .next
    }
    if inside == "continue" || inside == "querycontinue" {
      return plain == "continue" ? nil : .next
    }
    return SignName.of(member: plain)
  }

  /// `next: { href: … }`, `total: { value: … }`
  private static func target(of value: JSONValue) -> (String, JSONValue)? {
    for step in ["url", "href", "link", "uri", "token", "cursor", "value", "count"] {
      if let target = value[step], !target.isObject, !target.isArray { return (step, target) }
    }
    return nil
  }

  func all(_ meaning: SignName) -> [Mark] { marks.filter { $0.meaning == meaning } }

  /// The stated length of the whole list.
  var total: Mark? {
    all(.length).first { $0.number != nil } ?? all(.count).first { $0.number != nil }
  }

  /// A flag, and its value while more pages follow.
  var flag: (mark: Mark, saysMore: Bool)? {
    if let mark = first(flag: .flag) { return (mark, true) }
    return first(flag: .endFlag).map { ($0, false) }
  }

  private func first(flag meaning: SignName) -> Mark? {
    all(meaning).first {
      $0.value.boolean != nil && !Self.ofThisAnswer.contains(ParameterWords.plain($0.name))
    }
  }

  /// Flags about how an answer was made, not about pages.
  private static let ofThisAnswer: Set = [
    "partial", "ispartial", "incomplete", "isincomplete", "incompleteresults", "timedout",
    "complete",
    "iscomplete", "done", "isdone", "finished", "isfinished", "exhausted",
  ]
}
