internal import Base
internal import Walk

/// The stored answers of one walk, walked again. What its rows say of keys is counted from the keys.
struct WalkEvidence {
  /// Of the rows themselves.
  private(set) var numbers: [Int64] = []
  private(set) var keys = KeySet()
  /// Records that may have no row: dropped and rejected ones, and those whose list could not be told.
  private(set) var withoutRow = 0
  /// Answers of the list itself: looks, and what came in the place of a page, are none.
  private(set) var pages = 0
  private(set) var replay = Replay()
  /// Of single answers side by side, which are no walk.
  private(set) var answers = BatchAnswers()
  private(set) var problems: [String] = []

  /// The keys of the last page of the list.
  private var before: (ordinal: Int, keys: [UInt64]) = (0, [])

  private static let columns =
    "\(PageRow.columns), keys, address, handed, run, page, dropped + rejected + field_rejects"

  /// - Parameter run: the last one whose pages count: behind a pause a later one may have gone on.
  init(
    of claim: CertificateProof.Claim, _ rules: StoredRules, _ connection: Connection
  ) throws {
    let rows = try connection.statement(
      "SELECT \(Self.columns) FROM trawl_pages WHERE window = ? AND traversal = ? AND run <= ? "
        + "ORDER BY page")
    try rows.bind([.integer(claim.window), .integer(claim.traversal), .integer(claim.run)])
    defer { rows.clear() }
    while try rows.step() { try take(rows, of: claim, rules, connection) }
    guard let left = claim.left, left.rules != 0, !numbers.isEmpty else { return }
    guard let rules = try rules.rules(left.rules) else {
      problems.append("the rules of its walk are not there")
      return
    }
    try replay.begin(left, rules) { try Self.pages(of: claim, before: .max, connection) }
  }

  private mutating func take(
    _ row: Statement, of claim: CertificateProof.Claim, _ rules: StoredRules,
    _ connection: Connection
  ) throws {
    let first = PageRow.count
    var page = PageRow.summary(row)
    let keys = row.withBytes(first) { KeyBlob.keys($0) }
    let number = row.integer(first + 4)
    if page.purpose == .page, page.ordinal > 1, before.ordinal != page.ordinal - 1 {
      before = try Self.keys(of: claim, at: page.ordinal - 1, before: number, connection)
    }
    numbers.append(number)
    recount(&page, keys, withoutRow: row.int(first + 5))
    guard claim.rules?.isBatch != true else { return answers.note(page) }
    let handed = row.text(first + 2)
    let read = handed.flatMap { Handed($0) }
    if handed != nil, read == nil {
      problems.append("what its walk was handed before page \(page.ordinal) cannot be read")
    }
    try replay.take(
      Replay.Row(
        page, address: row.text(first + 1) ?? "", handed: read,
        rules: try read.flatMap { try rules.rules($0.rules) })
    ) { try Self.pages(of: claim, before: number, connection) }
  }

  /// Takes what the row says of its keys from the keys.
  private mutating func recount(_ page: inout PageSummary, _ keys: [UInt64], withoutRow: Int) {
    page.firstKey = keys.first
    page.lastKey = keys.last
    if page.purpose.isLook {
      page.lookedAt = keys.count
      page.keysDigest = KeyBlob.digest(keys)
      return
    }
    guard page.trouble == nil else { return }
    pages += 1
    self.withoutRow += withoutRow
    let unseen = keys.count { self.keys.insert($0) }
    let leading = page.purpose == .page ? keys.prefix { before.keys.contains($0) }.count : 0
    if unseen != page.unseen || leading != page.leadingRepeats {
      problems.append(
        "page \(page.ordinal) of its walk brought \(unseen) different new keys and began with "
          + "\(leading) of the page before; it names \(page.unseen) and \(page.leadingRepeats)")
    }
    (page.unseen, page.leadingRepeats) = (unseen, leading)
    page.keysDigest = KeyBlob.digest(keys)
    if page.purpose != .closingCheck { before = (page.ordinal, keys) }
  }

  /// Of the last answer of a place, where another one was read in between.
  private static func keys(
    of claim: CertificateProof.Claim, at ordinal: Int, before page: Int64, _ connection: Connection
  ) throws(SQLiteError) -> (Int, [UInt64]) {
    let keys = try connection.row(
      "SELECT keys FROM trawl_pages WHERE window = ? AND traversal = ? AND ordinal = ? "
        + "AND page < ? AND trouble IS NULL AND \(RecordStore.ofTheList) ORDER BY page DESC LIMIT 1",
      [
        .integer(claim.window), .integer(claim.traversal), .integer(Int64(ordinal)),
        .integer(page),
      ]
    ) { $0.withBytes(0) { KeyBlob.keys($0) } }
    return (ordinal, keys ?? [])
  }

  /// What a walk reads that is resumed here.
  private static func pages(
    of claim: CertificateProof.Claim, before page: Int64, _ connection: Connection
  ) throws(SQLiteError) -> [PageSummary] {
    try connection.rows(
      "SELECT \(PageRow.columns), keys FROM trawl_pages WHERE window = ? AND traversal = ? "
        + "AND page < ? ORDER BY page",
      [.integer(claim.window), .integer(claim.traversal), .integer(page)]
    ) { PageRow.summary($0, keysAt: PageRow.count) }
  }
}

/// The rules that walks went by, each read once.
final class StoredRules {
  private let connection: Connection
  private var known: [UInt64: WalkRules] = [:]

  init(_ connection: Connection) { self.connection = connection }

  /// Nil: they are not there, or are not what their name says.
  func rules(_ digest: UInt64) throws(SQLiteError) -> WalkRules? {
    if let rules = known[digest] { return rules }
    guard let text = try connection.fact(.rules(digest))?.text, Digest64.of(text.utf8) == digest,
      let rules = WalkRules(text)
    else {
      return nil
    }
    known[digest] = rules
    return rules
  }
}
