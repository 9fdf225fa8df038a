internal import Base
internal import Walk

/// What the answers so far have shown.
struct Findings: Sendable {
  struct Size: Sendable, Equatable {
    var name: String
    var value: Int
    /// What to declare in the job, and why.
    var remark: String
  }

  enum Count: Sendable, Equatable {
    case unknown
    /// The records at the end of the list agreed.
    case right
    case wrong(String)
    /// The list ended before that number: the API cuts it there, or the number counts something else.
    case short(String)
    case refused(String)
  }

  static let sizeWanted = 100

  private(set) var subject: Subject
  /// Page 1, which other pages are compared with.
  private(set) var page: Sample?
  private(set) var second: Sample?
  /// Every page received, for its records.
  private(set) var samples: [Sample] = []
  private(set) var paging: Paging?
  private(set) var pagingRemark = ""
  /// The path of the member that identifies records.
  private(set) var key: [String]?
  private(set) var size: Size?
  var count = Count.unknown
  private(set) var isLastFull = false
  /// An empty page after the end still names a next one.
  private(set) var isEndless = false
  private(set) var quotas: [ServerQuota] = []
  /// Parameters that every next address has with one value, which is not that of the given address.
  private var rewritten: Set<String> = []
  /// Why the list may begin before page 1, or not be the one that is meant.
  private(set) var doubts: [String] = []
  var remarks: [String] = []

  init(_ subject: Subject) { self.subject = subject }

  // MARK: page 1

  mutating func begin(_ first: Sample) {
    page = first
    samples = [first]
    findKey([first.records])
    size = sizeSent(first)
    judgeSiblings(of: first)
  }

  mutating func doubt(_ sentence: String) {
    doubts.append(sentence)
    remarks.append(sentence)
  }

  /// Searches pages 1 and 2 together, and each other page alone.
  private mutating func findKey(_ pages: [[JSONValue]]) {
    let search = KeySearch(pages: pages, others: samples.map(\.records), singular: singular)
    key = search.all().first
  }

  /// A page fetched for another reason may show that a member is no key.
  private mutating func take(_ look: Sample) {
    samples.append(look)
    guard let key, let page else { return }
    let search = KeySearch(pages: [look.records], singular: singular)
    if !search.isUnique(key) { findKey([page.records, second?.records ?? []]) }
  }

  /// The name of one record of the list.
  var singular: String { ParameterWords.plain(DraftNames.singular(streamName)) }

  var streamName: String {
    let generic: Set = ["", "api", "search", "query", "list", "index", "data"]
    let steps = page?.path.filter { $0 != "*" } ?? []
    let word = generic.contains(subject.pathWord.lowercased()) ? steps.last : subject.pathWord
    var taken = subject.namesTaken
    return PlainName.unique(
      DraftNames.plain(word ?? steps.last ?? "list", else: "list"), &taken)
  }

  private func sizeSent(_ first: Sample) -> Size? {
    for sent in subject.parameters where ParameterWords.isSize(subject.word(sent.name)) {
      guard let value = Int(sent.value), value > 0, first.records.count <= value else { continue }
      return Size(name: sent.name, value: value, remark: "")
    }
    return nil
  }

  /// A length in the answer.
  struct Total: Sendable, Equatable {
    /// Its place, as a job writes it.
    var place: String
    var isInHead: Bool
    var number: Int
  }

  var total: Total? { isTotalOfPages ? nil : page.flatMap { Self.total(of: $0) } }

  /// The supposed total differs between pages, or they exceed it: it counts each page's records, or a growing list.
  private var isTotalOfPages: Bool {
    guard let first = page.flatMap({ Self.total(of: $0) }) else { return false }
    return Set(records.map(\.json)).count > first.number
      || samples.contains { sample in
        Self.total(of: sample).map { $0.place == first.place && $0.number != first.number } ?? false
      }
  }

  /// Each page claims many more records than it holds, and another number each time: an estimate.
  var estimate: Total? {
    guard isTotalOfPages,
      samples.allSatisfy({ sample in
        Self.total(of: sample).map { $0.number > sample.records.count * 2 } ?? false
      })
    else { return nil }
    return page.flatMap { Self.total(of: $0) }
  }

  /// No real list is longer.
  private static let totalMax = 1_000_000_000_000

  static func total(of page: Sample) -> Total? {
    let known = page.records.count...totalMax
    if let mark = page.envelope.total, let number = mark.number, known.contains(number) {
      return Total(place: mark.text, isInHead: false, number: number)
    }
    for field in page.answer.fields.all {
      guard case .length? = SignName.of(field: ParameterWords.plain(field.name)),
        let number = Int(field.value.trimmingBlanks), known.contains(number)
      else { continue }
      return Total(place: field.name, isInHead: true, number: number)
    }
    return nil
  }

  /// The page itself says that nothing of the list follows.
  func saysItIsAll(_ page: Sample) -> Bool {
    if let target = LinkField.target("next", in: page.answer.fields.values("Link")) {
      return target.isEmpty
    }
    if let flag = page.envelope.flag, let value = flag.mark.value.boolean {
      return value != flag.saysMore
    }
    let nexts = page.envelope.all(.next)
    if nexts.contains(where: {
      !$0.value.isNull && !$0.value.isString("") && $0.value.boolean != false
    }) {
      return false
    }
    if let total = Self.total(of: page)?.number { return total <= page.records.count }
    if !nexts.isEmpty { return true }
    if let size = sizeSent(page) { return page.records.count < size.value }
    return false
  }

  /// The page itself says that more of the list follows.
  func saysMoreFollow(_ page: Sample) -> Bool {
    if let flag = page.envelope.flag, flag.mark.value.boolean == flag.saysMore { return true }
    if let total = Self.total(of: page), total.number > page.records.count { return true }
    return namesNext(page)
  }

  private func namesNext(_ page: Sample) -> Bool {
    if LinkField.target("next", in: page.answer.fields.values("Link")) != nil { return true }
    return page.envelope.all(.next).contains { mark in
      mark.value.isNumber || mark.value.string.map { !$0.isEmpty } ?? false
    }
  }

  /// The offset that the address of page 2 has, if any.
  var placeOfSecond: Subject.Parameter? {
    guard let second, let count = page?.records.count else { return nil }
    return Subject.parameters(of: second.answer.address).first {
      ParameterWords.offset.contains(ParameterWords.plain($0.name)) && Int($0.value) == count
    }
  }

  mutating func takeShorter(_ shorter: Sample) -> String {
    guard let whole = page, shorter.records.count < whole.records.count, !shorter.records.isEmpty,
      let size
    else { return "no shorter page: \(size?.name ?? "the size") has no effect" }
    let wanted = max(1, whole.records.count / 2)
    asGiven = (subject, whole, size)
    self.size?.value = wanted
    subject.set(.init(size.name, String(wanted)))
    page = shorter
    take(shorter)
    if Self.total(of: shorter)?.number == whole.records.count { count = .right }
    return "\(shorter.told): \(size.name) sets the page size"
  }

  /// The state before page 1 was requested shorter.
  private var asGiven: (subject: Subject, page: Sample, size: Size)?

  /// If no way to page 2 was found, the list is drafted as it was requested, not with half a paging.
  mutating func endPaging() {
    guard let asGiven else { return }
    if paging == nil {
      (subject, page, size) = (asGiven.subject, asGiven.page, asGiven.size)
    } else if let size, let page, page.records.count < size.value {
      // Even this page came short, so no page shows the largest size.
      self.size = asGiven.size
    }
  }

  // MARK: page 2

  mutating func accept(_ guess: Guess, _ other: Sample) {
    paging = guess.paging
    second = other
    samples.append(other)
    pagingRemark =
      "\(guess.purpose) has \(Wording.count(other.records.count, "other record"))"
    guard let page else { return }
    findKey([page.records, other.records])
    // Pages may overlap: then the key of page 1 is kept.
    if key == nil { findKey([page.records]) }
    if size != nil { return }
    // A next address from the server may show the page size.
    let sent = Subject.parameters(of: guess.address).first {
      ParameterWords.isSize(subject.word($0.name)) && Int($0.value) == page.records.count
    }
    size = sent.map { Size(name: $0.name, value: page.records.count, remark: "") }
  }

  /// An offset needs a size, whether or not the user gave one.
  var addedSize: [Subject.Parameter] {
    guard let size, let page else { return [] }
    return [.init(size.name, String(page.records.count))]
  }

  // MARK: looks

  /// Parameters of the address that page 2's own address has with other values: places in the list, unless the server
  /// writes them in its own way.
  var placesSent: [String] {
    // A time is a filter, not a place, and `*` is the first page's token.
    let sent = subject.parameters.filter {
      !["", "*"].contains($0.value) && !PagingGuesses.isTime($0.value)
    }.map(\.name).filter { !rewritten.contains($0) }
    switch paging {
    case .token(let name, _)?: return sent.filter { $0 == name }
    case .each(let path)?:
      let state = page.flatMap { path.reduce(Optional($0.document.root)) { $0?[$1] } }
      return sent.filter { state?[$0] != nil }
    case .link?, .url?, .headerURL?:
      guard let second else { return [] }
      return sent.filter { name in
        let next = Subject.values(of: name, in: second.answer.address)
        return !next.isEmpty && next != Subject.values(of: name, in: subject.address())
          && !ParameterWords.isSize(name)
      }
    case .headerToken?, .after?, .number?, .offset?, nil: return []
    }
  }

  /// - Parameter look: the list without the places that were sent.
  private mutating func judgePlaces(_ look: Sample) -> String {
    let places = placesSent
    guard let page, let second, let begin = look.identities(key).first,
      begin != page.identities(key).first
    else { return "nothing that is before page 1" }
    guard
      let next = PagingGuesses(subject, look, key: key).all.first(where: { $0.paging == paging })
    else {
      doubt(
        "without \(places.joined(separator: ", ")) other records come, and no next page is named: look"
          + " whether the list begins there")
      return "other records, and no next page is named"
    }
    let (after, behind) = (next.address, second.answer.address)
    let same = places.filter {
      Subject.values(of: $0, in: after) == Subject.values(of: $0, in: behind)
    }
    if paging?.isNamed ?? false, !same.isEmpty {
      rewritten.formUnion(same)
      return "other records, and each next page is named with one value of"
        + " \(same.joined(separator: ", ")): no place in the list"
    }
    subject = subject.without(places)
    self.page = look
    take(look)
    remarks.append(
      "\(places.joined(separator: ", ")) of the address \(places.count == 1 ? "was" : "were") left out:"
        + " a job begins with the first page")
    return "other records: the list begins there"
  }

  mutating func judgeFront(_ look: Sample) -> String {
    guard case .number(let name, _)? = paging, let page else { return judgePlaces(look) }
    let wasSent = subject.value(of: name) != nil
    if look.records.isEmpty || look.isSame(as: page, key) {
      return "pages are counted from 1"
    }
    guard look.isOther(than: page, key) else {
      return "nothing new: pages are counted from 1"
    }
    if wasSent {
      remarks.append("\(name)=0 holds records that \(name)=1 does not: pages are counted from 0")
    }
    paging = .number(parameter: name, first: 0)
    take(look)
    return "other records: pages are counted from 0"
  }

  mutating func judgeSize(_ look: Sample) -> String {
    guard let size, let page else { return "" }
    take(look)
    let came = look.records.count
    if came == 0 { return "no records: no answer about the size" }
    if came <= page.records.count {
      self.size?.value = page.records.count
      self.size?.remark = "\(Self.sizeWanted) requested, \(came) received"
      return "\(came) records: the largest page"
    }
    // If this were everything, at least the requested number would have come. A job that requests more than it gets
    // would miss records if the API counts pages by what is requested.
    let isCut =
      came < Self.sizeWanted && (saysMoreFollow(look) || SeenEnd.usualSizes.contains(came))
    self.size?.value = isCut ? came : Self.sizeWanted
    self.size?.remark = "\(Self.sizeWanted) requested, \(came) received"
    if Self.total(of: look)?.number == came, !saysMoreFollow(look) { count = .right }
    return "\(came) records: \(size.name) sets the page size"
  }

  mutating func judgeLast(_ look: Sample) -> String {
    guard let total = total?.number, let page else { return "" }
    if paging?.isNamed ?? false {
      isEndless = look.records.isEmpty && namesNext(look)
      return isEndless
        ? "no records, and a next page is named: an empty page is the end"
        : "\(Wording.count(look.records.count, "record"))"
    }
    let expected: Int
    let size = page.records.count
    if case .offset? = paging { expected = 1 } else { expected = total - (total - 1) / size * size }
    let came = look.records.count
    guard came == expected else {
      let counts = "records at that end (\(came) instead of \(expected))"
      guard came > expected else {
        count = .short("there are fewer \(counts)")
        return "\(came) records instead of \(expected): the list ends earlier"
      }
      count = .wrong("there are more \(counts)")
      return "\(came) records instead of \(expected): the total does not count this list"
    }
    count = .right
    if case .number? = paging { isLastFull = expected == size }
    return "\(Wording.count(came, "record")), as the total says"
  }

  mutating func judgeBehind(_ look: Sample) -> String {
    guard let page, !look.records.isEmpty, look.isOther(than: page, key) else {
      return "empty, as the total says"
    }
    count = .wrong("there are records after that end")
    return "\(Wording.count(look.records.count, "record")): the total does not count this list"
  }

  mutating func learnLimits(_ answer: Answer) {
    let told = LimitSigns(answer).quotas
    if quotas.isEmpty, !told.isEmpty { quotas = told }
  }

  // MARK: what was found

  var records: [JSONValue] { samples.flatMap(\.records) }

  /// Names of columns, given beside records that are lists themselves.
  var columnNames: [String] {
    guard let page, let list = page.document.root["columns"], list.isArray else { return [] }
    return list.elements.compactMap { $0.string ?? $0["name"]?.string }
  }
}
