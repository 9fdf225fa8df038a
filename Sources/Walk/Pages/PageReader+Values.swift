public import Base

extension PageReader {
  /// No list is longer. Anything larger is nonsense, and must not overflow in arithmetic.
  static let lengthMax = 1_000_000_000_000
  /// Longer tokens and addresses are refused: no server takes them back.
  static let referenceBytesMax = 16_000

  /// A length: a whole number, also as text; never below zero.
  static func length(_ value: JSONValue) -> Int? {
    let number: Int?
    if let whole = value.integer {
      number = Int(exactly: whole)
    } else if let text = value.string {
      number = Int(text)
    } else if let real = value.real {
      number = Int(exactly: real)
    } else {
      number = nil
    }
    return number.flatMap { (0...lengthMax).contains($0) ? $0 : nil }
  }

  /// A flag: true, false, also as text or as 1 and 0.
  static func flag(_ value: JSONValue) -> Bool? {
    if let boolean = value.boolean { return boolean }
    if value.isString("true") || value.integer == 1 { return true }
    if value.isString("false") || value.integer == 0 { return false }
    return nil
  }

  /// The time of its last change, if that distinguishes it from later ones: it has seconds, so that
  /// a second must have gone by when the server made the answer.
  static func lastModified(_ answer: Answer) -> String? {
    guard answer.age == nil, let text = answer.fields["Last-Modified"],
      let changed = Instant(httpDate: text), let made = answer.toldDate,
      made - changed >= .seconds(1)
    else { return nil }
    return text
  }

  static func name(_ kind: JSONValue.Kind) -> String {
    switch kind {
    case .object: "an object"
    case .array: "a list"
    case .string: "text"
    case .boolean: "true or false"
    case .null: "null"
    case .integer, .real, .hugeNumber: "a number"
    }
  }

  /// What is at the top of an answer, in a few words.
  static func told(_ root: JSONValue) -> String {
    guard root.isObject else { return "the answer is \(name(root.kind))" }
    let shown = 8
    // cut: the sentence says how many more
    let keys = root.members.prefix(shown).compactMap { $0.key.string }.map { $0.shortened(to: 40) }
    if keys.isEmpty { return "the answer is an empty object" }
    let rest = root.count > shown ? " and \(root.count - shown) more" : ""
    let list = listPath(in: root).map { "; a list is at \"\($0)\"" } ?? ""
    let said = ServerWords.said(root).map { "; it says \"\($0)\"" } ?? ""
    return "the answer has \(keys.joined(separator: ", "))\(rest)\(list)\(said)"
  }

  /// Where a path comes upon a list that it does not go into; nil: nowhere.
  static func turn(of path: JSONPath, in root: JSONValue) -> String? {
    let steps = path.steps
    for count in stride(from: steps.count - 1, to: 0, by: -1) {
      let front = JSONPath.text(of: Array(steps[..<count]))
      // Steps of a path make a path.
      guard let value = (try? JSONPath(front))?.first(in: root) else { continue }
      guard value.isArray else { return nil }
      if count == steps.count - 1, let one = oneOf(value, at: front, steps[count]) { return one }
      let whole = JSONPath.text(of: steps[..<count] + ["*"] + steps[count...])
      return "\"\(front)\" is a list; to go into each of its entries write \"\(whole)\""
    }
    return nil
  }

  /// The job's `keep` left none of these records; nil: it did, or there were none.
  public static func emptyKeep(_ stream: Stream, _ counts: Counts) -> String? {
    guard let keep = stream.keep, counts.dropped > 0, counts.dropped == counts.received else {
      return nil
    }
    return "keep drops all \(Wording.count(counts.dropped, "record")): \(keep)"
  }

  /// The path names one entry of a list, which is a record as the others are; nil: it does not.
  public static func oneOfMany(_ path: JSONPath, in root: JSONValue) -> String? {
    guard let last = path.steps.last else { return nil }
    let front = JSONPath.text(of: path.steps.dropLast())
    // Steps of a path make a path; none of them are the answer itself.
    guard let list = path.steps.count == 1 ? root : (try? JSONPath(front))?.first(in: root),
      list.isArray, list.count > 1, list.elements.allSatisfy(\.isObject)
    else { return nil }
    return oneOf(list, at: front, last)
  }

  private static func oneOf(_ list: JSONValue, at front: String, _ last: String) -> String? {
    guard Int(last) != nil else { return nil }
    let isAnswer = front == "."
    let place = isAnswer ? "the answer" : "\"\(front)\""
    let one = isAnswer ? last : "\(front).\(last)"
    return "\(place) is a list of \(Wording.number(list.count)); \"\(one)\" is one of them: "
      + "write records: \"\(front)\""
  }

  /// Where a person may have meant, in the answer or one member deep.
  private static func listPath(in root: JSONValue) -> String? {
    func first(_ value: JSONValue) -> String? {
      value.members.first { $0.value.isArray }.flatMap {
        $0.key.string?.shortened(to: 40)
      }
    }
    if let found = first(root) { return found }
    for member in root.members where member.value.isObject {
      if let found = first(member.value), let name = member.key.string {
        return "\(name.shortened(to: 40)).\(found)"
      }
    }
    return nil
  }

  static func and(_ reason: String) -> String { reason.isEmpty ? "" : ", and \(reason)" }
}
