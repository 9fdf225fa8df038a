public import Base
internal import Walk

/// A row of `trawl_certificates` to be written.
struct NewCertificate {
  let certificate: Certificate
  let unit: OpenUnit
  let connection: Connection
  let issuedAt: Instant
  /// The one before it.
  let last: StoredCertificate?
  /// The last certificate whose walk read the list to its end: the base of a walk that stopped at the last complete
  /// range.
  let complete: StoredCertificate?
  var vanished = 0
  var withheld = 0
  /// The list has been read to its end before.
  var wasWhole = false
  var keysDigest: UInt64 = 0
  /// A proof was due, and the list was read whole for it.
  var isProving = false
  /// Inputs of the verdict that its pages do not show.
  var handed: String?

  /// - Returns: when it is requested again, if known.
  func save() throws(SQLiteError) -> Instant? {
    var tries = 0
    var goesOn = certificate.goesOnAt
    if [.absent, .failed].contains(certificate.verdict) {
      tries = last?.certificate.verdict == certificate.verdict ? (last?.tries ?? 0) + 1 : 1
      let wait =
        certificate.verdict == .failed
        ? RetryTimes.failed(after: tries)
        : wasWhole ? RetryTimes.night : RetryTimes.absent(after: tries)
      goesOn = goesOn ?? issuedAt + wait
    }
    var emptySince: Instant?
    if Emptiness.isFound(certificate, withheld: withheld) {
      let run = try Emptiness(unit: unit, connection: connection, now: issuedAt).last()?.empty
      tries = (run?.walks ?? 0) + 1
      emptySince = run?.since ?? issuedAt
    }
    let pattern = pattern
    let (newest, oldest) = try times()
    let proving = proving
    let counts = certificate.counts
    // A pause after a pause, or a failure after a failure, says the same thing later.
    if unit.hasCertificates {
      try connection.delete(Book.certificates, where: "window = ? AND traversal = ?", unit.walk)
      // What ended an earlier run of this walk was requested again, and shows nothing any more.
      try connection.delete(
        Book.pages,
        where: "window = ? AND traversal = ? AND trouble <> 'unreadable' "
          + "AND purpose = 'page' AND run < ?", unit.walk + [.integer(unit.run)])
    }
    if unit.handed != nil { try unit.keepRules(connection) }
    try connection.insert(
      Book.certificates,
      [
        ("window", .integer(unit.id)),
        ("traversal", .integer(unit.traversal)),
        ("verdict", .text(certificate.verdict.rawValue)),
        ("cause", SQLValue(certificate.cause?.rawValue)),
        ("rule", .text(certificate.rule.rawValue)),
        ("why", .text(certificate.why)),
        ("pages", SQLValue(certificate.pages)),
        ("distinct_keys", SQLValue(certificate.distinctKeys)),
        ("keys_count", SQLValue(unit.seen.count)),
        ("keys_digest", SQLValue(bits: keysDigest)),
        ("first_total", SQLValue(certificate.firstTotal)),
        ("last_total", SQLValue(certificate.lastTotal)),
        ("trust", SQLValue(certificate.trust?.rawValue)),
        ("has_moved", SQLValue(certificate.hasMoved)),
        ("is_as_declared", SQLValue(certificate.isAsDeclared)),
        ("proof", SQLValue(certificate.proof?.rawValue)),
        ("proofs", SQLValue(ProofList.text(certificate.proofs))),
        ("rests_on", SQLValue(restsOn)),
        ("pattern", SQLValue(bits: certificate.pattern)),
        ("pattern_walks", SQLValue(pattern.walks)),
        ("pattern_since", SQLValue(pattern.since)),
        ("rules", SQLValue(bits: unit.rules?.digest)),
        ("handed", SQLValue(handed ?? left)),
        ("oldest", SQLValue(oldest)),
        ("newest", SQLValue(newest)),
        ("vanished", SQLValue(vanished)),
        ("withheld", SQLValue(withheld)),
        ("standing", "valid"),
        ("request_print", SQLValue(bits: unit.prints.request)),
        ("mapping_print", SQLValue(bits: unit.prints.mapping)),
        ("run", .integer(unit.run)),
        ("began_at", .text(min(unit.beganAt, issuedAt.description))),
        ("issued_at", .text(issuedAt.description)),
        ("whole_at", .text(wholeAt.description)),
        ("covers_to", SQLValue(coversTo?.description)),
        ("resumes_at", SQLValue(goesOn?.description)),
        ("tries", SQLValue(tries)),
        ("empty_since", SQLValue(emptySince?.description)),
        ("unproven_reads", SQLValue(proving.reads)),
        ("proving_at", SQLValue(proving.at?.description)),
      ] + counts.columns)
    return goesOn
  }

  /// How many walks in a row read the same (those of one run count once), and when the first of them began.
  private var pattern: (walks: Int, since: String?) {
    guard let pattern = certificate.pattern else { return (0, nil) }
    guard let complete, complete.certificate.pattern == pattern, let since = complete.patternSince
    else { return (1, unit.beganAt) }
    return (complete.patternWalks + (last?.run == unit.run ? 0 : 1), since.description)
  }

  /// How often the list was read to its end since it was last complete, and when it was last proven or a proof was
  /// tried: by two walks in one run, or by one during which it moved.
  private var proving: (reads: Int, at: Instant?) {
    if certificate.verdict == .complete { return (0, issuedAt) }
    let reads = last?.unprovenReads ?? 0
    guard certificate.verdict == .unproven else {
      let isTried = isProving && certificate.cause == .moved
      return (reads, isTried ? issuedAt : last?.provingAt)
    }
    let isSecond = last?.run == unit.run && last?.certificate.verdict == certificate.verdict
    return (reads + 1, isSecond ? issuedAt : last?.provingAt)
  }

  /// Where a window's coverage ends, if that is before its own end.
  private var coversTo: Instant? {
    guard let window = unit.unit.window else { return nil }
    let end = unit.coverageEnd(of: window, certificate, issuedAt: issuedAt)
    return end.seconds < window.to.seconds ? end : nil
  }

  /// What the walk was handed after its last answer; of a window, where its coverage may end.
  private var left: String? {
    var left = unit.handed.flatMap { $0.isResumed ? $0 : nil } ?? Handed(rules: 0)
    if unit.unit.window != nil { left.listedUntil = certificate.listedUntil }
    return left == Handed(rules: 0) ? nil : left.text
  }

  private var restsOn: Int? {
    switch certificate.proof {
    case .twice, .joined: unit.whole
    default: nil
    }
  }

  private var wholeAt: Instant {
    certificate.rule == .lastCompleteRange ? complete?.wholeAt ?? issuedAt : issuedAt
  }

  /// From where windows read on behind a whole walk that the API cut and whose order is not known: any older record may
  /// be among those that it lacks.
  private var readsOnFrom: String? {
    guard certificate.verdict == .limited, unit.unit.window == nil,
      let rule = unit.plan.stream.window, let began = Instant(stored: unit.beganAt)
    else { return nil }
    let next = WindowPlanner(rule).incremental(
      after: began - rule.delay, now: began, first: .zero)
    return next.from.storedWithMilliseconds
  }

  /// The stretch that the records cover. A walk that stopped at the last complete range also covers
  /// that.
  private func times() throws(SQLiteError) -> (String?, String?) {
    let own: (String?, String?)? = try connection.row(
      "SELECT max(newest), min(oldest) FROM trawl_pages WHERE window = ? AND traversal = ?",
      unit.walk)
    guard certificate.rule == .lastCompleteRange,
      certificate.verdict.isWhole || certificate.cause == .rejects
    else { return (own?.0, own?.1 ?? readsOnFrom) }
    // Text of fixed width: sorts by time.
    let newest = [own?.0, complete?.newest?.storedWithMilliseconds].compactMap { $0 }.max()
    let oldest = [own?.1, complete?.oldest?.storedWithMilliseconds].compactMap { $0 }.min()
    return (newest, oldest)
  }
}

/// What a certificate did to the tables.
public struct CertifiedUnit: Sendable, Equatable {
  /// Memberships (or rows, without a membership table) that are marked as gone.
  public var vanished: Int
  /// Rows that look gone but are too many to believe it; nothing was marked. Accept them to mark them.
  public var withheld: Int
  /// Present in the list now.
  public var rows: Int
  /// The last certificate before, but for pauses and failures, was as declared, or there was none.
  public var wasAsDeclared: Bool
  /// The withheld rows were together in the list: later walks decide.
  public var areTogether: Bool
  /// The list has less than it had, and no run has reported that yet.
  public var isNewShortfall: Bool
  /// The next walk may fare better: it was read once, or another list of its stream.
  public var mayHeal: Bool
  /// As stored: weaker than the walk's own if rows of earlier walks are withheld.
  public var certificate: Certificate

  /// Reasons for the run's own outcome. A list counts as failed in each run if no list of its stream was ever read;
  /// what may heal is reported once.
  public var kinds: Set<RunOutcome.Kind> {
    switch certificate.verdict {
    case .paused: [.paused]
    case .failed where !mayHeal: [.failed]
    default: isNewShortfall ? [.lessThanDeclared] : []
    }
  }
}
