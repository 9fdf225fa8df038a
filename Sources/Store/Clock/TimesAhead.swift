public import Base

/// What runs have written whose clock was ahead: times that have not come yet. None of them is a fact.
///
/// When such a run was really made is not known; but no earlier than the last run before it whose time
/// can be true. What it covered is taken as read up to that instant, and read again from there on.
struct TimesAhead {
  /// So far a clock is set back in passing.
  static let grain = Duration.seconds(300)
  /// Nothing waits longer than this: what is not there is requested again after 30 days at the latest.
  static let waitMax = Duration.seconds(31 * 86_400)

  let connection: Connection
  let now: Instant
  private var limit: SQLValue { .text((now + Self.grain).description) }

  init(_ connection: Connection, now: Instant) {
    self.connection = connection
    self.now = now
  }

  /// The last instant before the first run that was ahead; nil: no run before it is known.
  func lastCertain() throws(SQLiteError) -> Instant? {
    try connection.text(
      "SELECT max(began_at) FROM trawl_runs WHERE began_at <= ?1 AND run < "
        + "(SELECT min(run) FROM trawl_runs WHERE began_at > ?1)", [limit]
    ).flatMap { Instant(stored: $0) }.map { min($0, now) }
  }

  func isAhead(_ instant: Instant) -> Bool { instant - now > Self.grain }

  /// What of a covered stretch can be true; nil: nothing of it.
  /// - Parameter asOf: when the oldest window of it was certified.
  func certain(_ stretch: TimeWindow, asOf: Instant?, _ last: Instant?) -> TimeWindow? {
    guard isAhead(stretch.to) else { return stretch }
    let known = last ?? asOf.flatMap { isAhead($0) ? nil : $0 } ?? stretch.from
    let end = min(stretch.to, known, now)
    return stretch.from.seconds < end.seconds ? TimeWindow(from: stretch.from, to: end) : nil
  }

  /// Whether the clock is one that most runs of this file could have had: of a clock that fell back the
  /// file is not healed.
  func isLikely() throws(SQLiteError) -> Bool {
    let ahead = try connection.row(
      // cut: the last runs tell by majority
      "SELECT count(*), sum(began_at > ?) FROM (SELECT began_at FROM trawl_runs ORDER BY run DESC "
        + "LIMIT 21)", [limit]
    ) { ($0.int(0), $0.int(1)) }
    guard let (runs, later) = ahead else { return true }
    return later * 2 <= runs
  }

  /// A look at the small tables, which every run can afford.
  func isFound() throws(SQLiteError) -> Bool {
    let signs = [
      "SELECT 1 FROM trawl_runs WHERE began_at > ?1 OR ended_at > ?1",
      "SELECT 1 FROM trawl_coverage WHERE covered_to > ?1 OR as_of > ?1",
      "SELECT 1 FROM trawl_certificates WHERE issued_at > ?1",
    ]
    for sign in signs {
      // cut: one is enough
      if try connection.integer("\(sign) LIMIT 1", [limit]) != nil { return true }
    }
    return false
  }

  /// Heals them in the transaction that is under way.
  /// - Parameter tables: of the jobs' records.
  func heal(_ tables: [TableDesign]) throws(SQLiteError) -> HealedTimes {
    let last = try lastCertain()
    var healed = HealedTimes(since: last)
    try healCoverage(last, &healed)
    // When it was really so is known no better.
    let then = SQLValue.text((last ?? now).description)
    try healCertificates(then, &healed)
    healed.waits += try endWaits(last)
    try set("trawl_pages", ["committed_at"], then)
    try set("trawl_fills", ["began_at", "forecast_at", "ended_at"], then)
    try set("trawl_goals", ["added_at", "reached_at"], then)
    try set("trawl_media", ["stored_at"], then)
    try set("trawl_media_urls", ["queued_at", "fetched_at"], then)
    try set("trawl_unneeded", ["since"], then)
    try set("trawl_rejects", ["first_seen_at"], then)
    try set("trawl_densities", ["as_of"], then)
    try set("trawl_signs", ["seen_at"], then)
    try Tally.move(after: limit, to: then, connection)
    for table in tables where table.kind == .records || table.kind == .list {
      for column in CanonicalRow.ours where table.column(column) != nil {
        try connection.run(
          "UPDATE \(SQLName.quoted(table.name)) SET \(column) = ?2, \(table.sealing([column: "?2"])) "
            + "WHERE \(column) > ?1", [limit, then])
      }
    }
    // Last: they are what the others are judged by.
    try set("trawl_runs", ["began_at", "ended_at"], then)
    return healed
  }

  private func set(
    _ table: String, _ columns: [String], _ value: SQLValue
  ) throws(SQLiteError) {
    for column in columns {
      try connection.run(
        "UPDATE \(table) SET \(column) = ?2 WHERE \(column) > ?1", [limit, value])
    }
  }

  private func healCoverage(
    _ last: Instant?, _ healed: inout HealedTimes
  ) throws(SQLiteError) {
    struct Row {
      var key: [SQLValue]
      var stretch: TimeWindow
      var asOf: Instant?
    }
    let rows = try connection.rows(
      "SELECT list_number, covered_from, covered_to, request_print, mapping_print, as_of "
        + "FROM trawl_coverage WHERE covered_to > ?1 OR as_of > ?1", [limit]
    ) { row -> Row? in
      guard let from = row.text(1).flatMap({ Instant(stored: $0) }),
        let to = row.text(2).flatMap({ Instant(stored: $0) })
      else { return nil }
      return Row(
        key: [
          .integer(row.integer(0)), .text(row.text(1) ?? ""), .integer(row.integer(3)),
          .integer(row.integer(4)),
        ], stretch: TimeWindow(from: from, to: to),
        asOf: row.text(5).flatMap { Instant(stored: $0) })
    }.compactMap { $0 }
    let of =
      "WHERE list_number = ?1 AND covered_from = ?2 AND request_print = ?3 AND mapping_print = ?4"
    for row in rows {
      let certain = certain(row.stretch, asOf: row.asOf, last)
      if certain != row.stretch {
        healed.cuts += 1
        // What a window covers must lie in what is covered.
        try connection.run(
          "UPDATE trawl_certificates SET covers_to = (SELECT max(?2, window_from) FROM trawl_windows w "
            + "WHERE w.window = trawl_certificates.window) WHERE window IN (SELECT window FROM "
            + "trawl_windows WHERE list_number = ?1 AND window_from <> '' AND window_to > ?2)",
          [row.key[0], .text((certain?.to ?? row.stretch.from).description)])
      }
      guard let certain else {
        try connection.run("DELETE FROM trawl_coverage \(of)", row.key)
        continue
      }
      let asOf = min(row.asOf ?? now, last ?? now)
      try connection.run(
        "UPDATE trawl_coverage SET covered_to = ?5, as_of = ?6 \(of)",
        row.key + [.text(certain.to.description), .text(asOf.description)])
    }
  }

  private func healCertificates(
    _ then: SQLValue, _ healed: inout HealedTimes
  ) throws(SQLiteError) {
    // A gap for good that a wrong clock has told of is none.
    healed.gaps = Int(
      try connection.integer(
        "SELECT count(*) FROM trawl_windows WHERE \(Self.wrongGaps)", [limit]) ?? 0)
    try connection.run("DELETE FROM trawl_windows WHERE \(Self.wrongGaps)", [limit])
    try connection.run(
      "UPDATE trawl_certificates SET resumes_at = NULL WHERE issued_at > ?1 "
        + "AND resumes_at IS NOT NULL", [limit])
    try set(
      "trawl_certificates", ["began_at", "whole_at", "empty_since", "proving_at", "issued_at"], then
    )
  }

  private static let wrongGaps =
    "window IN (SELECT window FROM trawl_certificates c WHERE c.verdict = 'limited' "
    + "AND c.cause = 'out of reach' AND c.issued_at > ?1)"

  /// Waits that were begun in the future, or end further off than anything waits.
  private func endWaits(_ last: Instant?) throws(SQLiteError) -> Int {
    let far = SQLValue.text((now + Self.waitMax).description)
    try connection.run(
      "UPDATE trawl_certificates SET resumes_at = NULL WHERE resumes_at > ?1 "
        + "AND verdict = 'absent'", [far])
    var ended = connection.changedRows
    try connection.run(
      "UPDATE trawl_misses SET next_attempt_at = NULL, tried_at = min(tried_at, ?2) "
        + "WHERE tried_at > ?1 OR next_attempt_at > ?3", [limit, .text(now.description), far])
    ended += connection.changedRows
    try connection.run(
      "UPDATE trawl_media_urls SET next_attempt_at = ?2 WHERE next_attempt_at > ?1",
      [far, .text(now.description)])
    ended += connection.changedRows
    // Due by age at once: how old the answer is, nobody knows.
    try connection.run(
      "UPDATE trawl_asked SET asked_at = ?2 WHERE asked_at > ?1",
      [limit, .text((last ?? Instant(seconds: 0)).description)])
    return ended + connection.changedRows
  }
}

/// What a run has found of times that had not come yet.
public struct HealedTimes: Sendable, Equatable {
  /// The last run before them; nil: none is known.
  public var since: Instant?
  /// Covered stretches that end earlier now, or are gone.
  public var cuts = 0
  /// Gaps for good that are none.
  public var gaps = 0
  /// Waits, and marks of what was requested.
  public var waits = 0
}

extension RecordStore {
  /// Finds times in the book that have not come yet, and puts in their place what can be true. Nil: there
  /// are none, or the clock is rather behind.
  /// - Parameter isConfirmed: an answer has shown what time it is.
  public func healTimes(isConfirmed: Bool) throws(StoreError) -> HealedTimes? {
    let moment = now
    let isDue = try guarded { connection in
      let times = TimesAhead(connection, now: moment)
      return try times.isFound() && (isConfirmed || times.isLikely())
    }
    guard isDue else { return nil }
    let tables = designs.values.flatMap(\.tables)
    return try write { try TimesAhead($0, now: moment).heal(tables) }
  }
}
