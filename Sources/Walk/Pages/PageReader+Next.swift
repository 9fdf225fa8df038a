public import Base

/// Where the answer says that the list continues, and where it ends.
extension PageReader {
  /// Reads the next page that the answer names. Returns whether there was any sign of it: a sign without a next page
  /// says that this page is the last.
  func readNext(
    _ answer: Answer, _ root: JSONValue, at cursor: Cursor?, into page: inout Page
  ) throws(PageTrouble) -> Bool {
    guard let next = stream.pager.nextPage else { return false }
    let hasSign = try readNext(next, answer, root, at: cursor, into: &page)
    if hasSign, page.next == nil { page.signs.append(UnreadSign("next", .last, "")) }
    return hasSign && (page.next != nil || next.place != .link)
  }

  private func readNext(
    _ next: NextPage, _ answer: Answer, _ root: JSONValue, at cursor: Cursor?, into page: inout Page
  ) throws(PageTrouble) -> Bool {
    let named: String?
    switch next.place {
    case .link:
      try readLink(answer, into: &page)
      let links = answer.fields.values("Link")
      return LinkField.isReadable(links)
        && ["first", "prev", "previous", "last"].contains { LinkField.target($0, in: links) != nil }
    case .header(let name):
      guard let text = answer.fields[name]?.trimmingBlanks else { return false }
      named = text.isEmpty ? nil : try checked(text, "the header \"\(name)\"")
    case .body(let path):
      guard let value = path.first(in: root) else { return path.choosesNone(in: root) }
      named = try text(value, at: path)
    case .state(let path):
      guard let value = path.first(in: root) else { return false }
      named = try state(value, at: path)
    // Read later, with the records.
    case .record: return false
    }
    guard let named else { return true }
    if next.parameter != nil || next.isState {
      if !next.isEnd(named, at: cursor) { page.next = .token(named) }
    } else {
      try follow(named, of: answer, into: &page)
    }
    return true
  }

  /// What the header of an answer says without its body: a 304 is about the body only.
  public func head(of answer: Answer, at cursor: Cursor?) throws -> Page {
    var page = Page(document: try JSONDocument.read(Array("[]".utf8)), records: [])
    if stream.pager.namesNextInHead {
      _ = try readNext(answer, page.document.root, at: cursor, into: &page)
    }
    if let total = stream.total, total.field != nil {
      page.total = Self.total(total, answer, .nothing)
    }
    page.signs += signs.signs(of: answer, nil, beside: page.next)
    readLastPage(answer, .nothing, into: &page)
    return page
  }

  private func readLink(_ answer: Answer, into page: inout Page) throws(PageTrouble) {
    let links = answer.fields.values("Link")
    let last = LinkField.target("last", in: links)
    page.pageCount = last.flatMap(Self.pageNumber)
    // A list of one page may spell its address differently than the request.
    if let last, last != LinkField.target("first", in: links),
      let address = try? answer.address.resolving(last)  // an invalid one is treated as missing
    {
      page.last = .address(signs.withoutKey(address).description)
    }
    guard let target = LinkField.target("next", in: links) else { return }
    try follow(target, of: answer, into: &page)
  }

  /// The `page` parameter of the last page's address, if any: a template or an opaque position has no number, and none
  /// is needed.
  static func pageNumber(_ target: String) -> Int? {
    guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
    let pairs = NextState.pairs(String(target[target.utf8.index(after: mark)...]))
    return pairs.filter { $0.name == "page" }.compactMap { Int($0.value) }
      .first { (1...lengthMax).contains($0) }
  }

  /// Resolves a next address against the answer's own and removes any credential that the server echoed. An address at
  /// another origin is reported.
  private func follow(
    _ reference: String, of answer: Answer, into page: inout Page
  ) throws(PageTrouble) {
    let address: WebAddress
    do {
      address = signs.withoutKey(try answer.address.resolving(reference))
    } catch {
      // Treating it as the end of the list would silently lose the rest.
      throw PageTrouble.otherShape("the address of the next page cannot be read: \(error)")
    }
    page.next = .address(address.description)
    if address.origin != answer.address.origin { page.nextLeadsTo = address.origin }
  }

  /// The parameters of the next request; null and an empty object mean that there is none.
  private func state(_ value: JSONValue, at path: JSONPath) throws(PageTrouble) -> String? {
    if value.isNull || value.boolean == false { return nil }
    guard value.isObject, let token = NextState.token(value) else {
      throw PageTrouble.otherShape(
        "\"\(path)\" should hold the parameters of the next page, and "
          + "\(value.isObject ? "one of them is not text" : "\(Self.name(value.kind)) is there")")
    }
    return token.isEmpty ? nil : try checked(token, "\"\(path)\"")
  }

  /// The value of the last record received, even if it is rejected. If the page itself was requested with it, it leads
  /// no further.
  func readLastRecord(at cursor: Cursor?, into page: inout Page) throws(PageTrouble) {
    guard let next = stream.pager.nextPage, case .record(let last) = next.place,
      let record = page.records.last
    else { return }
    var named: String?
    for path in last.paths where named == nil {
      named = try path.value(in: record).flatMap { value throws(PageTrouble) in
        try text(value, at: path)
      }
    }
    guard let named else {
      let paths = last.paths.map(\.text).joined(separator: " | ")
      throw PageTrouble.otherShape(
        "the last record has nothing at \"\(paths)\", which names the next page")
    }
    let isSame = next.token(of: cursor).map { $0.utf8.elementsEqual(named.utf8) } ?? false
    if !isSame { page.next = .token(named) }
  }

  /// The last page's number or address, if the job says where it is.
  func readLastPage(_ answer: Answer, _ root: JSONValue, into page: inout Page) {
    guard let place = stream.lastPage else { return }
    let (said, shown): (String?, String)
    switch place {
    case .header(let name): (said, shown) = (answer.fields[name]?.trimmingBlanks, name)
    case .body(let paths):
      let value = paths.lazy.compactMap { $0.first(in: root) }.first { !$0.isNull }
      said = value.flatMap { $0.string ?? $0.rawNumber }
      shown = paths.map(\.text).joined(separator: " | ")
    }
    guard let said, !said.isEmpty else { return }
    if case .number(_, let first) = stream.pager {
      guard let pages = Int(said), (0...Self.lengthMax).contains(pages) else { return }
      page.pageCount = pages
      var sign = UnreadSign(shown, .pages, said, number: pages)
      if case .header = place { sign.isInHead = true }
      page.signs.append(sign)
      if pages > 0 { page.last = .number(first + pages - 1) }
    } else {
      let address = try? answer.address.resolving(said)  // an invalid one is treated as missing
      page.last = address.map { .address(signs.withoutKey($0).description) }
    }
  }

  /// The list's length as the answer states it.
  static func total(_ total: Total, _ answer: Answer, _ root: JSONValue) -> Int? {
    guard let field = total.field else {
      return total.paths.lazy.compactMap { $0.first(in: root).flatMap(Self.length) }.first
    }
    guard let text = answer.fields[field]?.trimmingBlanks else { return nil }
    // `items 0-24/319`
    let number = text.split(separator: "/").last.flatMap { Int($0) }
    return number.flatMap { (0...lengthMax).contains($0) ? $0 : nil }
  }

  private func checked(_ text: String, _ place: String) throws(PageTrouble) -> String {
    guard text.utf8.count > Self.referenceBytesMax else { return text }
    throw PageTrouble(
      cause: .parse,
      sentence: "\(place) names a next page in more than \(Self.referenceBytesMax) bytes")
  }

  /// A token or an address; null, false and "" mean that there is none.
  private func text(_ value: JSONValue, at path: JSONPath) throws(PageTrouble) -> String? {
    switch value.kind {
    case .string:
      guard let text = value.string, !text.isEmpty else { return nil }
      return try checked(text, "\"\(path)\"")
    case .integer, .hugeNumber, .real: return value.rawNumber
    case .null: return nil
    case .array where stream.isPositionInBody && value.count > 0:
      return try checked(ListToken.text(value), "\"\(path)\"")
    case .boolean where value.boolean == false: return nil
    case .boolean, .object, .array:
      throw PageTrouble.otherShape(
        "\"\(path)\" should name the next page, and \(Self.name(value.kind)) is there")
    }
  }
}
