internal import Base

/// A nested list of which its record says that it is only a part: `labels: { nodes: […], pageInfo: {
/// hasNextPage: true } }`, or `labels: […], labels_count: 9`.
struct NestedPart: Sendable {
  private let list: JSONPath
  /// The object that holds the list, if it is not the record.
  private let envelope: JSONPath?
  private let reader: SignReader
  /// What precedes its steps in a sign.
  private let front: String

  init?(_ child: ChildTable, of stream: Stream, _ places: [Credential.Place]) {
    let steps = child.records.steps
    guard !steps.isEmpty, !child.records.hasWildcard else { return nil }
    list = child.records
    // Steps of a path make a path.
    envelope = steps.count > 1 ? try? JSONPath(JSONPath.text(of: steps.dropLast())) : nil
    reader = SignReader(stream, places, reading: [steps])
    let records = stream.records
    front = (records.isEmpty ? "" : "\(records.text).") + (records.hasWildcard ? "" : "*.")
  }

  /// Of the first record that says so.
  func sign(in records: [JSONValue], _ answer: Answer) -> UnreadSign? {
    for record in records {
      if let found = sign(inEnvelopeOf: record, answer) ?? sign(beside: list.steps, in: record) {
        return UnreadSign(front + found.place, .part, found.value, number: found.number)
      }
    }
    return nil
  }

  private func sign(inEnvelopeOf record: JSONValue, _ answer: Answer) -> UnreadSign? {
    guard let envelope, let object = envelope.first(in: record), object.isObject, object.count > 1
    else { return nil }
    var search = SignSearch(reader: reader, answer: answer, next: nil, count: nil)
    search.look(into: object, envelope.steps, level: 0)
    let entries = list.first(in: record)?.count ?? 0
    return search.found.first { isClear($0, entries, object, envelope.steps) }
  }

  /// It may be an object of its own, with a total and a next one: what counts is a flag, an address
  /// with a query, an envelope's content, and a length that is called a count, beside a size, or in what
  /// is called like a list.
  private func isClear(
    _ sign: UnreadSign, _ entries: Int, _ object: JSONValue, _ envelope: [String]
  ) -> Bool {
    let steps = (try? JSONPath(sign.place))?.steps ?? []  // a sign's place is a path
    switch sign.kind {
    case .more:
      return ["true", "1"].contains(sign.value) || sign.value.utf8.contains(UInt8(ascii: "?"))
        || steps.count > envelope.count + 1
    case .length, .count:
      guard let number = sign.number, number > entries, let name = steps.last else { return false }
      return SignName.plain(name.utf8) == "totalcount" || envelope.last?.hasSuffix("s") == true
        || sign.kind == .length
          && object.members.contains { $0.key.string.map(SignName.isPlace) ?? false }
    default: return false
    }
  }

  /// Beside the list, or beside the object that holds it, by their names.
  private func sign(beside steps: [String], in record: JSONValue) -> UnreadSign? {
    guard let entries = list.first(in: record), entries.isArray else { return nil }
    for count in steps.indices.reversed() {
      let (outer, name) = (Array(steps[..<count]), steps[count])
      // Steps of a path make a path.
      guard let object = (try? JSONPath(JSONPath.text(of: outer)))?.first(in: record),
        let stem = SignName.plain(SignName.stem(name).utf8), !stem.isEmpty
      else { continue }
      for member in object.members {
        guard member.value.isNumber || member.value.boolean == true || member.value.isString,
          let key = member.key.string, let plain = SignName.plain(key.utf8), plain.holds(stem),
          plain.utf8.count > stem.utf8.count, says(member.value, key, name, entries.count)
        else { continue }
        return UnreadSign(
          JSONPath.text(of: outer + [key]), .part,
          member.value.string ?? String(decoding: member.value.json, as: UTF8.self),
          number: PageReader.length(member.value))
      }
    }
    return nil
  }

  private func says(_ value: JSONValue, _ key: String, _ name: String, _ entries: Int) -> Bool {
    if value.boolean == true { return SignName.saysMore(key, of: name) }
    if let number = PageReader.length(value) {
      return number > entries && SignName.isCount(key, of: name) && !SignName.hasQuantities(name)
    }
    return value.string?.utf8.contains(UInt8(ascii: "?")) == true && SignName.isNext(key, of: name)
  }
}
