internal import JSON
public import Model

/// What came of reading an answer that the error table let pass.
public enum Reading: Sendable {
  case page(Page)
  /// 304: the stored page is still true.
  case notModified
  /// 202: the API is still working on it; the same request later.
  case later
  case trouble(PageTrouble)
}

/// Why an answer is no page of its stream.
public struct PageTrouble: Error, Equatable, Sendable, CustomStringConvertible {
  /// `empty` or `parse`.
  public let cause: Cause
  /// What was looked for, and what is there.
  public let sentence: String
  /// It came whole, and is not what the job describes. Where the list was read before, that may pass;
  /// where it never was, requesting it again gives the same.
  public var isOfAnotherShape = false

  /// 204 says that there is no content. Whether that is a list without entries only the job can know.
  static let noContent = PageTrouble(
    cause: .empty,
    sentence:
      "the answer is 204, no content, and no list; if that is how this API says that a list "
      + "is empty, its job should say so: { status: 204, then: \"empty\" }")

  public var description: String { sentence }
}

/// Turns answers of one stream into pages.
///
/// A missing (or null) list is an empty page only where the answer itself shows that nothing is left
/// to come: its total is 0 or was reached before this page, or it has no total and its "more" flag or
/// its next page says that there is none. Everything else without a list is trouble: a next page, a
/// greater total or a message beside it show that records were due.
public struct PageReader: Sendable {
  let stream: Stream
  let place: Credential.Place?
  private let signs: SignReader
  private let rules: [ErrorRule]

  public init(job: Job, stream: Stream) {
    self.stream = stream
    rules = job.errors
    place = job.authentication?.place
    signs = SignReader(stream, place)
  }

  /// - Parameter cursor: what was requested; nil: it is not known where the page stands.
  public func read(_ answer: Answer, _ body: AnswerBody, at cursor: Cursor? = nil) -> Reading {
    let facts = RuleFacts(answer: answer, body: body)
    if rules.first(where: { $0.holds(for: facts) })?.action == .empty {
      return emptyPage(answer, at: cursor)
    }
    switch answer.kind {
    case .notModified: return .notModified
    case .accepted: return .later
    case .noContent:
      // One that names a next page is a page of this stream.
      if case .page(let page) = emptyPage(answer, at: cursor), page.next != nil {
        return .page(page)
      }
      return .trouble(.noContent)
    case .content: break
    case .failed(let cause):
      return .trouble(
        PageTrouble(cause: cause, sentence: "status \(answer.status) where a page was due"))
    }
    switch body {
    case .json(let document):
      do {
        return .page(try page(answer, document, at: cursor))
      } catch {
        return .trouble(error)
      }
    case .blank:
      let sentence = "status \(answer.status) with an empty body where a page was due"
      return .trouble(PageTrouble(cause: .empty, sentence: sentence))
    case .other(let reason):
      guard let foreign = ForeignAnswer(answer) else {
        return damagedPage(answer, at: cursor)
          ?? .trouble(PageTrouble(cause: .parse, sentence: reason))
      }
      return .trouble(
        PageTrouble(cause: .parse, sentence: foreign.sentence, isOfAnotherShape: true))
    }
  }

  /// The job says that this answer is a list without entries, whatever its body. A `Link` may still
  /// name a next page.
  private func emptyPage(_ answer: Answer, at cursor: Cursor?) -> Reading {
    do {
      var page = Page(document: try JSONDocument.read(Array("[]".utf8)), records: [])
      if stream.pager.namesNextInHead {
        _ = try readNext(answer, page.document.root, at: cursor, into: &page)
      }
      page.signs = signs.signs(of: answer, nil)
      return .page(page)
    } catch let trouble as PageTrouble {
      return .trouble(trouble)
    } catch {
      return .trouble(PageTrouble(cause: .parse, sentence: "\(error)"))
    }
  }

  /// The records beside words that its job takes for the API's limit, with a sign of it; nil: there are
  /// none, and the words are all.
  public func page(_ answer: Answer, _ body: AnswerBody, endedBy limit: String) -> Page? {
    guard let document = body.document,
      // What cannot be read is as what did not come: the words count.
      var page = try? page(answer, document), !page.records.isEmpty
    else { return nil }
    page.signs.append(UnreadSign("limit", .limit, limit))
    return page
  }

  func page(
    _ answer: Answer, _ document: JSONDocument, at cursor: Cursor? = nil
  ) throws(PageTrouble) -> Page {
    let root = document.root
    var page = Page(document: document, records: [])
    page.etag = answer.fields["ETag"]
    page.lastModified = answer.fields["Last-Modified"]
    page.total = stream.total.flatMap { total in
      total.paths.lazy.compactMap { $0.first(in: root).flatMap(Self.length) }.first
    }
    page.more = stream.more.lazy.compactMap { $0.first(in: root).flatMap(Self.flag) }.first
      .map { $0 == stream.moreIs }
    let hasNextSign = try readNext(answer, root, at: cursor, into: &page)
    page.signs = signs.signs(of: answer, root)
    page.records = try records(root, unlessEmpty: page, hasNextSign: hasNextSign, at: cursor)
    return page
  }

  /// Why records were due where there is no list; nil: nothing is left to come.
  private func due(_ page: Page, hasNextSign: Bool, at cursor: Cursor?) -> String? {
    if page.next != nil { return "it names a next page" }
    if page.more == true { return "it says that more follow" }
    if let notice = page.signs.first(where: { $0.kind == .notice }) {
      // Its own words are quoted where there are any.
      return AnswerWords.said(page.document.root) == nil
        ? "it says \"\(notice.place)\": \(notice.value)" : ""
    }
    guard let total = page.total else {
      return page.more == false || hasNextSign ? nil : ""
    }
    if total == 0 { return nil }
    return before(cursor).map { $0 >= total } ?? false ? nil : "its total is \(total)"
  }

  /// How many records stand before a page, where its position tells.
  private func before(_ cursor: Cursor?) -> Int? {
    switch (stream.pager, cursor) {
    case (.offset, .offset(let offset)): return offset
    case (.number(_, let first), .number(let page)):
      return stream.size.flatMap {
        let (records, isHuge) = (page - first).multipliedReportingOverflow(by: $0.value)
        return isHuge ? nil : records
      }
    case (.number(_, let first), .sized(let page, let size)):
      let (records, isHuge) = (page - first).multipliedReportingOverflow(by: size)
      return isHuge ? nil : records
    default: return nil
    }
  }

  private func records(
    _ root: JSONValue, unlessEmpty page: Page, hasNextSign: Bool, at cursor: Cursor?
  ) throws(PageTrouble) -> [JSONValue] {
    if stream.records.hasWildcard {
      let found = stream.records.all(in: root)
      guard found.isEmpty, let due = due(page, hasNextSign: hasNextSign, at: cursor) else {
        return found
      }
      throw PageTrouble(
        cause: .parse,
        sentence: "nothing is at \"\(stream.records)\"; \(Self.told(root))\(Self.and(due))",
        isOfAnotherShape: true)
    }
    let place = stream.records.isEmpty ? "the answer" : "\"\(stream.records)\""
    guard let value = stream.records.first(in: root), !value.isNull else {
      guard let due = due(page, hasNextSign: hasNextSign, at: cursor) else { return [] }
      throw PageTrouble(
        cause: .parse, sentence: "there is no list at \(place); \(Self.told(root))\(Self.and(due))",
        isOfAnotherShape: true)
    }
    switch value.kind {
    case .array: return Array(value.elements)
    // Of a list that goes on from answer to answer the whole answer is no record: it is a message.
    case .object where stream.records.isEmpty && stream.pager != .single:
      throw PageTrouble(
        cause: .parse, sentence: "the answer is no list; \(Self.told(root))", isOfAnotherShape: true
      )
    case .object: return [value]
    default:
      throw PageTrouble(
        cause: .parse,
        sentence: "a list or an object is due at \(place), and \(Self.name(value.kind)) is there",
        isOfAnotherShape: true)
    }
  }

  /// Where the answer says that the next page is. Answers whether a sign of it was there at all.
  private func readNext(
    _ answer: Answer, _ root: JSONValue, at cursor: Cursor?, into page: inout Page
  ) throws(PageTrouble) -> Bool {
    guard let next = stream.pager.nextPage else { return false }
    let named: String?
    switch next.place {
    case .link:
      try readLink(answer, into: &page)
      return page.next != nil
    case .header(let name):
      guard let text = answer.fields[name]?.trimmingBlanks else { return false }
      named = text.isEmpty ? nil : try checked(text, "the header \"\(name)\"")
    case .body(let path):
      guard let value = path.first(in: root) else { return false }
      named = try text(value, at: path)
    }
    guard let named else { return true }
    if next.parameter != nil {
      if !next.isEnd(named, at: cursor) { page.next = .token(named) }
    } else {
      try follow(named, of: answer, into: &page)
    }
    return true
  }

  /// The next page as the head of a 304 names it; a server need not send that field again.
  public func nextInHead(of answer: Answer, at cursor: Cursor) -> Cursor? {
    guard stream.pager.namesNextInHead,
      // An empty list is JSON.
      var page = try? Page(document: JSONDocument.read(Array("[]".utf8)), records: [])
    else { return nil }
    // One that cannot be read is as one that was not sent: what is stored of the page stands.
    _ = try? readNext(answer, page.document.root, at: cursor, into: &page)
    return page.next
  }

  private func readLink(_ answer: Answer, into page: inout Page) throws(PageTrouble) {
    let links = answer.fields.values("Link")
    let last = LinkField.target("last", in: links)
    page.pageCount = last.flatMap(Self.pageNumber)
    // One that cannot be read is as one that was not sent.
    page.last = last.flatMap { try? answer.address.resolving($0).removing(place) }
      .map { .address($0.description) }
    guard let target = LinkField.target("next", in: links) else { return }
    try follow(target, of: answer, into: &page)
  }

  /// The `page` parameter of the last page's address, where there is one: a template or an opaque
  /// position tells no number, and none is needed.
  private static func pageNumber(_ target: String) -> Int? {
    guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
    for pair in target[target.utf8.index(after: mark)...].split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0] == "page", let number = Int(parts[1]),
        (1...lengthMax).contains(number)
      else {
        continue
      }
      return number
    }
    return nil
  }

  /// A next address is resolved against the answer's own, loses any credential that the server
  /// echoed in it, and may lead elsewhere, which is told.
  private func follow(
    _ reference: String, of answer: Answer, into page: inout Page
  ) throws(PageTrouble) {
    let address: WebAddress
    do {
      address = try answer.address.resolving(reference).removing(place)
    } catch {
      // Taking it for the end of the list would lose the rest in silence.
      throw PageTrouble(
        cause: .parse, sentence: "the address of the next page cannot be read: \(error)")
    }
    page.next = .address(address.description)
    if address.origin != answer.address.origin { page.nextLeadsTo = address.origin }
  }

  private func checked(_ text: String, _ place: String) throws(PageTrouble) -> String {
    guard text.utf8.count > Self.referenceBytesMax else { return text }
    throw PageTrouble(
      cause: .parse,
      sentence: "\(place) names a next page in more than \(Self.referenceBytesMax) bytes")
  }

  /// A token or an address; null, false and "" say that there is none.
  private func text(_ value: JSONValue, at path: JSONPath) throws(PageTrouble) -> String? {
    switch value.kind {
    case .string:
      guard let text = value.string, !text.isEmpty else { return nil }
      return try checked(text, "\"\(path)\"")
    case .integer, .hugeNumber, .real: return value.rawNumber
    case .null: return nil
    case .boolean where value.boolean == false: return nil
    case .boolean, .object, .array:
      throw PageTrouble(
        cause: .parse,
        sentence: "\"\(path)\" should name the next page, and \(Self.name(value.kind)) is there")
    }
  }
}
