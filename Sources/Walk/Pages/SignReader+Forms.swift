internal import Base

/// Signs by their form, under any name.
extension SignSearch {
  mutating func look(intoAnswer root: JSONValue) {
    guard root.isArray, root.count <= Self.partsMax else { return look(into: root, [], level: 0) }
    for (index, part) in root.elements.enumerated() where part.isObject {
      if !reader.isRead(["\(index)"]) { look(into: part, ["\(index)"], level: 0) }
    }
  }

  /// For an answer that is a list of parts: `[{ page: 1, total: 40 }, […]]`.
  private static let partsMax = 4

  /// `links: [{ rel: "next", href: … }]`
  mutating func look(
    atRelations list: JSONValue, _ path: [String], onlySkipped: Bool = false
  ) {
    for link in list.elements where link.isObject {
      guard let relation = link["rel"] ?? link["relation"] else { continue }
      let relations = ([relation] + relation.elements).compactMap { $0.string?.lowercased() }
      let target = link["href"] ?? link["url"] ?? link["uri"]
      if relations.contains("next"), target.map({ leads($0) && !isRead($0) }) ?? true {
        let skips = target.map { isSkipped($0) } ?? false
        if skips || !onlySkipped {
          add(path + ["next"], skips ? .part : .more, target.map { shown($0) } ?? "")
        }
      }
      if relations.contains("last"), let target, isBehind(target.string ?? "") {
        add(path + ["last"], .more, shown(target))
      }
      if !onlySkipped, relations.contains("prev") || relations.contains("previous"),
        precedes(target?.string ?? "")
      {
        add(path + ["prev"], .before, "")
      }
    }
  }

  /// Members with unlisted names, and their content: only what is unambiguous.
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
      // Its absence does not mean the end.
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

  /// Says something about the list only if it is right beside it.
  private mutating func look(beside value: JSONValue, _ name: SignName?, _ path: [String]) {
    let flag = Self.plainFlag(value)
    switch name {
    case .cut: if flag == true { add(path, .more, shown(value)) }
    case .endFlag: if flag == false { add(path, .more, shown(value)) }
    case .left: note(.left, value, path)
    case .archive: if !reader.stream.isSearch { add(path, .more, shown(value)) }
    // A counted total that its answer calls a bound does not count.
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

  /// Echoes of the request.
  private static let echoes: Set = ["params", "parameters", "request", "query"]

  /// An object with more members is a table of its own.
  private static let membersMax = 40

  /// Whether it names the same page as the next page that the job reads, as a token or an address. Some APIs
  /// name a next page even beyond the counted total.
  func isRead(_ value: JSONValue) -> Bool {
    let value = value.isObject ? Self.target(of: value) ?? value : value
    guard let text = value.string ?? value.rawNumber else { return false }
    if let total, let place = offset(in: text), place > total,
      offset(in: answer.address.description) ?? 0 >= total
    {
      return true
    }
    switch next {
    case .token(let token): return ([text] + values(of: text)).containsBytes(token)
    case .address(let address):
      let named = try? answer.address.resolving(text)  // no address: it may be a parameter of one
      return values(of: address).contains(text)
        || named.map { reader.withoutKey($0).description } == address
    default: return false
    }
  }

  /// Whether it names a page before the next one that the job reads, and behind this one.
  func isSkipped(_ value: JSONValue) -> Bool {
    let target = value.isObject ? Self.target(of: value) ?? value : value
    guard case .address(let read)? = next, let text = target.string,
      // What is no address names no page.
      let named = try? answer.address.resolving(text), let far = try? WebAddress(read),
      let step = step(from: named, to: far), let number = step.from
    else { return false }
    let own = parameters(answer.address)[step.name].flatMap { Int($0) } ?? .min
    return own < number && number < step.to
  }

  /// Whether this is the end, by a flag or by what names the last page.
  func saysEnd(_ value: JSONValue) -> Bool? {
    let target = value.isObject ? Self.target(of: value) : value
    return Self.plainFlag(value) ?? (isBehind(target?.string ?? "") ? false : nil)
  }

  /// Whether the last page that it names is behind this one, unless the job reads which page is the last, or the API
  /// only estimates it.
  func isBehind(_ last: String) -> Bool {
    guard reader.stream.lastPage == nil, !reader.stream.isSearch,
      let named = try? answer.address.resolving(last),  // what is no address names no page
      let step = step(from: answer.address, to: named)
    else { return false }
    // Page 1 may be requested without its number.
    return step.to > step.from ?? 1
  }

  /// Whether a page is before this one, and not only for what comes to the list later.
  func precedes(_ value: JSONValue) -> Bool {
    guard isPaged, leads(value) else { return false }
    let target = value.isObject ? Self.target(of: value) ?? value : value
    let text = target.string ?? PageReader.length(target).map(String.init) ?? ""
    return isPositioned || Self.plainFlag(value) == true || precedes(text)
  }

  /// Some chains always name one before: it is one if its number is lower, or if the job begins at a token without one.
  func precedes(_ text: String) -> Bool {
    guard let next = reader.stream.pager.nextPage else { return isPositioned }
    if let first = next.first, !["", "*"].contains(first) {
      guard let begin = Int(first) else { return true }
      if let number = Int(text) { return number < begin }
    }
    guard let named = try? answer.address.resolving(text),  // what is no address names no page
      let step = step(from: answer.address, to: named), let from = step.from
    else { return false }
    return step.to < from
  }

  /// The parameter in which the addresses of two pages differ, if it is one number only.
  private func step(
    from near: WebAddress, to far: WebAddress
  ) -> (name: String, from: Int?, to: Int)? {
    let (old, new) = (parameters(near), parameters(far))
    let others = new.filter { old[$0.key] != $0.value }
    guard near.path == far.path, others.count == 1, old.allSatisfy({ new[$0.key] != nil }),
      let (name, value) = others.first, let to = Int(value)
    else { return nil }
    // An address may say the size that is not requested.
    guard let before = old[name] else { return SignName.isSize(name) ? nil : (name, nil, to) }
    return Int(before).map { (name, $0, to) }
  }

  private func parameters(_ address: WebAddress) -> [String: String] {
    Dictionary(
      reader.withoutKey(address).pairs.map { ($0.name, $0.value) },
      uniquingKeysWith: { first, _ in first })
  }

  /// The position that an address names, for a list that is requested by positions.
  private func offset(in text: String) -> Int? {
    guard case .offset(let name) = reader.stream.pager, text.utf8.contains(UInt8(ascii: "?")),
      let address = try? answer.address.resolving(text)  // no address: no position
    else { return nil }
    return address.pairs.first { $0.name == name }.flatMap { Int($0.value) }
  }

  /// The query values of an address.
  private func values(of text: String) -> [String] {
    // Only an address has parameters.
    guard let address = try? answer.address.resolving(text) else { return [] }
    return address.pairs.map(\.value)
  }

  /// For a list declared as one answer: an address of the same place with another query. `/latest` and `/latest.json`
  /// are the same place.
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
    (reader.withoutKey(address).query ?? "").split(separator: "&")
      .map { PercentEncoding.decoded($0, plusIsSpace: true) }
      .sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// For a list declared as one answer: a page size that equals the number of records.
  private mutating func look(atSize value: JSONValue, _ path: [String]) {
    guard let count, SignName.isSize(path[path.count - 1]), PageReader.length(value) == count else {
      return
    }
    add(path, .unclear, "as many as came")
  }

  /// A list declared as one answer that has exactly as many records as its request asks for.
  mutating func lookAtSizeAsked() {
    guard let count else { return }
    let inAddress = answer.address.pairs.compactMap { pair in
      Int(pair.value).map { (path: [pair.name], number: $0) }
    }
    for (path, number) in inAddress + (reader.bodyNumbers?.all ?? [])
    where number == count && SignName.mayBeSize(path.last ?? "") {
      add(path, .unclear, "the request asks for as many as came")
    }
  }
}
