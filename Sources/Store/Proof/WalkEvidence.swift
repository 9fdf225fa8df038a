internal import Base
internal import Walk

/// The stored answers of one walk, walked again.
struct WalkEvidence {
  /// No answer of the walk is stored.
  private(set) var isEmpty = true
  /// Records that may have no row: dropped and rejected ones, and those whose list is unknown.
  private(set) var withoutRow = 0
  /// Answers of the list itself: not looks, nor what came instead of a page.
  private(set) var pages = 0
  private(set) var replay = Replay()
  /// For single answers, which are not a walk.
  private(set) var answers: BatchAnswers
  private(set) var problems: [String] = []
  /// It, or its certificate, is not as it was written: what such values give is not looked at.
  private(set) var isDamaged: Bool

  private var stored: StoredPages

  var keys: KeySet { stored.seen }

  /// Pages of later runs do not count: after a pause, another run may have continued.
  init(
    of claim: CertificateProof.Claim, _ rules: StoredRules, _ book: BookProof,
    _ connection: Connection
  ) throws {
    isDamaged = book.isDamaged(claim)
    answers = BatchAnswers(claim.rules ?? .empty)
    stored = StoredPages(of: claim.window, traversal: claim.traversal)
    var stored = stored
    try stored.read(where: "run <= ?", [.integer(claim.stored.run)], in: connection) { page in
      isDamaged = isDamaged || book.isDamaged(page: page.number)
      try take(page, of: claim, rules, connection)
    }
    self.stored = stored
    if claim.handed != nil, claim.left == nil, claim.rules?.isBatch == false, !isDamaged {
      problems.append("what its walk was handed at its end cannot be read")
    }
    guard let left = claim.left, left.rules != 0, !isEmpty, !isDamaged else { return }
    guard let rules = try rules.rules(left.rules) else {
      problems.append("the rules of its walk are not there")
      return
    }
    try replay.begin(left, rules) { try Self.pages(of: claim, before: .max, connection) }
  }

  private mutating func take(
    _ page: StoredPage, of claim: CertificateProof.Claim, _ rules: StoredRules,
    _ connection: Connection
  ) throws {
    isEmpty = false
    if !page.summary.purpose.isLook, page.summary.trouble == nil {
      pages += 1
      withoutRow += page.withoutRow
    }
    if isDamaged { return }
    guard claim.rules?.isBatch != true else { return answers.note(page.summary) }
    let read = page.handed.flatMap(rules.handed)
    if page.handed != nil, read == nil {
      problems.append(
        "what its walk was handed before page \(page.summary.ordinal) cannot be read")
    }
    try replay.take(
      Replay.Row(
        page.summary, address: page.address, handed: read,
        rules: try read.flatMap { try rules.rules($0.rules) })
    ) { try Self.pages(of: claim, before: page.number, connection) }
  }

  /// The earlier pages that a walk resumed here reads.
  private static func pages(
    of claim: CertificateProof.Claim, before page: Int64, _ connection: Connection
  ) throws -> [PageSummary] {
    var stored = StoredPages(of: claim.window, traversal: claim.traversal)
    return try stored.summaries(where: "page < ?", [.integer(page)], in: connection)
  }
}

/// The rules of walks, and what they were handed, each read once: most lists of a stream share
/// them.
final class StoredRules {
  private let connection: Connection
  private var known: [UInt64: WalkRules] = [:]
  private var knownHanded: [String: Handed] = [:]
  private static let handedMax = 1_000

  init(_ connection: Connection) { self.connection = connection }

  func handed(_ text: String) -> Handed? {
    if let handed = knownHanded[text] { return handed }
    let handed = Handed(text)
    if knownHanded.count < Self.handedMax { knownHanded[text] = handed }
    return handed
  }

  /// Nil: they are missing, or do not match their digest.
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
