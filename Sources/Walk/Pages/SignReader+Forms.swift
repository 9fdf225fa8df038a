internal import Base

/// What is a sign by its form, under whatever name.
extension SignSearch {
  /// A list on the way to the records: `boards.0.items`.
  mutating func look(intoElements list: JSONValue, _ path: [String], level: Int) {
    for step in reader.steps(below: path) {
      guard let index = Int(step), let element = list[index], element.isObject else { continue }
      look(into: element, path + [step], level: level)
    }
  }

  /// Members of names that nobody listed, and what they hold: only what cannot be meant otherwise.
  mutating func look(atForm value: JSONValue, _ path: [String], level: Int) {
    let name = SignName.form(of: path[path.count - 1])
    switch value.kind {
    case .object where level < Self.levelsMax && value.count <= Self.membersMax:
      for member in value.members {
        guard let key = member.key.string else { continue }
        look(atForm: member.value, path + [key], level: level + 1)
      }
    case .array: break
    default:
      // That it does not say so is no word for the end.
      switch name {
      case .flag: if Self.plainFlag(value) == true { add(path, .more, shown(value)) }
      case .next: if leads(value) { add(path, .more, shown(value)) }
      case .cursor: if leads(value) { add(path, .cursor, shown(value)) }
      default: look(atAddress: value, path)
      }
    }
  }

  /// An object with more of them is a table of its own.
  private static let membersMax = 40

  /// Of a list that is said to have no pages: an address of the same place with another query.
  mutating func look(atAddress value: JSONValue, _ path: [String]) {
    guard reader.stream.pager == .single, let text = value.string,
      text.utf8.contains(UInt8(ascii: "?")), !SignName.isOfThisPage(path[path.count - 1]),
      let address = try? answer.address.resolving(text),  // no address: it leads nowhere
      address.path == answer.address.path, query(of: address) != query(of: answer.address)
    else { return }
    add(path, .unclear, shown(value))
  }

  private func query(of address: WebAddress) -> [[UInt8]] {
    (address.removing(reader.places).query ?? "").split(separator: "&")
      .map { PercentEncoding.decoded($0, plusIsSpace: true) }.sorted {
        $0.lexicographicallyPrecedes($1)
      }
  }

  /// A list that is said to have no pages, and holds exactly as many records as its request has for a number.
  mutating func look(atSizeOf root: JSONValue) {
    guard reader.stream.pager == .single,
      let list = reader.stream.records.first(in: root), list.isArray, list.count > 1
    else { return }
    for pair in (answer.address.query ?? "").split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, Int(parts[1]) == list.count else { continue }
      let name = String(
        decoding: PercentEncoding.decoded(parts[0], plusIsSpace: true), as: UTF8.self)
      add([name], .unclear, "as many as came")
    }
  }
}
