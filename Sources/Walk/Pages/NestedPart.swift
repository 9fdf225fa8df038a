internal import Base

/// A nested list whose object says in a record that it is only a part:
/// `labels: { nodes: […], pageInfo: { hasNextPage: true } }`.
struct NestedPart: Sendable {
  private let list: JSONPath
  private let envelope: JSONPath
  private let reader: SignReader
  /// What precedes its steps in a sign.
  private let front: String

  /// Nil: no object of its own holds the list.
  init?(_ child: ChildTable, of stream: Stream, _ places: [Credential.Place]) {
    let steps = child.records.steps
    guard steps.count > 1, !child.records.hasWildcard,
      let envelope = try? JSONPath(JSONPath.text(of: steps.dropLast()))  // a path, too
    else { return nil }
    (list, self.envelope) = (child.records, envelope)
    reader = SignReader(stream, places, reading: [steps])
    let records = stream.records
    front = (records.isEmpty ? "" : "\(records.text).") + (records.hasWildcard ? "" : "*.")
  }

  /// Of the first record that says so.
  func sign(in records: [JSONValue], _ answer: Answer) -> UnreadSign? {
    for record in records {
      guard let object = envelope.first(in: record), object.isObject, object.count > 1 else {
        continue
      }
      var search = SignSearch(reader: reader, answer: answer, next: nil, count: nil)
      search.look(into: object, envelope.steps, level: 0)
      let entries = list.first(in: record)?.count ?? 0
      if let found = search.found.first(where: { isClear($0, entries, object) }) {
        return UnreadSign(front + found.place, .part, found.value, number: found.number)
      }
    }
    return nil
  }

  /// It may be an object of its own, with a total and a next one: what counts is a flag, an address
  /// with a query, an envelope's content, and a length that is called a count or beside a size.
  private func isClear(_ sign: UnreadSign, _ entries: Int, _ object: JSONValue) -> Bool {
    let steps = (try? JSONPath(sign.place))?.steps ?? []  // a sign's place is a path
    switch sign.kind {
    case .more:
      return ["true", "1"].contains(sign.value) || sign.value.utf8.contains(UInt8(ascii: "?"))
        || steps.count > envelope.steps.count + 1
    case .length:
      guard let number = sign.number, number > entries, let name = steps.last else { return false }
      return SignName.plain(name.utf8) == "totalcount"
        || object.members.contains { $0.key.string.map(SignName.isPlace) ?? false }
    default: return false
    }
  }
}
