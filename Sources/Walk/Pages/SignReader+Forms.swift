internal import Base

/// What is a sign by its form, under whatever name.
extension SignSearch {
  mutating func look(intoAnswer root: JSONValue) {
    guard root.isArray, root.count <= Self.partsMax else { return look(into: root, [], level: 0) }
    for (index, part) in root.elements.enumerated() where part.isObject {
      if !reader.isRead(["\(index)"]) { look(into: part, ["\(index)"], level: 0) }
    }
  }

  /// Of an answer that is a list of its parts: `[{ page: 1, total: 40 }, […]]`.
  private static let partsMax = 4

  /// A list on the way to the records: `boards.0.items`.
  mutating func look(intoElements list: JSONValue, _ path: [String], level: Int) {
    for step in reader.steps(below: path) {
      guard let index = Int(step), let element = list[index], element.isObject else { continue }
      look(into: element, path + [step], level: level)
    }
  }

  /// Members with unlisted names, and what they hold: only what cannot be meant otherwise.
  /// - Parameter isBeside: it is beside what the job reads, or in a usual envelope.
  mutating func look(
    atForm value: JSONValue, _ path: [String], level: Int, isBeside: Bool = false
  ) {
    let name = SignName.form(of: path[path.count - 1])
    switch value.kind {
    case .object where name == .next:
      if value.members.contains(where: { leads($0.value) && !isRead($0.value) }) {
        add(path, .more, shown(value))
      }
    case .object
    where level < Self.levelsMax && value.count <= Self.membersMax
      && !Self.echoes.contains(path[path.count - 1].lowercased()):
      for member in value.members {
        guard let key = member.key.string else { continue }
        look(atForm: member.value, path + [key], level: level + 1)
      }
    case .array: break
    default:
      // Its silence does not mean the end.
      switch name {
      case .flag where Self.plainFlag(value) == true: add(path, .more, shown(value))
      case .part where Self.plainFlag(value) == true: add(path, .part, shown(value))
      case .next: if leads(value), !isRead(value) { add(path, .more, shown(value)) }
      case .cursor: if leads(value), !isRead(value) { add(path, .cursor, shown(value)) }
      default:
        if isBeside { look(beside: value, name, path) }
        look(atAddress: value, path)
        look(atSize: value, path)
      }
    }
  }

  /// What says something about the list only if it is right beside it.
  private mutating func look(beside value: JSONValue, _ name: SignName?, _ path: [String]) {
    let flag = Self.plainFlag(value)
    switch name {
    case .cut: if flag == true { add(path, .more, shown(value)) }
    case .endFlag: if flag == false { add(path, .more, shown(value)) }
    case .left: if PageReader.length(value) ?? 0 > 0 { add(path, .more, shown(value)) }
    // A counted total that its answer calls a bound is none.
    case .bound: if countsTotal, flag == true { add(path, .unclear, shown(value)) }
    case .exact: if countsTotal, flag == false { add(path, .unclear, shown(value)) }
    case .relation:
      if countsTotal, ["gte", "gt", ">=", ">"].contains(value.string?.lowercased()) {
        add(path, .unclear, shown(value))
      }
    default:
      guard let list = reader.listName, let number = PageReader.length(value),
        SignName.isCount(path[path.count - 1], of: list)
      else { return }
      add(path, .count, shown(value), number)
    }
  }

  private var countsTotal: Bool {
    [.counted, .steady].contains(reader.stream.total?.trust)
  }

  /// What was asked, and not what came.
  private static let echoes: Set = ["params", "parameters", "request", "query"]

  /// An object with more of them is a table of its own.
  private static let membersMax = 40

  /// What names the same place as the next page that the job reads, in the form of a token or of an address.
  func isRead(_ value: JSONValue) -> Bool {
    let value = value.isObject ? Self.target(of: value) ?? value : value
    guard let text = value.string ?? value.rawNumber else { return false }
    switch next {
    case .token(let token): return text == token || values(of: text).contains(token)
    case .address(let address):
      let named = try? answer.address.resolving(text)  // no address: it may be a parameter of one
      return values(of: address).contains(text)
        || named?.removing(reader.places).description == address
    default: return false
    }
  }

  /// Of the parameters of an address.
  private func values(of text: String) -> [String] {
    // Only an address has parameters.
    guard let address = try? answer.address.resolving(text) else { return [] }
    return (address.query ?? "").split(separator: "&").compactMap { pair in
      pair.firstIndex(of: "=").map { NextState.decoded(pair[pair.index(after: $0)...]) }
    }
  }

  /// Of a list that is said to have no pages: an address of the same place with another query. `/latest` and
  /// `/latest.json` are one place.
  mutating func look(atAddress value: JSONValue, _ path: [String]) {
    guard reader.stream.pager == .single, let text = value.string,
      text.utf8.contains(UInt8(ascii: "?")), !SignName.isOfThisPage(path[path.count - 1]),
      let address = try? answer.address.resolving(text),  // no address: it leads nowhere
      place(of: address) == place(of: answer.address),
      query(of: address) != query(of: answer.address)
    else { return }
    add(path, .unclear, shown(value))
  }

  private func place(of address: WebAddress) -> Substring {
    var path = address.path[...]
    if path.hasSuffix("/") { path.removeLast() }
    guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return path }
    return path[..<dot]
  }

  private func query(of address: WebAddress) -> [[UInt8]] {
    (address.removing(reader.places).query ?? "").split(separator: "&")
      .map { PercentEncoding.decoded($0, plusIsSpace: true) }.sorted {
        $0.lexicographicallyPrecedes($1)
      }
  }

  /// Of a list that is said to have no pages: the size of a page, and exactly as many records came.
  private mutating func look(atSize value: JSONValue, _ path: [String]) {
    guard let count, SignName.isSize(path[path.count - 1]), PageReader.length(value) == count else {
      return
    }
    add(path, .unclear, "as many as came")
  }

  /// A list that is said to have no pages, and holds exactly as many records as its request has for a number.
  mutating func lookAtSizeAsked() {
    guard let count else { return }
    for pair in (answer.address.query ?? "").split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, Int(parts[1]) == count else { continue }
      add([NextState.decoded(parts[0])], .unclear, "as many as came")
    }
  }
}
