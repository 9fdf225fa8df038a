public import Base

/// The result of reading an answer that the error table let pass.
public enum Reading: Sendable {
  case page(Page)
  /// 304: the stored page is still current.
  case notModified
  /// 202: the API is still working on it; repeat the request later.
  case later
  case trouble(PageTrouble)
}

/// Why an answer is not a page of its stream.
public struct PageTrouble: Error, Equatable, Sendable, CustomStringConvertible {
  let cause: Cause
  /// What was expected, and what is there.
  let sentence: String
  /// It is complete, but not what the job describes. If the list was read before, that may be temporary; otherwise
  /// another request would give the same.
  var isOfAnotherShape = false

  static func otherShape(_ sentence: String) -> PageTrouble {
    PageTrouble(cause: .parse, sentence: sentence, isOfAnotherShape: true)
  }

  /// 204 means no content. Only the job can say whether that is an empty list.
  static let noContent = PageTrouble(
    cause: .empty,
    sentence:
      "the answer is 204, no content, and no list; if that is how this API says that a list "
      + "is empty, its job should say so: { status: 204, then: \"empty\" }")

  public var description: String { sentence }
}

/// Turns answers of one stream into pages.
///
/// A missing (or null) list is an empty page only if the answer itself shows that nothing is left: its total is 0 or
/// was reached before this page, or it has no total and its "more" flag or its next page says so. Anything else without
/// a list is trouble: a next page, a greater total or a message show that records were expected.
public final class PageReader: Sendable {
  let stream: Stream
  let signs: SignReader
  private let nested: [NestedPart]
  /// The lists between the answer and its records.
  private let groups: [NestedPart]
  private let rules: [ErrorRule]
  /// What the columns read, if no part of the key does; nil: the key tells a record from a message.
  private let membersRead: [JSONPath]?

  /// - Parameter unit: the list whose values fill the requests, if it is only one.
  public init(job: Job, stream: Stream, unit: Unit? = nil) {
    self.stream = stream
    rules = stream.errors + job.errors
    let places = job.secretPlaces
    signs = SignReader(stream, places, of: unit)
    nested = stream.children.flatMap { NestedPart.all(on: $0.records, of: stream, places) }
    groups = NestedPart.all(of: stream, places)
    let read = (stream.columns + (stream.membership?.columns ?? [])).flatMap(\.paths)
    let keyed = !Self.keyPaths(of: stream).isEmpty
    membersRead = keyed ? nil : read.isEmpty ? [] : read + stream.children.map(\.records)
  }

  /// - Parameter cursor: what was requested; nil: the page's position is unknown.
  public func read(_ answer: Answer, _ body: AnswerBody, at cursor: Cursor? = nil) -> Reading {
    if rules.first(where: { $0.holds(for: answer, body) })?.action == .empty {
      return emptyPage(answer, at: cursor, beside: body)
    }
    switch answer.kind {
    case .notModified: return .notModified
    case .accepted: return .later
    case .noContent:
      // If it names a next page, it is a page of this stream.
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
    case .foreign(let reason): return .trouble(.otherShape(reason))
    case .other(let reason) where stream.readsFeed:
      return .trouble(PageTrouble(cause: .parse, sentence: reason))
    case .other(let reason):
      guard let foreign = ForeignAnswer.sentence(answer) else {
        return damagedPage(answer, at: cursor)
          ?? .trouble(PageTrouble(cause: .parse, sentence: reason))
      }
      return .trouble(.otherShape(foreign))
    }
  }

  /// The job says that this answer is an empty list, whatever its body. A `Link` may still name a next page.
  private func emptyPage(
    _ answer: Answer, at cursor: Cursor?, beside body: AnswerBody? = nil
  ) -> Reading {
    do {
      var page = try head(of: answer, at: cursor)
      if let document = body?.document,
        // An unreadable page holds no records, nor does a message in their place.
        let found = try? self.page(answer, document), !found.isOneObject
      {
        let keys = Self.keyPaths(of: stream)
        let count = found.records.count { Self.hasKey($0, at: keys) }
        let sign = UnreadSign(
          stream.records.text, .part,
          "\(Wording.count(count, "record")), where errors says \"empty\"")
        if count > 0, !stream.knows(sign) { page.signs.append(sign) }
      }
      return .page(page)
    } catch let trouble as PageTrouble {
      return .trouble(trouble)
    } catch {
      return .trouble(PageTrouble(cause: .parse, sentence: "\(error)"))
    }
  }

  /// The records beside a message that the job reads as a limit, plus its sign; nil: there are none, and only the
  /// message counts.
  public func page(_ answer: Answer, _ body: AnswerBody, endedBy limit: String) -> Page? {
    guard let document = body.document,
      // An unreadable page counts as none: the message decides.
      var page = try? page(answer, document), !page.records.isEmpty
    else { return nil }
    page.signs.append(UnreadSign("limit", .limit, limit))
    return page
  }

  func page(
    _ answer: Answer, _ document: JSONDocument, at cursor: Cursor? = nil
  ) throws(PageTrouble) -> Page {
    let root = document.root
    if stream.body?.isGraphQL == true, let errors = root["errors"] { try refuse(errors) }
    var page = Page(document: document, records: [])
    if stream.isConditional {
      page.etag = answer.fields["ETag"]
      if page.etag == nil { page.lastModified = Self.lastModified(answer) }
    }
    // A feed is converted, which depends on the address and the charset, so its digest is of the JSON.
    if stream.isPlain { page.bodyDigest = document.withBytes { AnswerDigest.of($0) } }
    page.total = stream.total.flatMap { Self.total($0, answer, root) }
    page.more = stream.more.lazy.compactMap { $0.first(in: root).flatMap(Self.flag) }.first
      .map { $0 == stream.moreIs }
    let hasNextSign = try readNext(answer, root, at: cursor, into: &page)
    let counted = stream.total?.trust == .counted ? page.total : nil
    page.signs += signs.signs(of: answer, root, beside: page.next, total: counted)
    readLastPage(answer, root, into: &page)
    page.records = try records(root, unlessEmpty: page, hasNextSign: hasNextSign, at: cursor)
    try refuseMessages(page, answer)
    if counted == page.records.count {
      // A `count` beside it that is the requested size is no length.
      page.signs.removeAll {
        $0.kind == .count && $0.number == stream.size?.value
          && ($0.place == "count" || $0.place.hasSuffix(".count"))
      }
    }
    noteOtherLists(root, at: cursor, &page)
    page.isOneObject =
      !stream.readsColumns && !stream.records.hasWildcard
      && stream.records.first(in: root)?.kind == .object
    if stream.columns.contains(where: { $0.source == .memberName }) {
      page.names = stream.records.names(in: root)
    }
    try readLastRecord(at: cursor, into: &page)
    let parts = nested.compactMap { $0.sign(in: page.records, answer) }
    page.hasNestedPart = !parts.isEmpty
    page.signs += (groups.compactMap { $0.sign(in: [root], answer) } + parts)
      .filter { !stream.knows($0) }
    return page
  }

  /// Reports records in another list than the one that is read.
  private func noteOtherLists(_ root: JSONValue, at cursor: Cursor?, _ page: inout Page) {
    var found = [Self.partOfMany(of: stream, in: root)]
    // After the end of a list there may well be another list.
    if page.records.isEmpty, page.total != 0, cursor == nil || cursor == WalkRules(stream).first {
      found.append(Self.otherList(of: stream, in: root))
    }
    page.signs += found.compactMap(\.self).filter { !stream.knows($0) }
  }

  /// A key that comes from the request, or is made, fits any object: what the columns read must be in one of them, and
  /// what only says how the request went is none, nor a table of records by name.
  private func refuseMessages(_ page: Page, _ answer: Answer) throws(PageTrouble) {
    let (records, root) = (page.records, page.document.root)
    guard let membersRead, !records.isEmpty else { return }
    let isTable = stream.records.endsEverywhere
    let whole = isTable ? stream.records[..<(stream.records.steps.count - 1)] : stream.records
    let isFound = records.contains { record in
      !record.isObject || record.count == 0
        || membersRead.contains { Self.isRead($0, in: record) }
    }
    let isOther = !isFound && !stream.takesAll && !membersRead.isEmpty
    let isMessage =
      (isTable || !isFound) && !whole.hasWildcard
      && whole.first(in: root).map { signs.isMessage($0, at: whole.steps, of: answer) } ?? false
    guard isOther || isMessage else { return }
    let place = whole.isEmpty ? "the answer" : "\"\(whole)\""
    throw PageTrouble.otherShape(
      "\(place) has nothing \(isMessage ? "but a message" : "that the columns read"); "
        + "\(Self.told(root)); if that is a record, "
        + (isTable && isMessage
          ? "unread should name it" : "a column should read a member that each has"))
  }

  /// Also if it stops at a member that is null, empty or no object: a record may lack what is behind it.
  private static func isRead(_ path: JSONPath, in record: JSONValue) -> Bool {
    if path.first(in: record) != nil { return true }
    let last = path.steps.indices.reversed().lazy.compactMap { path[..<$0].first(in: record) }
    return last.first.map { !$0.isObject || $0.count == 0 } ?? false
  }

  /// GraphQL errors beside data: not a page, since fields that failed are null in it.
  private func refuse(_ errors: JSONValue) throws(PageTrouble) {
    if errors.isNull || errors.isArray && errors.count == 0 { return }
    let said =
      (errors[0] ?? errors)["message"]?.string.map { ": \"\($0.shortened(to: 40))\"" } ?? ""
    throw PageTrouble.otherShape("the answer has errors beside its data\(said)")
  }

  /// Why records were expected although there is no list; nil: nothing is left.
  private func due(_ page: Page, hasNextSign: Bool, at cursor: Cursor?) -> String? {
    if page.next != nil { return "it names a next page" }
    if page.more == true { return "it says that more follow" }
    if let notice = page.signs.first(where: { $0.kind == .notice }) {
      // The server's own message is quoted if there is one.
      return ServerWords.said(page.document.root) == nil
        ? "it says \"\(notice.place)\": \(notice.value)" : ""
    }
    guard let total = page.total else {
      return page.more == false || hasNextSign ? nil : ""
    }
    if total == 0 { return nil }
    let before = WalkRules(stream).recordsBefore(cursor, first: stream.size?.value)
    return before.map { $0 >= total } ?? false ? nil : "its total is \(total)"
  }

  private func records(
    _ root: JSONValue, unlessEmpty page: Page, hasNextSign: Bool, at cursor: Cursor?
  ) throws(PageTrouble) -> [JSONValue] {
    if stream.records.hasWildcard {
      // An entry without the inner value is a record that did not arrive.
      if let found = stream.records.entries(in: root) { return found.map { $0 ?? .nothing } }
      guard let due = due(page, hasNextSign: hasNextSign, at: cursor) else { return [] }
      throw PageTrouble.otherShape(
        "nothing is at \"\(stream.records)\"; \(Self.told(root))\(Self.and(due))")
    }
    let place = stream.records.isEmpty ? "the answer" : "\"\(stream.records)\""
    guard let value = stream.records.first(in: root), !value.isNull else {
      guard let due = due(page, hasNextSign: hasNextSign, at: cursor) else { return [] }
      throw PageTrouble.otherShape(
        "there is no list at \(place); "
          + (Self.turn(of: stream.records, in: root)
            ?? Self.null(on: stream.records, in: root, mayBeEmpty: due.isEmpty)
            ?? Self.told(root)) + Self.and(due) + Self.emptyCure(root, due))
    }
    switch value.kind {
    case .array where !stream.readsColumns: return Array(value.elements)
    // For a paged list an answer that is an object is a message.
    case .object where stream.records.isEmpty && stream.pager != .single:
      throw PageTrouble.otherShape("the answer is not a list; \(Self.told(root))")
    case .object where stream.readsColumns: return try ColumnLists.records(value, at: place)
    // A list of one record may come as that record alone, but then nothing follows.
    case .object where stream.size?.value ?? 1 > 1 && (page.next != nil || page.more == true):
      throw PageTrouble.otherShape(
        "a list is due at \(place), since more pages follow, and one object is there")
    case .object: return [value]
    default:
      throw PageTrouble.otherShape(
        "a list or an object is due at \(place), and \(Self.name(value.kind)) is there")
    }
  }
}

/// Answers in which single records are not JSON.
extension PageReader {
  /// The page without its damaged records, which are named in it; nil if it is uncertain which bytes they are. The
  /// answer came whole, so another request would bring the same.
  private func damagedPage(_ answer: Answer, at cursor: Cursor?) -> Reading? {
    guard let list = DamagedList(answer.body, at: stream.records),
      // If the page has other trouble too, the first error is reported.
      var page = try? page(answer, list.document, at: cursor)
    else { return nil }
    for element in list.damaged {
      page.damaged[element.place] = DamagedRecord(
        bytes: element.bytes,
        reason: "\(element.error) of the answer; \(element.bytes.count) bytes from byte "
          + "\(element.offset) on, with the digest \(Hexadecimal.text(Digest64.of(element.bytes)))")
    }
    return .page(page)
  }
}
