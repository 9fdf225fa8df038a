internal import Base

/// Finds signs of more of the list, or of its length, that the job does not read. It searches the objects on the path
/// to what the job reads and the usual ones beside it, never records: its cost does not grow with a page.
struct SignReader: Sendable {
  let stream: Stream
  let places: [Credential.Place]
  /// The paths of records, next page, flag and total that the job reads.
  private let read: [[String]]
  /// If the whole answer is a record, its members are the record's own.
  private let hasEnvelope: Bool
  private let isNested: Bool
  /// For a list declared as one answer.
  let bodyNumbers: BodyNumbers?

  /// - Parameter read: the only paths that are read.
  init(_ stream: Stream, _ places: [Credential.Place], reading read: [[String]]) {
    (self.stream, self.places, self.read) = (stream, places, read)
    (hasEnvelope, isNested, bodyNumbers) = (true, true, nil)
  }

  init(_ stream: Stream, _ places: [Credential.Place], of unit: Unit?) {
    self.stream = stream
    self.places = places
    // The container of a wildcard's records is the list itself, not an envelope. Columns are the lists in theirs.
    let records =
      Array(stream.records.steps.prefix { $0 != "*" }) + (stream.readsColumns ? ["*"] : [])
    var read = [records] + (stream.more + (stream.total?.paths ?? [])).map(\.stepsBeforeChoice)
    switch stream.pager.nextPage?.place {
    case .body(let path), .state(let path): read.append(path.stepsBeforeChoice)
    case .header, .link, .record, nil: break
    }
    if case .body(let paths) = stream.lastPage { read += paths.map(\.stepsBeforeChoice) }
    self.read = read.filter { !$0.isEmpty }
    (hasEnvelope, isNested) = (!records.isEmpty, false)
    bodyNumbers = stream.pager == .single ? BodyNumbers(stream, of: unit) : nil
  }

  /// - Parameters:
  ///   - next: the next page that the job reads.
  ///   - total: the counted total that it reads.
  func signs(
    of answer: Answer, _ root: JSONValue?, beside next: Cursor? = nil, total: Int? = nil
  ) -> [UnreadSign] {
    var search = SignSearch(
      reader: self, answer: answer, next: next, total: total,
      count: root.flatMap { count(in: $0) })
    if let root, hasEnvelope { search.look(intoAnswer: root) }
    search.lookAtSizeAsked()
    let inBody = search.found.count
    search.look(atHeadOf: answer)
    search.look(atStatusOf: answer)
    for index in search.found.indices.dropFirst(inBody) { search.found[index].isInHead = true }
    return stream.unread.isEmpty ? search.found : search.found.filter { !stream.knows($0) }
  }

  /// The number of records, if the list is declared as one answer; nil: one record suggests no page size.
  private func count(in root: JSONValue) -> Int? {
    guard stream.pager == .single else { return nil }
    var list = stream.records.first(in: root)
    if stream.readsColumns { list = list?.members.first { $0.value.isArray }?.value }
    let count =
      stream.records.hasWildcard
      ? stream.records.entries(in: root)?.count : list.flatMap { $0.isArray ? $0.count : nil }
    return count.flatMap { $0 > 1 ? $0 : nil }
  }

  /// Steps that the job reads right below this path.
  func steps(below path: [String]) -> [String] {
    read.compactMap { way in
      way.count > path.count && way.starts(with: path) ? way[path.count] : nil
    }
  }

  func isRead(_ path: [String]) -> Bool { read.contains(path) }

  /// Without a credential that the server echoes.
  func withoutKey(_ address: WebAddress) -> WebAddress {
    address.removing(echoed: places, besides: stream.query)
  }

  /// The name of the list.
  var listName: String? { isNested ? read.last?.last : stream.records.steps.last }
}

/// One search through one answer.
struct SignSearch {
  let reader: SignReader
  let answer: Answer
  let next: Cursor?
  let total: Int?
  let count: Int?
  var found: [UnreadSign] = []

  /// Envelopes are nested, but not deeply.
  static let levelsMax = 3
  private static let shownMax = 80

  /// - Parameter envelope: the container's plain name.
  mutating func look(
    into object: JSONValue, _ path: [String], level: Int, inside envelope: String? = nil
  ) {
    let ways = reader.steps(below: path)
    // An entry of a list on the path: `boards.0.items`, `results[-1].items`.
    for step in ways where object.isArray && !reader.isRead(path + [step]) {
      // No path: a name, which no list has.
      guard let entry = (try? JSONPath(step))?.first(in: object) else { continue }
      look(into: entry, path + [step], level: level)
    }
    var seen: [String] = []
    let isThing =
      reader.stream.pager == .single && object["jsonrpc"] == nil
      && [object["id"], object["name"]].contains {
        $0.map { !$0.isNull && !$0.isArray } ?? false
      }
    for member in object.members {
      let plain = member.key.withUTF8 { SignName.plain($0) } ?? nil
      let way = ways.first { member.key.isString($0) || $0 == "*" && member.value.isArray }
      let isOnTheWay = way != nil
      let meaning = plain.flatMap {
        let isOfThing =
          isThing && SignName.ofThings.contains($0)
          && (member.value.isString || member.value.boolean == false)
        return isOfThing ? nil : Self.meaning($0, in: object, envelope)
      }
      let isEnvelope = plain.map { SignName.isEnvelope($0) } ?? false
      guard let key = member.key.string else { continue }
      let inner = path + [way ?? key]
      if !isOnTheWay, let plain, let lost = SignName.lostParts[plain],
        member.value["successful"] != nil
      {
        for name in lost {
          if let value = member.value[name] { note(.part, value, inner + [name]) }
        }
        continue
      }
      guard isOnTheWay || isEnvelope || meaning != nil else {
        look(atForm: member.value, inner, level: level, isBeside: true)
        continue
      }
      if seen.contains(key) {
        add(path + [key], .twice, shown(member.value))
        continue
      }
      seen.append(key)
      let isLinks = member.value.isArray && (plain == "links" || plain == "link")
      if reader.isRead(inner) {
        // The job may read another link than the next one.
        if isLinks { look(atRelations: member.value, inner, onlySkipped: true) }
        continue
      }
      if isOnTheWay && member.value.isArray
        || member.value.isObject && (isOnTheWay || isEnvelope || meaning == .count),
        level < Self.levelsMax
      {
        look(into: member.value, inner, level: isOnTheWay ? level : level + 1, inside: plain)
      } else if isLinks {
        look(atRelations: member.value, inner)
      } else if let meaning {
        note(meaning, member.value, inner)
      } else {
        look(atAddress: member.value, inner)
      }
    }
  }

  private static func meaning(
    _ plain: String, in object: JSONValue, _ envelope: String?
  ) -> SignName? {
    if let asked = SignName.wholeTables[plain], object[asked] != nil { return nil }
    return switch envelope {
    // Each member is needed for the next request, whatever its name.
    case "continue", "querycontinue": .next
    // These are on the last page too.
    case "cursor", "cursors": plain == "after" ? .cursor : SignName.of(member: plain)
    default: SignName.of(member: plain)
    }
  }

  var isPositioned: Bool { reader.stream.pager.isPositioned }
  var isPaged: Bool { reader.stream.pager != .single }

  mutating func note(_ meaning: SignName, _ value: JSONValue, _ path: [String]) {
    let number = PageReader.length(value)
    switch meaning {
    case .next:
      if !isRead(value) {
        add(path, isSkipped(value) ? .part : leads(value) ? .more : .end, shown(value))
      }
    case .flag:
      let says = PageReader.flag(value) ?? leads(value)
      add(path, says ? .more : .end, shown(value))
    case .part: if PageReader.flag(value) ?? leads(value) { add(path, .part, shown(value)) }
    case .endFlag:
      if let isEnd = saysEnd(value) { add(path, isEnd ? .end : .more, shown(value)) }
    case .length: noteLength(value, path)
    case .count: if let number { add(path, .count, shown(value), number) }
    case .pages:
      if let isLast = saysEnd(value) {
        add(path, isLast ? .end : .more, shown(value))
      } else if let number {
        add(path, .pages, shown(value), number)
      }
    case .page: if let number { add(path, .page, shown(value), number) }
    case .cursor: if leads(value), !isRead(value) { add(path, .cursor, shown(value)) }
    case .notice: if isNotice(value) { add(path, .notice, shown(value)) }
    case .status: if isBadNews(value) { add(path, .notice, shown(value)) }
    case .errorCode:
      let code = value.integer ?? value.string.flatMap { Int64($0) }
      if code.map({ $0 != 0 && !(200...299).contains($0) }) ?? isBadNews(value) {
        add(path, .notice, shown(value))
      }
    case .success:
      if isFailure(value, path) { add(path, .notice, shown(value)) }
    case .before: if precedes(value) { add(path, .before, shown(value)) }
    case .firstFlag:
      if isPaged, Self.plainFlag(value) == false { add(path, .before, shown(value)) }
    case .begin:
      // An offset that is not a number.
      if path.last?.lowercased() == "offset", let text = value.string, leads(value),
        Double(text) == nil, !isRead(value)
      {
        add(path, .cursor, shown(value))
      }
      // A page that is one page after the first.
      if isPositioned, let number, number > 0, number == reader.stream.size?.value {
        add(path, .before, shown(value))
      }
    case .left: if let number, number > 0 { add(path, .more, shown(value)) }
    case .cut, .bound, .exact, .relation, .archive: break  // only by their form
    }
  }

  /// A number, possibly as text; or an object that says what kind of number it is.
  private mutating func noteLength(_ value: JSONValue, _ path: [String]) {
    if value.isObject {
      guard let inner = value["value"] ?? value["count"] ?? value["total"] else { return }
      // "At least": the search stopped counting.
      let isBound = value["relation"]?.isString("gte") ?? false
      if isBound {
        add(path, .unclear, "at least \(shown(inner))")
      } else if let number = PageReader.length(inner) {
        add(path, .length, shown(inner), number)
      }
    } else if let number = PageReader.length(value) {
      add(path, .length, shown(value), number)
    } else if value.isString && !value.isString("") || value.isNumber {
      add(path, .unclear, shown(value))
    }
  }

  /// Null, false, empty and zero name no page.
  func leads(_ value: JSONValue) -> Bool {
    switch value.kind {
    case .null: false
    case .boolean: value.boolean == true
    case .string: !(value.isString("") || value.isString("0"))
    case .integer, .real, .hugeNumber: value.integer.map { $0 > 0 } ?? true
    case .array: value.count > 0
    case .object: (Self.target(of: value) ?? value["page"]).map { leads($0) } ?? (value.count > 0)
    }
  }

  /// The address or token in an object that names a next page.
  static func target(of value: JSONValue) -> JSONValue? {
    ["href", "url", "link", "after", "cursor", "token"].lazy.compactMap { value[$0] }.first
  }

  static func plainFlag(_ value: JSONValue) -> Bool? {
    value.isNumber ? nil : PageReader.flag(value)
  }

  // MARK: the head

  mutating func look(atHeadOf answer: Answer) {
    lookAtLinks(answer)
    for field in answer.fields.all {
      let text = field.value.trimmingBlanks
      guard let plain = SignName.plain(field.name.utf8), !isRead(field: field.name) else {
        continue
      }
      if plain == "warning", text.lowercased().holds("truncat") {
        add([field.name], .part, shown(text))
      } else if plain == "xpagination" || plain == "pagination", text.hasPrefix("{") {
        if let document = try? JSONDocument.read(Array(text.utf8)) {  // else it cannot be read
          look(into: document.root, [field.name], level: 1)
        }
      } else if let meaning = SignName.of(field: plain)
        ?? (SignName.mayLeadOn(plain) ? Self.form(ofField: field.name) : nil)
      {
        note(meaning, field.name, text)
      }
    }
  }

  /// For a non-standard header field: only what names a place to continue.
  private static func form(ofField name: String) -> SignName? {
    let form = SignName.form(of: name)
    return form == .next || form == .cursor ? form : nil
  }

  private func isRead(field name: String) -> Bool {
    var read = [reader.stream.total?.field]
    if case .header(let next) = reader.stream.pager.nextPage?.place { read.append(next) }
    if case .header(let last) = reader.stream.lastPage { read.append(last) }
    return read.contains { $0?.equalsIgnoringCase(name) ?? false }
  }

  private mutating func note(_ meaning: SignName, _ name: String, _ text: String) {
    // A header field is text; as a JSON value it is weighed like a member.
    if let value = JSONValue(text: text.jsonText) { note(meaning, value, [name]) }
  }

  private mutating func lookAtLinks(_ answer: Answer) {
    let values = answer.fields.values("Link")
    guard !values.isEmpty else { return }
    let isOwn = reader.stream.pager.nextPage?.place == .link
    let nexts = LinkField.targets("next", in: values)
    if nexts.dropFirst().contains(where: { $0 != nexts[0] }) {
      add(["Link"], .twice, "rel=next")
    }
    if !LinkField.isReadable(values) {
      let namesNext = values.contains { $0.lowercased().holds("next") }
      add(["Link"], isOwn && namesNext && nexts.isEmpty ? .more : .unclear, "cannot be read")
    }
    let previous = ["prev", "previous"].lazy.compactMap { LinkField.target($0, in: values) }.first
    if let previous, precedes(previous) { add(["Link"], .before, "rel=prev") }
    if isOwn { return }
    if let next = nexts.first {
      add(["Link"], .more, "rel=next \(shown(next))")
    } else if let last = LinkField.target("last", in: values), isBehind(last) {
      add(["Link"], .more, "rel=last \(shown(last))")
    } else if LinkField.target("first", in: values) != nil {
      add(["Link"], .end, "no rel=next")
    } else if let last = LinkField.target("last", in: values), reader.stream.pager == .single,
      let pages = PageReader.pageNumber(last)
    {
      add(["Link"], .pages, "rel=last \(shown(last))", pages)
    }
  }

  // MARK: the status

  /// Statuses for a part, a difference, or nothing to keep; and the range of a part.
  mutating func look(atStatusOf answer: Answer) {
    let name = ["Content-Range", "X-Content-Range"].first { answer.fields[$0] != nil } ?? ""
    let range = answer.fields[name].map { $0.trimmingBlanks }
    var isRangeClear = false
    if let range {
      if let total = range.split(separator: "/").last.flatMap({ Int($0) }),
        (0...PageReader.lengthMax).contains(total)
      {
        let isWholeBody = range.lowercased() == "bytes 0-\(total - 1)/\(total)"
        if !isRead(field: name), !isWholeBody { add([name], .length, shown(range), total) }
        isRangeClear = true
      } else if answer.status == 206 || !range.hasSuffix("/*") {
        add([name], .unclear, shown(range))
        isRangeClear = true
      }
    }
    switch answer.status {
    case 205: add(["status"], .unclear, "205")
    case 206: if !isRangeClear { add(["status"], .part, "206, a part") }
    case 207: add(["status"], .part, "207, several answers in one")
    case 226: add(["status"], .part, "226, a difference")
    default: break
    }
  }

  // MARK: what is shown

  mutating func add(
    _ path: [String], _ kind: UnreadSign.Kind, _ value: String, _ number: Int? = nil
  ) {
    found.append(UnreadSign(JSONPath.text(of: path), kind, value, number: number))
  }

  func shown(_ value: JSONValue) -> String {
    value.string.map { shown($0) }
      ?? String(decoding: value.json, as: UTF8.self).shortened(to: Self.shownMax)
  }

  /// An address without credential parameters.
  private func shown(_ text: String) -> String {
    let isReference = text.utf8.contains { "/?".utf8.contains($0) }
    guard isReference, !reader.places.isEmpty,
      let address = try? answer.address.resolving(text)  // no address: nothing to take off
    else { return text.shortened(to: Self.shownMax) }
    return reader.withoutKey(address).description.shortened(to: Self.shownMax)
  }
}
