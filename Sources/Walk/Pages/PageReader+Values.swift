public import Base

extension PageReader {
  /// No real list is longer. Larger numbers are nonsense, and must not overflow.
  static let lengthMax = 1_000_000_000_000
  /// Longer tokens and addresses are refused: no server accepts them back.
  static let referenceBytesMax = 16_000

  /// A length: a whole number, possibly as text; never below zero.
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

  /// A flag: true or false, possibly as text or as 1 and 0.
  static func flag(_ value: JSONValue) -> Bool? {
    if let boolean = value.boolean { return boolean }
    if value.isString("true") || value.integer == 1 { return true }
    if value.isString("false") || value.integer == 0 { return false }
    return nil
  }

  /// The time of the last change, if it distinguishes later changes: it has seconds, so the server must have answered
  /// at least a second after it.
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

  /// The top level of an answer, in a few words.
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

  /// What to write if the API leaves an empty list out.
  static func emptyCure(_ root: JSONValue, _ due: String) -> String {
    guard root.isObject, root.count == 0, due.isEmpty else { return "" }
    return "; if that is how this API says that a list is empty, its job should say so: "
      + "errors: [{ is: \"{}\", then: \"empty\" }]"
  }

  /// Where a path meets a list that it does not enter; nil if nowhere.
  static func turn(of path: JSONPath, in root: JSONValue) -> String? {
    let steps = path.steps
    for count in stride(from: steps.count - 1, to: 0, by: -1) {
      let front = path[..<count]
      guard let value = front.first(in: root) else { continue }
      guard value.isArray else { return nil }
      if count == steps.count - 1, Int(steps[count]) != nil {
        let one = "\"\(path.text)\" is one of them"
        return told(value.count, at: front) + "; \(one): write records: \"\(front)\""
      }
      let whole = JSONPath.text(of: steps[..<count] + ["*"] + steps[count...])
      return "\"\(front)\" is a list; to go into each of its entries write \"\(whole)\""
    }
    return nil
  }

  /// The job's `keep` dropped all records; nil if it did not, or there were none.
  public static func emptyKeep(_ stream: Stream, _ counts: Counts) -> String? {
    guard let keep = stream.keep, counts.dropped > 0, counts.dropped == counts.received else {
      return nil
    }
    return "keep drops all \(Wording.count(counts.dropped, "record")): \(keep)"
  }

  /// A list from which the path selects one entry, though others are alike.
  struct ListOfMany {
    var front: JSONPath
    var rest: JSONPath
    var count: Int
    /// The entry is selected by a member's value (`groups[name=x]`), which may be intended.
    var isNamed: Bool

    /// The path of all records: a rest leads to lists of them.
    var whole: String {
      rest.isEmpty
        ? front.text
        : JSONPath.text(
          of: front.steps + ["*"] + rest.steps + (rest.hasWildcard ? [] : ["*"]))
    }

    var words: String {
      "one of \(Wording.number(count)) entries" + (rest.isEmpty ? "" : " with \"\(rest.text)\"")
    }
  }

  /// Nil if the path selects everything.
  static func listOfMany(_ path: JSONPath, in root: JSONValue) -> ListOfMany? {
    let steps = path.steps
    for (index, step) in steps.enumerated()
    where (Int(step) != nil || step.hasPrefix("[")) && !steps[..<index].contains("*") {
      let (front, rest) = (path[..<index], path[(index + 1)...])
      guard let list = front.first(in: root), list.isArray else { continue }
      let inner = rest.beforeAll
      let count = list.elements.count { entry in
        rest.isEmpty
          ? entry.isObject : inner.first(in: entry).map { $0.isArray && $0.count > 0 } ?? false
      }
      // A list of other things may have something at a fixed index.
      if count > 1, !rest.isEmpty || count == list.count {
        return ListOfMany(
          front: front, rest: rest, count: count, isNamed: Int(step) == nil && step != "[-1]")
      }
    }
    return nil
  }

  /// A page with more entries of its list beside the one that the job reads: it is only a part.
  static func partOfMany(of stream: Stream, in root: JSONValue) -> UnreadSign? {
    guard let many = listOfMany(stream.records, in: root), !many.isNamed else { return nil }
    return UnreadSign(
      stream.records.text, stream.isAskedInBatches ? .unclear : .part, many.words)
  }

  /// Where the job reads one entry of a list whose others are, or have, records too: its own, or one in its records; or
  /// where it reads lists as records.
  public static func oneOfMany(_ stream: Stream, in page: Page) -> String? {
    let (path, keys) = (stream.records, keyPaths(of: stream))
    if !keys.isEmpty, !page.records.isEmpty,
      page.records.allSatisfy({ $0.isArray && !hasKey($0, at: keys) })
    {
      let whole = JSONPath.text(of: path.steps + (path.hasWildcard ? ["*"] : ["*", "*"]))
      return "\"\(path.text)\" leads to lists of records: write records: \"\(whole)\""
    }
    let isMeant = stream.knows(UnreadSign(path.text, .part, ""))
    return (isMeant ? nil : oneOfMany(path, in: page.document.root))
      ?? stream.children.lazy.compactMap { child in
        page.records.lazy.compactMap { oneOfMany(child.records, in: $0, isNested: true) }.first
      }.first
  }

  /// - Parameter isNested: the path begins in a record; there an entry selected by a member's value is intended.
  public static func oneOfMany(
    _ path: JSONPath, in root: JSONValue, isNested: Bool = false
  ) -> String? {
    guard let many = listOfMany(path, in: root), !(isNested && many.isNamed) else { return nil }
    let one = "\"\(path.text)\" is \(many.rest.isEmpty ? "" : "of ")one of them"
    let meant = many.isNamed ? "; if that one is meant, unread should name the path" : ""
    return told(many.count, at: many.front) + "; \(one): write records: \"\(many.whole)\"\(meant)"
  }

  private static func told(_ count: Int, at place: JSONPath) -> String {
    let place = place.isEmpty ? "the answer" : "\"\(place)\""
    return "\(place) is a list of \(Wording.number(count))"
  }

  /// Reports null on the way to a list, and what to write if null means an empty list.
  static func null(on path: JSONPath, in root: JSONValue, mayBeEmpty: Bool) -> String? {
    for index in path.steps.indices {
      let front = path[...index]
      guard front.first(in: root)?.isNull == true else { continue }
      return "\"\(front)\" is null"
        + (mayBeEmpty
          ? "; if that is how this API says that a list is empty, its job should say so: "
            + "errors: [{ where: \"\(front)\", is: \"null\", then: \"empty\" }]" : "")
    }
    return nil
  }

  /// Another list in the answer whose entries all have the records' key.
  public static func otherList(of stream: Stream, in root: JSONValue) -> UnreadSign? {
    let keys = keyPaths(of: stream)
    func sign(_ steps: [String], _ list: JSONValue) -> UnreadSign? {
      guard !keys.isEmpty, list.isArray, list.count > 0, !stream.records.steps.starts(with: steps),
        list.elements.allSatisfy({ hasKey($0, at: keys) })
      else { return nil }
      return UnreadSign(JSONPath.text(of: steps), .unclear, Wording.count(list.count, "record"))
    }
    for member in root.members {
      guard let name = member.key.string else { continue }
      if let found = sign([name], member.value) { return found }
      for inner in member.value.members {
        if let key = inner.key.string, let found = sign([name, key], inner.value) { return found }
      }
    }
    return nil
  }

  /// Of each column of the key that comes from the record.
  static func keyPaths(of stream: Stream) -> [[JSONPath]] {
    stream.key.compactMap { stream.column($0)?.paths }.filter { !$0.isEmpty }
  }

  static func hasKey(_ record: JSONValue, at keys: [[JSONPath]]) -> Bool {
    keys.allSatisfy { $0.contains { $0.first(in: record).map { !$0.isNull } ?? false } }
  }

  /// A list that may be meant, at the top or one level down.
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
