internal import Base

/// A nested list that its record calls incomplete: `labels: { nodes: […], pageInfo: { hasNextPage: true } }`, or
/// `labels: […], labels_count: 9`.
struct NestedPart: Sendable {
  private let list: JSONPath
  /// The list and its containers, from the inside: each with its name and its parent.
  private let levels: [Level]
  /// The object that contains the list, if it is not the record.
  private let envelope: JSONPath?
  private let reader: SignReader
  /// The prefix of a sign's path.
  private let front: String

  private struct Level {
    var path: JSONPath
    var name: String
    var stem: String
  }

  init?(_ child: ChildTable, of stream: Stream, _ places: [Credential.Place]) {
    let steps = child.records.steps
    guard !steps.isEmpty, !child.records.hasWildcard else { return nil }
    list = child.records
    envelope = steps.count > 1 ? list[..<(steps.count - 1)] : nil
    reader = SignReader(stream, places, reading: [steps])
    levels = steps.indices.reversed().compactMap { index in
      guard let stem = SignName.plain(SignName.stem(steps[index]).utf8), !stem.isEmpty
      else { return nil }
      return Level(path: child.records[..<index], name: steps[index], stem: stem)
    }
    let records = stream.records
    front = (records.isEmpty ? "" : "\(records.text).") + (records.hasWildcard ? "" : "*.")
  }

  /// The first record's sign.
  func sign(in records: [JSONValue], _ answer: Answer) -> UnreadSign? {
    for record in records {
      guard let entries = list.first(in: record), entries.isArray else { continue }
      if let found = sign(inEnvelopeOf: record, entries, answer)
        ?? sign(beside: entries, in: record)
      {
        return UnreadSign(front + found.place, .part, found.value, number: found.number)
      }
    }
    return nil
  }

  private func sign(
    inEnvelopeOf record: JSONValue, _ entries: JSONValue, _ answer: Answer
  ) -> UnreadSign? {
    guard let envelope, let object = envelope.first(in: record), object.isObject, object.count > 1
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
      let isOfList = SignName.isEntries(list.steps.last ?? "", of: envelope.last ?? "")
      return SignName.plain(name.utf8) == "totalcount" || isOfList
        || sign.kind == .length
          && object.members.contains { $0.key.string.map(SignName.isPlace) ?? false }
    default: return false
    }
  }

  /// Signs by name beside the list, or beside an object that contains it.
  private func sign(beside entries: JSONValue, in record: JSONValue) -> UnreadSign? {
    for level in levels {
      guard let object = level.path.first(in: record) else { continue }
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
