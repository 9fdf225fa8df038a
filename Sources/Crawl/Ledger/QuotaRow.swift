internal import Base

/// One quota's row, and the arithmetic of admission over it and its uses.
///
/// If the clock was set back, uses lie in the future. They count: no quota is reset. Times further ahead than any wait
/// were written while the clock was wrong, and count as never.
struct QuotaRow {
  /// To the file of this row.
  let connection: Connection
  var id: Int64
  /// When spacing lets the next request go.
  var nextAt: Instant
  var blockedUntil: Instant?
  var blockedWhy: String?
  /// What the server says of its window that ends at `serverReset`.
  var serverLimit: Int?
  var serverLeft: Int?
  var serverReset: Instant?
  /// How long that window is, if the server says so.
  var serverLength: Duration?
  /// Uses before this do not count: the last reset of a server's window that is this quota's.
  var countsFrom: Instant
  /// When the row was read.
  private(set) var now: Instant
  /// The longest wait that is believed; after it one request shows whether it still holds.
  var waitMax: Duration
  /// The stretch and its allowance, as the job declares them.
  var length: Duration
  var allow: Int
  /// All that was ever reserved. What is given back stays in it, which makes the server's remainder look a little
  /// smaller.
  var spent: Int

  /// A server's reset may lie this much further ahead.
  private static let resetSlack = Duration.seconds(3600)
  /// Under a day, since no nightly timer is exact.
  static let waitMaxLeast = Duration.seconds(20 * 3600)

  // MARK: learning

  /// Drops what is over, and times that only a wrong clock can have written.
  mutating func see(_ clock: Instant) throws(SQLiteError) {
    now = clock
    let last = clock + waitMax
    if let until = blockedUntil, until <= clock || until.isAhead(of: last) {
      blockedUntil = nil
      blockedWhy = nil
    }
    if let reset = serverReset, reset <= clock || reset.isAhead(of: last + Self.resetSlack) {
      if reset <= clock, try isOwnWindow(endingAt: reset) { countsFrom = max(countsFrom, reset) }
      (serverReset, serverLeft, serverLimit, serverLength) = (nil, nil, nil, nil)
    }
    if countsFrom.isAhead(of: clock) { countsFrom = Instant(seconds: 0) }
    // Never more turns ahead than a stretch holds.
    if nextAt.isAhead(of: clock + length * 2) { nextAt = clock }
  }

  /// Whether the server's window is this quota: same limit, same length. It may be one of a minute beside our quota of
  /// a day; then its end gives nothing back.
  private func isOwnWindow(endingAt reset: Instant) throws(SQLiteError) -> Bool {
    guard serverLimit == allow, (serverLength ?? length) == length else { return false }
    let first = try connection.integer(
      "SELECT min(at) FROM trawl_uses WHERE quota_id = ?1 AND at > ?2",
      [SQLValue(id), SQLValue((now - length - .seconds(60)).milliseconds)])
    // A window's end gives recent uses back only if the window held them all.
    let since = max(countsFrom, first.map { Instant(milliseconds: $0) } ?? reset - length)
    return (reset - since) * 10 >= length * 9
  }

  /// - Parameter later: what was reserved after this request; the server had not counted it when it answered.
  mutating func learn(_ quota: ServerQuota, at answered: Instant, later: Int) {
    if let resetsIn = quota.resetsIn {
      let reset = answered + resetsIn
      // A reset in the past belongs to an earlier window, and one more than a year ahead is not a reset.
      guard reset > now, reset - now < .seconds(366 * 86400) else { return }
      serverReset = reset - now > waitMax + Self.resetSlack ? now + waitMax : reset
    }
    guard let remaining = quota.remaining, remaining >= 0, serverReset != nil else { return }
    serverLimit = quota.limit ?? serverLimit
    serverLength = quota.window
    serverLeft = remaining - later
  }

  mutating func block(until asked: Instant, why: String) {
    let until = min(asked, now + waitMax)
    guard until > max(now, blockedUntil ?? now) else { return }
    blockedUntil = until
    blockedWhy = why
    if asked > until {
      let most = Wording.rough(waitMax)
      blockedWhy =
        "\(why); it asks for \(Wording.rough(asked - now)), and is asked again after \(most)"
    }
  }

  // MARK: admission

  var block: (until: Instant, why: String)? {
    blockedUntil.map { ($0, blockedWhy ?? "the server asked to wait") }
  }

  /// Why a reserved request must not go after all, and when it may: a wait that the server asked for since, or a
  /// server's count too low for all that is reserved.
  func recall(of ask: QuotaAsk) -> (until: Instant, why: String)? {
    if let block { return block }
    guard let left = serverLeft, left < 0, let reset = serverReset else { return nil }
    return (reset + .seconds(1), whyByServer(ask, left: left))
  }

  /// Why the request may not go now, and when it may; nil if it may.
  func refusal(
    of ask: QuotaAsk, for spender: Spender
  ) throws(SQLiteError) -> (until: Instant, why: String)? {
    if let block { return block }
    guard ask.cost > 0 else { return nil }
    var byServer: (until: Instant, why: String)?
    if let left = serverLeft, let reset = serverReset {
      let limit = min(ask.allow, serverLimit ?? ask.allow)
      if left - (try kept(limit, ask, spender)) < ask.cost {
        // Plus one second, the resolution of such headers: a request in the very second is often refused.
        byServer = (reset + .seconds(1), whyByServer(ask, left: left))
      }
    }
    let share = ask.allow - (try kept(ask.allow, ask, spender))
    let used = try used(after: begin(ask))
    guard used + ask.cost > share else { return byServer }
    let until = try freeAt(ask, share: share)
    // If the server's window is this quota, its end gives back what was spent in it.
    if let byServer {
      if byServer.until > until { return byServer }
      if try isOwnWindow(endingAt: byServer.until) { return byServer }
    }
    return (until, why(ask, left: ask.allow - used))
  }

  /// What a backfill leaves: the reserve, less what timer runs have used of it. The reserve is at least what they used
  /// in the stretch before, but for that at most half of the limit: beside an endless list a backfill would never
  /// begin.
  private func kept(_ limit: Int, _ ask: QuotaAsk, _ spender: Spender) throws(SQLiteError) -> Int {
    let declared = limit - spender.share(of: limit)
    guard declared > 0 else { return 0 }
    let begin = begin(ask)
    let before = try used(after: begin - ask.length, to: begin, byTimer: true)
    let reserve = max(declared, min(before, limit / 2))
    return max(0, reserve - (try used(after: begin, byTimer: true)))
  }

  /// All that was spent in a period, or by timer runs only.
  private func used(
    after: Instant, to: Instant? = nil, byTimer: Bool = false
  ) throws(SQLiteError) -> Int {
    let sum = try connection.integer(
      """
      SELECT coalesce(sum(cost), 0) FROM trawl_uses
      WHERE quota_id = ?1 AND at > ?2 AND at <= ?3\(byTimer ? " AND spender = 'timer'" : "")
      """, [SQLValue(id), SQLValue(after.milliseconds), SQLValue((to ?? end).milliseconds)])
    return Int(sum ?? 0)
  }

  /// The server's own count may be of another stretch than the job's.
  private func whyByServer(_ ask: QuotaAsk, left: Int) -> String {
    guard let limit = serverLimit, limit < ask.allow else { return why(ask, left: left) }
    return why(ask, limit, "that the server allows", left: left)
  }

  private func why(
    _ ask: QuotaAsk, _ limit: Int? = nil, _ place: String? = nil, left: Int
  ) -> String {
    let limit = limit ?? ask.allow
    let requests = limit == 1 ? "one request" : "\(Wording.number(limit)) requests"
    let all =
      "the \(requests) \(place ?? "of \(Wording.stretch(ask.length))") (\(ask.key.name))"
    if left >= ask.cost { return "of \(all) the rest is kept for the timer" }
    if left <= 0 { return "\(all) \(limit == 1 ? "is" : "are") used up" }
    return "of \(all) \(Wording.count(left, "is", "are")) left, and this one costs "
      + Wording.number(ask.cost)
  }

  /// The last instant before the stretch that counts.
  private func begin(_ ask: QuotaAsk) -> Instant {
    let edge = countsFrom - .milliseconds(1)
    switch ask.stretch {
    case .fixed(let from, _): return max(from - .milliseconds(1), edge)
    case .rolling(let length): return max(now - length - Self.grain(ask), edge)
    }
  }

  /// The last instant at which a use counts.
  private var end: Instant { now + waitMax + Instant.aheadMax }

  /// A margin, since a server counts a request on arrival: of two sent exactly one stretch apart, the second may travel
  /// faster and be one too many.
  private static func grain(_ ask: QuotaAsk) -> Duration {
    min(.seconds(1), max(.milliseconds(50), ask.length / 20))
  }

  /// When enough of the stretch is free again.
  private func freeAt(_ ask: QuotaAsk, share: Int) throws(SQLiteError) -> Instant {
    if case .fixed(_, let to) = ask.stretch { return to }
    if ask.cost > share { return now + ask.length }
    // The youngest use that must leave: summed from the newest back, the total passes here.
    let at = try connection.integer(
      """
      SELECT max(at) FROM (SELECT at, sum(cost) OVER (ORDER BY at DESC, id DESC) AS total
        FROM trawl_uses WHERE quota_id = ?1 AND at > ?2 AND at <= ?4) WHERE total > ?3
      """,
      [
        SQLValue(id), SQLValue(begin(ask).milliseconds), SQLValue(share - ask.cost),
        SQLValue(end.milliseconds),
      ])
    return at.map { Instant(milliseconds: $0) + ask.length + Self.grain(ask) } ?? now
  }

  /// How long spacing delays the request.
  func spacing(of ask: QuotaAsk) -> Duration {
    guard ask.cost > 0, ask.burst < ask.allow else { return .zero }
    return max(.zero, nextAt - interval(ask) * (ask.burst - 1) - now)
  }

  private func interval(_ ask: QuotaAsk) -> Duration { ask.length / ask.allow }

  /// Records the use and advances the spacing.
  /// - Parameter delay: time until the request goes.
  func spend(
    _ ask: QuotaAsk, after delay: Duration, _ spender: Spender, _ job: String
  ) throws(SQLiteError) -> Reservation.Use {
    var line = self
    line.nextAt = max(nextAt, now) + interval(ask) * ask.cost
    if let left = serverLeft { line.serverLeft = left - ask.cost }
    line.spent += ask.cost
    try line.save()
    // Deletes uses that neither this stretch nor the one before counts, to keep the file small. The latest rows stay,
    // whatever the clock shows: it may have jumped.
    let old = begin(ask) - ask.length * 2 - .seconds(60)
    try connection.run(
      "DELETE FROM trawl_uses WHERE quota_id = ?1 AND at <= ?2 "
        + "AND id <= (SELECT max(id) FROM trawl_uses) - \(Self.rowsKept)",
      [SQLValue(id), SQLValue(old.milliseconds)])
    return Reservation.Use(
      key: ask.key, id: try note(ask, at: now + delay, spender.name, job),
      cost: ask.cost, spent: line.spent)
  }

  /// Uses within a thousandth of the stretch share a row, which leaves the stretch with the last of them. This bounds
  /// the rows that are summed.
  private static let rowsOfStretch = 1_000
  /// The latest rows, which are never deleted.
  private static let rowsKept = 3_000

  /// Returns the row that holds the use.
  func note(
    _ ask: QuotaAsk, at instant: Instant, _ spender: String, _ job: String
  ) throws(SQLiteError) -> Int64 {
    // Never across a reset: what was spent before it no longer counts.
    let first = max(instant - ask.length / Self.rowsOfStretch, begin(ask))
    let row = try connection.integer(
      """
      UPDATE trawl_uses SET cost = cost + ?5, at = max(at, ?6) WHERE id = (
        SELECT id FROM trawl_uses WHERE quota_id = ?1 AND at > ?2 AND since > ?2 AND at <= ?6
          AND spender = ?3 AND job = ?4 ORDER BY at DESC LIMIT 1) -- cut: the latest row
      RETURNING id
      """,
      [
        SQLValue(id), SQLValue(first.milliseconds), SQLValue(spender), SQLValue(job),
        SQLValue(ask.cost), SQLValue(instant.milliseconds),
      ])
    if let row { return row }
    try connection.run(
      """
      INSERT INTO trawl_uses (quota_id, at, since, cost, spender, job)
      VALUES (?1, ?2, ?2, ?3, ?4, ?5)
      """,
      [
        SQLValue(id), SQLValue(instant.milliseconds), SQLValue(ask.cost), SQLValue(spender),
        SQLValue(job),
      ])
    return connection.lastInsertedRow
  }

  // MARK: telling

  func left(of ask: QuotaAsk, for spender: Spender) throws(SQLiteError) -> QuotaLedger.Left {
    let free = ask.allow - (try used(after: begin(ask)))
    var left = max(0, free - (try kept(ask.allow, ask, spender)))
    var resetsAt: Instant?
    if let serverLeft, let reset = serverReset {
      let limit = min(ask.allow, serverLimit ?? ask.allow)
      let leftByServer = max(0, serverLeft - (try kept(limit, ask, spender)))
      var decides = leftByServer < left
      if leftByServer == left { decides = try isOwnWindow(endingAt: reset) }
      if decides { (left, resetsAt) = (leftByServer, reset) }
    }
    if let blockedUntil { (left, resetsAt) = (0, blockedUntil) }
    if resetsAt == nil {
      switch ask.stretch {
      case .fixed(_, let to): resetsAt = to
      case .rolling:
        let oldest = try connection.integer(
          "SELECT min(at) FROM trawl_uses WHERE quota_id = ?1 AND at > ?2 AND at <= ?3",
          [SQLValue(id), SQLValue(begin(ask).milliseconds), SQLValue(end.milliseconds)])
        resetsAt = oldest.map { Instant(milliseconds: $0) + ask.length + Self.grain(ask) }
      }
    }
    return QuotaLedger.Left(
      key: ask.key, allowed: ask.allow, left: left, resetsAt: resetsAt, blockedWhy: blockedWhy,
      users: try users(of: ask))
  }

  /// Spenders of the stretch, the largest first.
  private func users(of ask: QuotaAsk) throws(SQLiteError) -> [QuotaLedger.User] {
    try connection.rows(
      """
      SELECT job, spender, sum(cost) FROM trawl_uses WHERE quota_id = ?1 AND at > ?2 AND at <= ?3
      GROUP BY job, spender ORDER BY 3 DESC, 1, 2
      """, [SQLValue(id), SQLValue(begin(ask).milliseconds), SQLValue(end.milliseconds)]
    ) { row in
      QuotaLedger.User(
        job: row.text(0) ?? "", isBackfill: row.text(1) == "backfill", cost: row.int(2))
    }
  }
}
