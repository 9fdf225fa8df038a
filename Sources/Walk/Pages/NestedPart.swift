internal import Base

/// A list that its holder calls incomplete: `labels: { nodes: […], pageInfo: { hasNextPage: true } }`, or
/// `labels: […], labels_count: 9`. The holder is a record, or an entry of a list on the way: `groups.*.items.*`.
struct NestedPart: Sendable {
  private let holders: JSONPath
  private let list: JSONPath
  /// The list and its containers, from the inside: each with its name and its parent.
  private let levels: [Level]
  /// The object that contains the list, if it is not the record: an entry on the way counts as one.
  private let envelope: JSONPath?
  private let reader: SignReader
  /// The prefix of a sign's path.
  private let front: String

  private struct Level {
    var path: JSONPath
    var name: String
    var stem: String
  }

  /// For each list on the path of nested lists, or on that of the stream's own records: there the first one is not
  /// nested.
  static func all(
    on child: JSONPath? = nil, of stream: Stream, _ places: [Credential.Place]
  ) -> [NestedPart] {
    let path = child ?? stream.records
    let wildcards = path.steps.indices.filter { path.steps[$0] == "*" }
    let starts = [0] + wildcards.map { $0 + 1 }
    return zip(starts, wildcards.isEmpty ? [path.steps.count] : wildcards).compactMap {
      $0 < $1 && (child != nil || $0 > 0)
        ? NestedPart(path[$0..<$1], in: path[..<$0], of: stream, places, isInRecord: child != nil)
        : nil
    }
  }

  private init(
    _ list: JSONPath, in holders: JSONPath, of stream: Stream, _ places: [Credential.Place],
    isInRecord: Bool
  ) {
    (self.list, self.holders) = (list, holders)
    let steps = list.steps
    envelope = steps.count > 1 || !holders.isEmpty ? list[..<(steps.count - 1)] : nil
    reader = SignReader(stream, places, reading: [steps])
    levels = steps.indices.reversed().compactMap { index in
      guard let stem = SignName.plain(SignName.stem(steps[index]).utf8), !stem.isEmpty
      else { return nil }
      return Level(path: list[..<index], name: steps[index], stem: stem)
    }
    let records = stream.records
    let record = isInRecord ? records.steps + (records.hasWildcard ? [] : ["*"]) : []
    front = JSONPath.text(of: record + holders.steps) + "."
  }

  /// The first sign in these values: records, or the answer.
  func sign(in values: [JSONValue], _ answer: Answer) -> UnreadSign? {
    for value in values {
      var found: UnreadSign?
      _ = holders.contains(in: value) { holder in
        found = sign(of: holder, answer)
        return found != nil
      }
      if let found { return found }
    }
    return nil
  }

  private func sign(of holder: JSONValue, _ answer: Answer) -> UnreadSign? {
    guard let entries = list.first(in: holder), entries.isArray,
      let found = sign(inEnvelopeOf: holder, entries, answer) ?? sign(beside: entries, in: holder)
    else { return nil }
    return UnreadSign(front + found.place, .part, found.value, number: found.number)
  }

  private func sign(
    inEnvelopeOf holder: JSONValue, _ entries: JSONValue, _ answer: Answer
  ) -> UnreadSign? {
    guard let envelope, let object = envelope.first(in: holder), object.isObject, object.count > 1
    else { return nil }
    var search = SignSearch(reader: reader, answer: answer, next: nil, total: nil, count: nil)
    search.look(into: object, envelope.steps, level: 0)
    let isSaidWhole = search.found.contains {
      $0.kind == .end || [.length, .count].contains($0.kind) && $0.number == entries.count
    }
    return search.found.first {
      !($0.kind == .cursor && isSaidWhole) && isClear($0, entries, object, envelope.steps)
    }
  }

  /// It may be an object of its own, with a total and a next one. What counts is a flag, an address with a query, an
  /// envelope's content, and a length named a count, beside a size, or of an object that is only the list.
  private func isClear(
    _ sign: UnreadSign, _ entries: JSONValue, _ object: JSONValue, _ envelope: [String]
  ) -> Bool {
    let steps = (try? JSONPath(sign.place))?.steps ?? []  // a sign's place is a path
    switch sign.kind {
    case .more:
      return ["true", "1"].contains(sign.value) || sign.value.utf8.contains(UInt8(ascii: "?"))
        || steps.count > envelope.count + 1
        || steps.last.map { SignName.isOfPages($0) } ?? false
    case .cursor:
      return steps.last == "cursor" && steps.count == envelope.count + 1
        && !["node", "data"].contains(envelope.last)
        && SignName.isEntries(list.steps.last ?? "", of: envelope.last ?? "")
    case .length, .count:
      guard let number = sign.number, number > entries.count, let name = steps.last,
        !haveQuantities(entries)
      else { return false }
      // An entry on the way may be a thing with a total of its own.
      let isThing =
        envelope.isEmpty
        && object.members.contains { member in
          guard member.value.isNumber || member.value.string != nil, let key = member.key.string
          else { return false }
          return SignName.of(member: SignName.plain(key.utf8) ?? "") == nil
        }
      let isOfList =
        !isThing && SignName.isEntries(list.steps.last ?? "", of: envelope.last ?? "")
      return SignName.plain(name.utf8) == "totalcount" || isOfList
        || sign.kind == .length
          && object.members.contains { $0.key.string.map(SignName.isPlace) ?? false }
    default: return false
    }
  }

  /// Signs by name beside the list, or beside an object that contains it.
  private func sign(beside entries: JSONValue, in holder: JSONValue) -> UnreadSign? {
    for level in levels {
      guard let object = level.path.first(in: holder) else { continue }
      for member in object.members {
        let text = member.value.string
        guard member.value.isNumber || member.value.boolean == true || text?.holds("?") == true,
          let key = member.key.string, let plain = SignName.plain(key.utf8),
          says(member.value, key, plain, level, entries)
        else { continue }
        return UnreadSign(
          JSONPath.text(of: level.path.steps + [key]), .part,
          text ?? String(decoding: member.value.json, as: UTF8.self),
          number: PageReader.length(member.value))
      }
    }
    return nil
  }

  private func says(
    _ value: JSONValue, _ key: String, _ plain: String, _ level: Level, _ entries: JSONValue
  ) -> Bool {
    let name = level.name
    if value.boolean == true, plain.holds("truncated") || plain.holds("omitted"),
      SignName.saysCut(key, of: name)
    {
      return true
    }
    guard plain.holds(level.stem), plain.utf8.count > level.stem.utf8.count else { return false }
    if value.boolean == true { return SignName.saysMore(key, of: name) }
    guard let number = PageReader.length(value) else { return SignName.isNext(key, of: name) }
    return number > entries.count && SignName.isCount(key, of: name) && !haveQuantities(entries)
  }

  /// A count beside the entries may be a sum of theirs: the pieces in a cart, the votes of a poll.
  private func haveQuantities(_ entries: JSONValue) -> Bool {
    entries.elements.contains { entry in
      entry.members.contains {
        $0.value.isNumber && ($0.key.string.map(SignName.isQuantity) ?? false)
      }
    }
  }
}
