internal import Base
internal import Walk

/// A row of `trawl_pages` in the making.
struct NewPage {
  var summary: PageSummary
  let step: Step
  let unit: OpenUnit
  let stamp: String
  var status = 200
  var cause: Cause?
  var etag: String?
  var lastModified: String?
  /// What tells a later answer with the same rows; nil: it is read in any case.
  var answerPrint: UInt64?
  var keys: [UInt64] = []
  var newest: Instant?
  var zeroDates = 0
  var fieldRejects = 0

  init(_ summary: PageSummary, _ step: Step, _ unit: OpenUnit, at stamp: String) {
    self.summary = summary
    self.step = step
    self.unit = unit
    self.stamp = stamp
  }

  /// What an earlier page was, as it bears on what stands for it now.
  struct Stored {
    var page: Int64
    var summary: PageSummary
    var keys: [UInt64]
    var etag: String?
    var lastModified: String?
    var newest: Instant?
    var zeroDates: Int
  }

  static func load(
    _ condition: String, _ values: [SQLValue], _ connection: Connection
  ) throws(SQLiteError) -> Stored? {
    try connection.row(
      "SELECT \(PageRow.columns), keys, etag, last_modified, newest, zero_dates, page "
        + "FROM trawl_pages WHERE \(condition)", values
    ) { row in
      Stored(
        page: row.integer(PageRow.count + 5), summary: PageRow.summary(row),
        keys: row.withBytes(PageRow.count) { KeyBlob.keys($0) },
        etag: row.text(PageRow.count + 1), lastModified: row.text(PageRow.count + 2),
        newest: row.text(PageRow.count + 3).flatMap { Instant(stored: $0) },
        zeroDates: row.int(PageRow.count + 4))
    }
  }

  mutating func takeOver(from old: Stored) {
    summary = old.summary
    summary.purpose = step.purpose
    summary.ordinal = step.ordinal
    summary.cursor = step.cursor
    summary.isNotModified = true
    summary.unseen = 0
    summary.signs.removeAll(where: \.kind.isAge)
    keys = old.keys
    etag = old.etag
    lastModified = old.lastModified
    newest = old.newest
  }

  private static let insertion =
    "INSERT INTO trawl_pages (window, traversal, ordinal, purpose, cursor, next_cursor, last_cursor, "
    + "address, address_digest, status, cause, etag, last_modified, answer_print, trouble, total, more, signs, received, new, "
    + "changed, unchanged, repeated, dropped, rejected, unseen, leading_repeats, zero_dates, "
    + "field_rejects, reject_reason, ambiguous, altered, ambiguous_key, keys, keys_digest, "
    + "is_not_modified, oldest, newest, is_newest_first, sort_span, request_print, mapping_print, "
    + "handed, run, committed_at) VALUES ("
    + Array(repeating: "?", count: 45).joined(separator: ", ") + ")"

  func save(_ connection: Connection) throws(SQLiteError) {
    let address = step.target
    let counts = summary.counts
    try connection.run(
      Self.insertion,
      [
        .integer(unit.id), .integer(unit.traversal), SQLValue(summary.ordinal),
        .text(summary.purpose.rawValue), .text(summary.cursor.description),
        SQLValue(summary.next?.description), SQLValue(summary.last?.description), .text(address),
        SQLValue(bits: Digest64.of(address.utf8)), SQLValue(status), SQLValue(cause?.rawValue),
        SQLValue(etag), SQLValue(lastModified), answerPrint.map { SQLValue(bits: $0) } ?? .null,
        SQLValue(summary.trouble?.rawValue), SQLValue(summary.total),
        summary.more.map { SQLValue($0) } ?? .null, SQLValue(SignText.text(summary.signs)),
        SQLValue(counts.received),
        SQLValue(counts.new), SQLValue(counts.changed), SQLValue(counts.unchanged),
        SQLValue(counts.repeated), SQLValue(counts.dropped), SQLValue(counts.rejected),
        SQLValue(summary.unseen), SQLValue(summary.leadingRepeats), SQLValue(zeroDates),
        SQLValue(fieldRejects), SQLValue(summary.rejectReason),
        SQLValue(summary.keyClashes.onPage), SQLValue(summary.keyClashes.acrossPages),
        SQLValue(summary.keyClashes.example), .blob(KeyBlob.bytes(keys)),
        SQLValue(bits: summary.keysDigest),
        SQLValue(summary.isNotModified),
        SQLValue(summary.oldest?.storedWithMilliseconds),
        SQLValue(newest?.storedWithMilliseconds), SQLValue(summary.isNewestFirst),
        SQLValue(OrderText.text(summary.order)),
        SQLValue(bits: unit.prints.request), SQLValue(bits: unit.prints.mapping),
        SQLValue(unit.handed?.text), .integer(unit.run), .text(stamp),
      ])
    if unit.handed != nil { try unit.keepRules(connection) }
  }
}

extension NewPage {
  /// What became of its records.
  mutating func take(_ writer: PageWriter, before: Set<UInt64>) {
    summary.counts = writer.counts
    summary.unseen = writer.unseen
    summary.leadingRepeats = writer.keys.prefix { before.contains($0) }.count
    summary.keysDigest = KeyBlob.digest(writer.keys)
    summary.firstKey = writer.keys.first
    summary.lastKey = writer.keys.last
    summary.rejectReason = writer.firstReject?.reason
    summary.keyClashes = writer.clashes
    // Read again, a page holds what was read before, and it may have changed since.
    if !step.purpose.isCounted { summary.keyClashes.acrossPages = 0 }
    summary.oldest = writer.oldest
    summary.isNewestFirst = writer.oldest != nil && writer.isNewestFirst
    summary.order = writer.order.page
    keys = writer.keys
    newest = writer.newest
    zeroDates = writer.reader.zeroDates
    fieldRejects = writer.fieldRejects
    if !writer.isPlain { answerPrint = nil }
  }
}

extension PageSummary {
  /// What an answer says beside its records.
  init(_ page: Page, _ step: Step, signs: [UnreadSign]) {
    self.init(
      purpose: step.purpose, ordinal: step.ordinal, cursor: step.cursor, next: page.next,
      total: page.total, more: page.more)
    last = page.last
    self.signs = page.signs + signs
  }
}
