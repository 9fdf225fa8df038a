internal import Base
internal import Walk

/// A way in which page 2 may be requested.
enum Paging: Sendable, Equatable {
  case link
  case url(at: [String])
  case token(parameter: String, at: [String])
  case headerToken(parameter: String, field: String)
  case headerURL(field: String)
  /// All members of an object go into the next request.
  case each(at: [String])
  /// After the last record.
  case after(parameter: String)
  case number(parameter: String, first: Int)
  case offset(parameter: String)

  /// The answer names the address of the next page.
  var isNamed: Bool {
    switch self {
    case .link, .url, .headerURL: true
    default: false
    }
  }
}

/// One way to try.
struct Guess: Sendable {
  var paging: Paging
  var address: WebAddress
  /// `page 2, as page=2`
  var purpose: String
  /// The parameter whose value is a text of the answer.
  var text: String?
}

/// Every way that page 1 suggests, most likely first.
struct PagingGuesses {
  let subject: Subject
  let page: Sample
  let key: [String]?

  private(set) var all: [Guess] = []
  /// What the user should know about the attempts.
  private(set) var remarks: [String] = []

  init(_ subject: Subject, _ page: Sample, key: [String]?) {
    self.subject = subject
    self.key = key
    self.page = page
    addLink()
    addStates()
    addMembers()
    addLinks()
    addFields()
    addCursors()
    addLast()
    if sizePlace?.isSure ?? false {
      addOffsets()
      addNumbers()
    } else {
      addNumbers()
      addOffsets()
    }
    addKnownPlaces()
    var seen: Set<WebAddress> = [page.answer.address]
    all = all.filter { seen.insert($0.address).inserted }
  }

  private var sizeName: String? {
    subject.parameters.map { subject.word($0.name) }.first(where: ParameterWords.isSize)
  }

  /// The name of the position parameter, derived from that of the size.
  private var sizePlace: (name: String, isSure: Bool)? {
    sizeName.flatMap(ParameterWords.place)
  }

  private mutating func addLink() {
    guard let target = LinkField.target("next", in: page.answer.fields.values("Link")) else {
      return
    }
    follow(target, .link, "the header Link (rel=next)")
  }

  /// Never follows to another origin.
  private mutating func follow(_ target: String, _ paging: Paging, _ place: String) {
    // The next page of a POST is requested by its body.
    if subject.body != nil { return }
    guard let address = try? page.answer.address.resolving(target) else {  // no address: no way on
      remarks.append("\(place) names a next page that is not an address that can be requested")
      return
    }
    guard address.origin == subject.origin else {
      remarks.append("\(place) leads to another origin, \(address.origin): it was not followed")
      return
    }
    all.append(
      Guess(
        paging: paging, address: address.removing(subject.place), purpose: "page 2, by \(place)"))
  }

  private mutating func addMembers() {
    let marks = page.envelope.all(.next)
    for mark in marks {
      if let text = mark.value.string, Self.isReference(text) {
        follow(text, .url(at: mark.path), mark.text)
      }
    }
    for mark in marks {
      if let text = mark.value.string, !text.isEmpty, !Self.isReference(text) {
        addTokens(mark, text)
      } else if let number = mark.value.integer, mark.value.kind == .integer {
        addTokens(mark, String(number))
      }
    }
  }

  /// `continue: { apcontinue: …, continue: … }`
  private mutating func addStates() {
    for name in ["continue", "query-continue"] {
      guard let state = page.document.root[name], state.isObject, state.count > 0 else { continue }
      let pairs = state.members.compactMap { member -> Subject.Parameter? in
        guard let key = member.key.string, let value = member.value.text else {
          return nil
        }
        return Subject.Parameter(key, value)
      }
      guard pairs.count == state.count else { continue }
      add(.each(at: [name]), pairs, "with all members of \(name)")
    }
  }

  /// `links: [{ rel: "next", href: … }]`
  private mutating func addLinks() {
    for name in ["links", "link"] {
      guard let list = page.document.root[name], list.isArray, page.path != [name] else { continue }
      for link in list.elements where link.isObject {
        guard let test = ["rel", "relation"].first(where: { link[$0]?.isString("next") ?? false }),
          let target = ["href", "url", "uri"].first(where: { link[$0]?.isString ?? false }),
          let text = link[target]?.string
        else { continue }
        follow(
          text, .url(at: [name, "[\(test)=next]", target]), "the link \(name) (rel=next)")
      }
    }
  }

  /// If more records follow and nothing says where: perhaps after the last record.
  private mutating func addLast() {
    let isWanted = ParameterWords.after.contains { subject.value(of: $0) != nil }
    let saysMore = page.envelope.flag.map { $0.mark.value.boolean == $0.saysMore } ?? false
    guard isWanted || saysMore && all.isEmpty, let key, let last = page.records.last,
      let value = KeySearch.value(key, in: last), let text = value.text
    else { return }
    // A time is a filter, not a record.
    let sent = ParameterWords.after.filter {
      subject.value(of: $0).map { !Self.isTime($0) } ?? false
    }
    let names = isWanted ? sent : ["starting_after"]
    for name in names {
      add(
        .after(parameter: name), [.init(name, text)],
        "with the last record's \(JSONPath.text(of: key)) as \(name)", isText: value.isString)
    }
  }

  static func isTime(_ text: String) -> Bool {
    var text = text
    if case .moment? = text.withUTF8({ TimeReader.read($0) }) { return true }
    return false
  }

  static func isReference(_ text: String) -> Bool {
    text.hasPrefix("http://") || text.hasPrefix("https://") || text.hasPrefix("/")
      || text.hasPrefix("?") || text.holds("?") && text.holds("=")
  }

  private mutating func addTokens(_ mark: Envelope.Mark, _ token: String) {
    for wished in parameters(for: mark) {
      let name = subject.value(of: wished) == nil ? subject.own(wished) : wished
      add(
        .token(parameter: name, at: mark.path), [.init(name, token)],
        "with \(mark.text) as \(name)", isText: mark.value.isString)
    }
  }

  /// `nextPageToken` is usually sent back as `pageToken`.
  private func parameters(for mark: Envelope.Mark) -> [String] {
    let inside = mark.path.dropLast().last.map(ParameterWords.plain)
    if inside == "continue" || inside == "querycontinue" { return [mark.name] }
    let rest = Self.withoutNext(mark.name)
    let isSent = subject.parameters.map(\.name).filter {
      let plain = ParameterWords.plain(rest)
      let sent = ParameterWords.plain(subject.word($0))
      return sent == plain || plain.utf8.count >= 5 && sent.hasSuffix(plain)
    }
    switch ParameterWords.plain(mark.name) {
    case "endcursor": return ["after", "cursor"]
    case "next" where inside == "cursors" || inside == "cursor": return ["cursor", "after"]
    case "next": return ["cursor", "next", "_next"]
    default:
      if !isSent.isEmpty { return isSent }
      // Text is not a page number. At most two ways per name: each costs a request.
      let isCursor = ["page", "record", "records"].contains(rest) && mark.number == nil
      if isCursor { return ["cursor", rest] }
      let other = subject.body == nil ? mark.name : "start_\(rest)"
      return rest == other ? [rest] : [rest, other]
    }
  }

  private static func withoutNext(_ name: String) -> String {
    for prefix in ["next_", "next-", "next", "after_"] where name.lowercased().hasPrefix(prefix) {
      let rest = String(name.dropFirst(prefix.count))
      guard let first = rest.first else { return name }
      return prefix == "next" ? first.lowercased() + rest.dropFirst() : rest
    }
    return name
  }

  private mutating func addFields() {
    for field in page.answer.fields.all where !field.name.equalsIgnoringCase("Link") {
      let text = field.value.trimmingBlanks
      guard case .next? = SignName.of(field: ParameterWords.plain(field.name)), !text.isEmpty,
        text != "0"
      else { continue }
      if Self.isReference(text) {
        follow(text, .headerURL(field: field.name), "the header \(field.name)")
        continue
      }
      let name = Self.withoutNext(
        field.name.hasPrefix("X-") ? String(field.name.dropFirst(2)) : field.name)
      let parameter = PlainName.snake(name)
      guard !parameter.isEmpty else { continue }
      add(
        .headerToken(parameter: parameter, field: field.name), [.init(parameter, text)],
        "with the header \(field.name) as \(parameter)", isText: true)
    }
  }

  /// Adds values that may lead to the next page, or mark the start of this one: `pageInfo: { endCursor: … }`.
  private mutating func addCursors() {
    for mark in page.envelope.all(.cursor) {
      guard let text = mark.value.string, !text.isEmpty else { continue }
      addTokens(mark, text)
    }
  }

  private mutating func addNumbers() {
    if let (name, number) = subject.number(among: ParameterWords.page) {
      guard number == 0 || number == 1 else { return }
      addNumber(name, number + 1, first: number)
    } else if subject.number(among: ParameterWords.offset) == nil {
      addNumber(subject.own(ParameterWords.page(beside: sizeName ?? "")), 2, first: 1)
    }
  }

  /// If the stated total exceeds page 1: the known names of a position, first those that the answer suggests.
  private mutating func addKnownPlaces() {
    guard let total = Findings.total(of: page), total.number > page.records.count,
      // In GraphQL the query itself names its variables.
      !page.isOneRecord, subject.body?["variables"] == nil,
      subject.number(among: ParameterWords.page.union(ParameterWords.offset)) == nil
    else { return }
    let told = page.envelope.all(.begin).first.map { [$0.name] } ?? []
    for name in told + page.placesBesideSizes + ParameterWords.known
    where subject.value(of: name) == nil {
      addOffset([.init(name, String(page.records.count))])
    }
  }

  private mutating func addNumber(_ name: String, _ number: Int, first: Int) {
    add(
      .number(parameter: name, first: first), [.init(name, String(number))], "as \(name)=\(number)")
  }

  private mutating func addOffsets() {
    guard page.records.count > 0 else { return }
    let sent = subject.number(among: ParameterWords.offset)
    if sent == nil, subject.number(among: ParameterWords.page) != nil { return }
    // No job can express a list whose first record is number 1.
    guard sent == nil || sent?.value == 0 else { return }
    let wished = page.envelope.all(.begin).first?.name ?? sizePlace?.name ?? "offset"
    let count = String(page.records.count)
    var changes = [Subject.Parameter(sent?.name ?? subject.own(wished), count)]
    if sizeName == nil { changes.append(.init("limit", count)) }
    addOffset(changes)
  }

  /// - Parameter changes: the offset, perhaps with a size.
  private mutating func addOffset(_ changes: [Subject.Parameter]) {
    let way = changes.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    add(.offset(parameter: changes[0].name), changes, "as \(way)")
  }

  private mutating func add(
    _ paging: Paging, _ changes: [Subject.Parameter], _ way: String, isText: Bool = false
  ) {
    all.append(
      Guess(
        paging: paging, address: subject.address(setting: changes), purpose: "page 2, \(way)",
        text: isText ? changes[0].name : nil))
  }
}
