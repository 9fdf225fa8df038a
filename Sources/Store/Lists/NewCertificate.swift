internal import Base
internal import Walk

/// A row of `trawl_certificates` to be written.
struct NewCertificate {
  let certificate: Certificate
  let unit: OpenUnit
  let connection: Connection
  let issuedAt: Instant
  /// The last one that was read to the list's end: the base of a walk that stopped at the last
  /// complete range.
  let complete: StoredCertificate?
  var vanished = 0
  var withheld = 0
  /// The list has been read to its end before.
  var wasWhole = false
  /// Over the keys of the walk.
  var keysDigest: UInt64 = 0
  /// A proof was due, and the list was read whole for it.
  var isProving = false
  /// What its pages do not show.
  var handed: String?

  /// An absent unit is requested again after 1, 2, 4, … days, at most 30; one that existed before,
  /// once a night.
  static let askAgainDaysMax = 30
  private static let night = Duration.seconds(20 * 3600)
  /// With `--if-due`, a failed list is requested again after 1, 2, 4, … hours.
  private static let retryHoursMax = 8
  static let retryMax = Duration.seconds(3600 * Int64(retryHoursMax))

  static func askAgain(after tries: Int) -> Duration {
    .seconds(86400 * (tries > 5 ? askAgainDaysMax : min(1 << (tries - 1), askAgainDaysMax)))
  }

  /// - Returns: when it is requested again, if known.
  func save() throws(SQLiteError) -> Instant? {
    var tries = 0
    var goesOn = certificate.goesOnAt
    if [.absent, .failed].contains(certificate.verdict) {
      let previous =
        try connection.row(
          "SELECT verdict, tries FROM trawl_certificates WHERE window = ? "
            + "ORDER BY certificate DESC LIMIT 1", [.integer(unit.id)]
        ) { ($0.text(0) ?? "", $0.int(1)) }
      tries = previous?.0 == certificate.verdict.rawValue ? (previous?.1 ?? 0) + 1 : 1
      let wait =
        certificate.verdict == .failed
        ? .seconds(3600 * min(1 << min(tries - 1, 8), Self.retryHoursMax))
        : wasWhole ? Self.night : Self.askAgain(after: tries)
      goesOn = goesOn ?? issuedAt + wait
    }
    var emptySince: String?
    let isRead = certificate.cause == .empty || certificate.verdict.isWhole || withheld > 0
    if certificate.counts.received == 0, isRead {
      let run = try Emptiness(unit: unit, connection: connection, now: issuedAt).run()
      tries = (run?.walks ?? 0) + 1
      emptySince = run?.since ?? issuedAt.description
    }
    let pattern = try pattern()
    let (newest, oldest) = try times()
    let proving = try proving()
    let counts = certificate.counts
    // A pause after a pause, or a failure after a failure, says the same thing later.
    if unit.hasCertificates {
      let walk: [SQLValue] = [.integer(unit.id), .integer(unit.traversal)]
      try connection.delete(Book.certificates, where: "window = ? AND traversal = ?", walk)
      // What ended an earlier run of this walk was requested again, and shows nothing any more.
      try connection.delete(
        Book.pages,
        where: "window = ? AND traversal = ? AND trouble <> 'unreadable' "
          + "AND purpose = 'page' AND run < ?", walk + [.integer(unit.run)])
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
        ("pattern", certificate.pattern.map { SQLValue(bits: $0) } ?? .null),
        ("pattern_walks", SQLValue(pattern.walks)),
        ("pattern_since", SQLValue(pattern.since)),
        ("rules", unit.rules.map { SQLValue(bits: $0.digest) } ?? .null),
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
        ("empty_since", SQLValue(emptySince)),
        ("unproven_reads", SQLValue(proving.reads)),
        ("proving_at", SQLValue(proving.at)),
      ] + counts.columns)
    return goesOn
  }

  /// How many walks in a row read the same, those of one run counted once, and when the first of
  /// them began.
  private func pattern() throws(SQLiteError) -> (walks: Int, since: String?) {
    guard let pattern = certificate.pattern else { return (0, nil) }
    guard let complete, complete.certificate.pattern == pattern, let since = complete.patternSince
    else { return (1, unit.beganAt) }
    let isOfThisRun = try previous()?.run == unit.run
    return (complete.patternWalks + (isOfThisRun ? 0 : 1), since.description)
  }

  /// How often the list was read to its end since it was last complete, and when it was last
  /// proved, or a proof was tried: by reading it twice in one run, or once if it moved meanwhile.
  private func proving() throws(SQLiteError) -> (reads: Int, at: String?) {
    if certificate.verdict == .complete { return (0, issuedAt.description) }
    let before = try previous()
    guard certificate.verdict == .unproven else {
      let isTried = isProving && certificate.cause == .moved
      return (before?.reads ?? 0, isTried ? issuedAt.description : before?.at)
    }
    let isSecond = before?.run == unit.run && before?.verdict == certificate.verdict.rawValue
    return ((before?.reads ?? 0) + 1, isSecond ? issuedAt.description : before?.at)
  }

  private func previous() throws(SQLiteError) -> (
    reads: Int, at: String?, run: Int64, verdict: String?
  )? {
    guard unit.hasCertificates else { return nil }
    return try connection.row(
      "SELECT unproven_reads, proving_at, run, verdict FROM trawl_certificates WHERE window = ? "
        + "ORDER BY certificate DESC LIMIT 1", [.integer(unit.id)]
    ) { (reads: $0.int(0), at: $0.text(1), run: $0.integer(2), verdict: $0.text(3)) }
  }

  /// Where a window's coverage ends, if that is before its own end.
  private var coversTo: Instant? {
    guard let window = unit.unit.window else { return nil }
    let asked = min(window.to, Instant(stored: unit.beganAt) ?? window.to)
    let end = max(window.from, certificate.coverageEnd(asked, issuedAt: issuedAt))
    return end.seconds < window.to.seconds ? end : nil
  }

  /// What the walk was handed after its last answer; and of a window, where its coverage may be
  /// cut.
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

  /// The stretch that the records cover. A walk that stopped at the last complete range covers
  /// that too.
  private func times() throws(SQLiteError) -> (String?, String?) {
    let own = try connection.row(
      "SELECT max(newest), min(oldest) FROM trawl_pages WHERE window = ? AND traversal = ?",
      [.integer(unit.id), .integer(unit.traversal)]
    ) { ($0.text(0), $0.text(1)) }
    guard certificate.rule == .lastCompleteRange,
      certificate.verdict.isWhole || certificate.cause == .rejects
    else { return own ?? (nil, nil) }
    // Text of fixed width: sorts by time.
    let newest = [own?.0, complete?.newest?.storedWithMilliseconds].compactMap { $0 }.max()
    let oldest = [own?.1, complete?.oldest?.storedWithMilliseconds].compactMap { $0 }.min()
    return (newest, oldest)
  }
}
