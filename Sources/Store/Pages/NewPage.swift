internal import Base
internal import Walk

/// A row of `trawl_pages` to be written.
struct NewPage {
  var summary: PageSummary
  let step: Step
  let unit: OpenUnit
  let stamp: String
  var status = 200
  var cause: Cause?
  var etag: String?
  var lastModified: String?
  /// The fingerprint that recognizes a later answer with the same rows; nil: it is always read.
  var answerPrint: UInt64?
  var keys: [UInt64] = []
  var zeroDates = 0
  var fieldRejects = 0

  mutating func takeOver(from old: StoredPage) {
    summary.purpose = step.purpose
    summary.ordinal = step.ordinal
    summary.cursor = step.cursor
    summary.isNotModified = true
    summary.signs.removeAll(where: \.kind.isAge)
    keys = old.keys
    etag = old.etag
    lastModified = old.lastModified
  }

  func save(_ connection: Connection) throws(SQLiteError) {
    let address = step.target
    let counts = summary.counts
    try connection.insert(
      Book.pages,
      [
        ("window", .integer(unit.id)),
        ("traversal", .integer(unit.traversal)),
        ("ordinal", SQLValue(summary.ordinal)),
        ("purpose", .text(summary.purpose.rawValue)),
        ("cursor", .text(summary.cursor.description)),
        ("next_cursor", SQLValue(summary.next?.description)),
        ("last_cursor", SQLValue(summary.last?.description)),
        ("address", .text(address)),
        ("address_digest", SQLValue(bits: Digest64.of(address.utf8))),
        ("status", SQLValue(status)),
        ("cause", SQLValue(cause?.rawValue)),
        ("etag", SQLValue(etag)),
        ("last_modified", SQLValue(lastModified)),
        ("answer_print", SQLValue(bits: answerPrint)),
        ("trouble", SQLValue(summary.trouble?.rawValue)),
        ("total", SQLValue(summary.total)),
        ("more", summary.more.map { SQLValue($0) } ?? .null),
        ("signs", SQLValue(SignText.text(summary.signs))),
        ("zero_dates", SQLValue(zeroDates)),
        ("field_rejects", SQLValue(fieldRejects)),
        ("reject_reason", SQLValue(summary.rejectReason)),
        ("ambiguous", SQLValue(summary.keyClashes.onPage)),
        ("altered", SQLValue(summary.keyClashes.acrossPages)),
        ("ambiguous_key", SQLValue(summary.keyClashes.example)),
        ("keys", .blob(KeyBlob.bytes(keys))),
        ("is_not_modified", SQLValue(summary.isNotModified)),
        ("oldest", SQLValue(summary.oldest?.storedWithMilliseconds)),
        ("newest", SQLValue(summary.newest?.storedWithMilliseconds)),
        ("is_newest_first", SQLValue(summary.isNewestFirst)),
        ("sort_span", SQLValue(StoredOrder.text(summary.order))),
        ("request_print", SQLValue(bits: unit.prints.request)),
        ("mapping_print", SQLValue(bits: unit.prints.mapping)),
        ("handed", SQLValue(unit.handed?.text)),
        ("run", .integer(unit.run)),
        ("committed_at", .text(stamp)),
        ("change", .integer(try connection.pendingBook.latest(connection))),
      ] + counts.columns)
    if unit.handed != nil { try unit.keepRules(connection) }
    if summary.trouble == nil, summary.purpose.readsTheList {
      unit.lastKeys = (summary.ordinal, keys)
    }
  }
}

extension NewPage {
  /// Takes over the results for its records.
  mutating func take(_ writer: PageWriter, before: [UInt64]) {
    summary.counts = writer.counts
    summary.unseen = writer.unseen
    summary.compare(writer.keys, with: before)
    summary.note(writer.keys)
    summary.rejectReason = writer.firstReject?.reason
    summary.keyClashes = writer.clashes
    // A page that is read again holds the same records, and they may have changed since.
    if !step.purpose.isCounted { summary.keyClashes.acrossPages = 0 }
    summary.keyClashes.onPage += writer.returns
    summary.oldest = writer.oldest
    summary.newest = writer.newest
    summary.isNewestFirst = writer.oldest != nil && writer.isNewestFirst
    summary.order = writer.order.page
    summary.signs += writer.unit.filledParts.filter(writer.emptied.contains).map { part in
      UnreadSign(part.hasSuffix("[]") ? String(part.dropLast(2)) : part, .emptied, "")
    }
    summary.signs += [writer.times.sign].compactMap { $0 }
    keys = writer.keys
    zeroDates = writer.reader.zeroDates
    fieldRejects = writer.fieldRejects
    if !writer.isPlain { answerPrint = nil }
  }
}

extension PageSummary {
  /// What an answer says besides its records.
  init(_ page: Page, _ step: Step, signs: [UnreadSign]) {
    self.init(
      purpose: step.purpose, ordinal: step.ordinal, cursor: step.cursor, next: page.next,
      total: page.total, more: page.more)
    (last, isOneObject) = (page.last, page.isOneObject)
    self.signs = page.signs + signs
  }
}
