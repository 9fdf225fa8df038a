public import Base

/// Windows of a list that are certified as declared, joined if they touch and have the same
/// verdict, so that a timer which requests a new window each hour does not leave a row an hour
/// behind. A window with rejects was read as well as an unproven one and counts as such: requesting
/// it again returns what is already stored.
struct Coverage {
  let unit: OpenUnit
  let connection: Connection

  /// How many windows are kept with their certificates; older ones remain in the coverage.
  static let windowsKept = 50

  func absorb(_ certificate: Certificate, at issued: Instant) throws(SQLiteError) {
    guard let window = stretch(certificate, at: issued) else { return }
    let request = SQLValue(bits: unit.prints.request)
    let mapping = SQLValue(bits: unit.prints.mapping)
    let list = SQLValue.integer(unit.list)
    // UTC text of fixed width: sorts by time.
    let touching: [SQLValue] = [
      list, request, mapping, .text(window.from.description), .text(window.to.description),
      .text((issued + Instant.aheadMax).description),
    ]
    // Also pieces from a clock that was ahead, wherever they begin.
    let condition =
      "list_number = ?1 AND request_print = ?2 AND mapping_print = ?3 AND covered_to >= ?4 "
      + "AND (covered_from <= ?5 OR covered_to > ?6)"
    var others = try connection.rows(
      "SELECT covered_from, covered_to, verdict, as_of FROM trawl_coverage WHERE \(condition) "
        + "ORDER BY covered_from", touching
    ) { row in
      row.window(0).flatMap { window in
        row.text(2).flatMap(Verdict.init).map {
          Piece(from: window.from, to: window.to, verdict: $0, asOf: row.text(3) ?? "")
        }
      }
    }.compactMap(\.self)
    try connection.delete(Book.coverage, where: condition, touching)
    if others.contains(where: { $0.to.isAhead(of: issued) }), try isLikely(issued) {
      try forget(ahead: &others, at: issued)
    }
    let new = Piece(
      from: window.from, to: window.to,
      verdict: certificate.cause == .rejects ? .unproven : certificate.verdict,
      asOf: issued.description)
    let pieces = Piece.joined(others, with: new)
    for piece in pieces {
      try connection.insert(
        Book.coverage,
        [
          ("list_number", list), ("covered_from", .text(piece.from.description)),
          ("covered_to", .text(piece.to.description)), ("verdict", .text(piece.verdict.rawValue)),
          ("request_print", request), ("mapping_print", mapping), ("as_of", .text(piece.asOf)),
        ])
    }
    try dropSuperseded(by: certificate.verdict == .complete ? window : nil, try around(window))
    try connection.delete(
      Book.windows,
      where: "list_number = ?1 AND window_from <> '' AND is_open = 0 "
        + "AND window NOT IN (SELECT window FROM trawl_windows WHERE list_number = ?1 "
        + "AND window_from <> '' "
        // cut: older windows remain in the coverage
        + "ORDER BY window DESC LIMIT \(Self.windowsKept)) "
        + "AND \(Self.last("is_as_declared")) = 1 AND \(Self.last("standing")) = 'valid'", [list])
  }

  /// What a certificate covers. A walk of the whole list reaches from the API's beginning to the
  /// moment when it began; later records may have come after it was read.
  private func stretch(_ certificate: Certificate, at issued: Instant) -> TimeWindow? {
    let isRead = certificate.cause == .rejects
    let stretch: TimeWindow
    if let window = unit.unit.window {
      guard certificate.isAsDeclared || isRead else { return nil }
      stretch = TimeWindow(
        from: window.from, to: unit.coverageEnd(of: window, certificate, issuedAt: issued))
    } else {
      guard let rule = unit.plan.stream.window, certificate.verdict.isWhole || isRead,
        let began = Instant(stored: unit.beganAt)
      else { return nil }
      stretch = TimeWindow(
        from: rule.reach.map { began - $0 } ?? .beginning,
        to: certificate.coverageEnd(began, issuedAt: issued) - rule.delay)
    }
    // Kept in whole seconds.
    return stretch.from.seconds < stretch.to.seconds ? stretch : nil
  }

  /// Whether most of the last runs agree with this clock. If it was set back, nothing is deleted. Two runs that
  /// disagree do not show which is right.
  func isLikely(_ now: Instant) throws(SQLiteError) -> Bool {
    try connection.integer(
      // cut: the majority of the last runs decides
      "SELECT 2 * sum(began_at > ?) <= count(*) - (count(*) = 2) FROM "
        + "(SELECT began_at FROM trawl_runs ORDER BY run DESC LIMIT 21)",
      [.text((now + Instant.aheadMax).description)]) != 0
  }

  /// What was covered while the clock was ahead is read again; its windows are deleted with it.
  private func forget(ahead pieces: inout [Piece], at now: Instant) throws(SQLiteError) {
    let last = try Self.lastCertain(connection, now: now)
    for index in pieces.indices where pieces[index].to.isAhead(of: now) { pieces[index].to = last }
    pieces = pieces.filter { $0.from.seconds < $0.to.seconds }
    try connection.delete(
      Book.windows,
      where: "list_number = ?1 AND window_from <> '' AND window <> ?2 "
        + "AND EXISTS (SELECT 1 FROM trawl_certificates c WHERE c.window = trawl_windows.window "
        + "AND c.issued_at > ?3)",
      [
        .integer(unit.list), .integer(unit.id), .text((now + Instant.aheadMax).description),
      ])
  }

  /// The beginning of the last run before those whose clock was ahead: their coverage is certain up to then. Without
  /// such a run, nothing is.
  static func lastCertain(_ connection: Connection, now: Instant) throws(SQLiteError) -> Instant {
    try connection.instant(
      "SELECT max(began_at) FROM trawl_runs WHERE began_at <= ?1 AND run < "
        + "(SELECT min(run) FROM trawl_runs WHERE began_at > ?1)",
      [.text((now + Instant.aheadMax).description)]
    ).map { min($0, now) } ?? .beginning
  }

  /// The stretch around a window that is covered without a hole.
  private func around(_ window: TimeWindow) throws(SQLiteError) -> TimeWindow {
    let pieces = try covered("mapping_print = ?", SQLValue(bits: unit.prints.mapping))
    return pieces.joined.filter { $0.from <= window.to && $0.to >= window.from }
      .reduce(window) { TimeWindow(from: min($0.from, $1.from), to: max($0.to, $1.to)) }
  }

  /// How far coverage reaches from an instant on, without a hole.
  func reach(from start: Instant) throws(SQLiteError) -> Instant {
    try covered("covered_to > ?", .text(start.description)).reduce(start) { reach, piece in
      piece.from <= reach ? max(reach, piece.to) : reach
    }
  }

  /// The stretches of the list that are covered for the present request, in order.
  private func covered(
    _ condition: String, _ value: SQLValue
  ) throws(SQLiteError) -> [TimeWindow] {
    try connection.rows(
      "SELECT covered_from, covered_to FROM trawl_coverage WHERE list_number = ? "
        + "AND request_print = ? AND \(condition) ORDER BY covered_from",
      [.integer(unit.list), SQLValue(bits: unit.prints.request), value]
    ) { $0.window(0) }.compactMap(\.self)
  }

  /// A column of the last certificate of each window, as SQL. It reads no certificates of other lists.
  private static func last(_ column: String) -> String {
    "(SELECT c.\(column) FROM trawl_certificates c WHERE c.window = trawl_windows.window "
      + "ORDER BY c.certificate DESC LIMIT 1)"
  }

  /// Deletes windows inside the stretch that were less than declared or unfinished, since other windows have read what
  /// they lack, and unproven or empty ones inside a proven window.
  private func dropSuperseded(
    by proven: TimeWindow?, _ stretch: TimeWindow
  ) throws(SQLiteError) {
    try connection.delete(
      Book.windows,
      where: "list_number = ?1 AND window_from <> '' AND window <> ?4 "
        + "AND (window_from >= ?2 AND window_to <= ?3 "
        + "AND (is_open = 1 OR NOT ifnull(\(Self.last("is_as_declared")), 0)) "
        + "OR window_from >= ?5 AND window_to <= ?6 "
        + "AND (\(Self.last("verdict")) <> 'complete' OR \(Self.last("received")) = 0))",
      [
        .integer(unit.list), .text(stretch.from.description), .text(stretch.to.description),
        .integer(unit.id), SQLValue(proven?.from.description), SQLValue(proven?.to.description),
      ])
  }
}

extension Coverage {
  /// A stretch of time with the verdict of its windows.
  struct Piece: Equatable {
    var from: Instant
    var to: Instant
    var verdict: Verdict
    /// When the oldest of its windows was certified.
    var asOf: String

    /// What was proven stays proven if it is read again without a proof, and so on for the weaker
    /// verdicts: at each time the best verdict counts. Adjacent stretches with the same verdict
    /// become one.
    static func joined(_ old: [Piece], with new: Piece) -> [Piece] {
      let all = old + [new]
      let times = Set(all.flatMap { [$0.from, $0.to] }).sorted()
      return zip(times, times.dropFirst()).reduce(into: []) { joined, stretch in
        let there = all.filter { $0.from <= stretch.0 && stretch.1 <= $0.to }
        guard var best = there.max(by: { ($0.rank, $1.asOf) < ($1.rank, $0.asOf) }) else { return }
        if let last = joined.last, last.to == stretch.0, last.verdict == best.verdict {
          joined[joined.count - 1].to = stretch.1
          joined[joined.count - 1].asOf = min(last.asOf, best.asOf)
        } else {
          (best.from, best.to) = stretch
          joined.append(best)
        }
      }
    }

    private var rank: Int { Verdict.worstFirst.firstIndex(of: verdict) ?? 0 }
  }
}

extension Instant {
  /// Means "as far back as there is anything": the year 1000. (To readers of dates, year 1 means
  /// "no date".)
  public static let beginning = Instant(seconds: -30_610_224_000)
}
