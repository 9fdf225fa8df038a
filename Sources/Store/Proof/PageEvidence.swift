internal import Model
internal import SQLite

/// The stored pages of one walk, as evidence of its certificate.
struct PageEvidence {
  struct Reading {
    var ordinal: Int
    var purpose: String
    var cursor: String
    var next: String?
    var received: Int
    var more: Bool?
    var isUnreadable: Bool
    /// Its records show where it stands in the list's order: the walk may have stepped back.
    var isOrdered: Bool
  }

  private var readings: [Reading] = []
  /// Of the rows themselves.
  private(set) var numbers: [Int64] = []
  private(set) var keys = KeySet()
  private(set) var new = 0
  private(set) var changed = 0
  /// Records that may have no row: dropped and rejected ones, and those whose list could not be
  /// told.
  private(set) var withoutRow = 0

  /// - Parameter run: the last one whose pages count: behind a pause a later one may have gone on.
  init(
    window: Int64, traversal: Int64, upTo run: Int64 = .max, _ connection: Connection
  ) throws(SQLiteError) {
    let rows = try connection.statement(
      "SELECT ordinal, purpose, cursor, next_cursor, received, more, is_unreadable, keys, new, "
        + "changed, dropped + rejected + field_rejects, page, sort_span IS NOT NULL FROM trawl_pages "
        + "WHERE window = ? AND traversal = ? AND run <= ? ORDER BY page")
    try rows.bind([.integer(window), .integer(traversal), .integer(run)])
    defer { rows.clear() }
    while try rows.step() {
      numbers.append(rows.integer(11))
      // It was looked at, and another page brought its records.
      if Step.Purpose(rawValue: rows.text(1) ?? "")?.isLook == true { continue }
      readings.append(
        Reading(
          ordinal: rows.int(0), purpose: rows.text(1) ?? "", cursor: rows.text(2) ?? "",
          next: rows.text(3), received: rows.int(4),
          more: rows.isNull(5) ? nil : rows.boolean(5), isUnreadable: rows.boolean(6),
          isOrdered: rows.boolean(12)))
      for key in rows.withBytes(7, { KeyBlob.keys($0) }) { _ = keys.insert(key) }
      new += rows.int(8)
      changed += rows.int(9)
      withoutRow += rows.int(10)
    }
  }

  var count: Int { readings.count }

  /// Single answers side by side, no chain: a batch asks one for each of its parents.
  var isBatch: Bool { readings.count > 1 && readings.allSatisfy { $0.cursor == "start" } }

  /// Page by page the last reading of the list itself; the closing look at page 1 is none.
  private var pages: [Reading] {
    var last: [Int: Reading] = [:]
    for reading in readings where reading.purpose != Step.Purpose.closingCheck.rawValue {
      if !reading.isUnreadable { last[reading.ordinal] = reading }
    }
    return last.values.sorted { $0.ordinal < $1.ordinal }
  }

  var last: Reading? { pages.last }
  var received: Int { pages.reduce(0) { $0 + $1.received } }

  /// The walk went from page to page, and left none out.
  func chain(of claim: CertificateProof.Claim) -> [String] {
    let ended = ["complete", "unproven", "limited", "incomplete"]
    guard ended.contains(claim.verdict), claim.rule != StopRule.outOfReach.rawValue, !isBatch,
      !readings.isEmpty
    else { return [] }
    var problems: [String] = []
    let pages = pages
    if pages.count != claim.pages {
      problems.append("it names \(claim.pages) pages, and \(pages.count) are stored")
    }
    if let hole = pages.indices.first(where: { pages[$0].ordinal != $0 + 1 }) {
      problems.append("page \(hole + 1) of its walk is not there")
      return problems
    }
    for (page, following) in zip(pages, pages.dropFirst()) {
      let isWhole =
        page.next.map { $0.utf8.elementsEqual(following.cursor.utf8) }
        ?? (page.isOrdered || following.isOrdered
          || Self.follows(page.cursor, following.cursor))
      if !isWhole {
        problems.append("page \(following.ordinal) does not follow from page \(page.ordinal)")
      }
    }
    return problems
  }

  /// Whether a page by number or offset stands behind another one.
  private static func follows(_ cursor: String, _ next: String) -> Bool {
    switch (Cursor(cursor), Cursor(next)) {
    case (.sized(let one, let size), .sized(let other, let otherSize)):
      (one - 1).multipliedReportingOverflow(by: size).partialValue
        < (other - 1).multipliedReportingOverflow(by: otherSize).partialValue
    // How much of the page in the other size was read before, only the job's size would tell.
    case (.number, .sized), (.sized, .number): true
    default: position(next) ?? -1 > position(cursor) ?? -1
    }
  }

  private static func position(_ cursor: String) -> Int? {
    switch Cursor(cursor) {
    case .number(let number), .offset(let number): number
    default: nil
    }
  }
}
