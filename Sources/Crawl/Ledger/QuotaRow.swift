internal import Base

/// One quota's row, and the arithmetic of admission over it and its uses.
///
/// If the clock was set back, uses lie in the future. They count: no quota is reset. Only what lies further ahead
/// than any wait lasts was written while the clock was wrong, and counts as never.
struct QuotaRow {
  /// Of the file that it is a row of.
  let connection: Connection
  var id: Int64
  /// When the spacing lets the next request go.
  var nextAt: Instant
  var blockedUntil: Instant?
  var blockedWhy: String?
  /// What the server says of its window that ends at `serverReset`.
  var serverLimit: Int?
  var serverLeft: Int?
  var serverReset: Instant?
  /// How long that window is, where the server says so.
  var serverLength: Duration?
  /// Uses before the last reset of a window of the server's that is this quota's do not count.
  var countsFrom: Instant
  /// When it was looked at.
  private(set) var now: Instant
  /// No wait is longer, whatever a server says: behind it one request shows whether it still holds.
  var waitMax: Duration
  /// Of the stretch, and what may be spent in it, as the job has it.
  var length: Duration
  var allow: Int
  /// All that was ever set aside. What is given back stays in it: then a server's count is believed
  /// to be a little less than it is.
  var spent: Int

  /// A reset of the server's may lie so much further ahead.
  private static let resetSlack = Duration.seconds(3600)
  /// A timer's nights are not a day apart to the second.
  static let waitMaxLeast = Duration.seconds(20 * 3600)

  // MARK: learning

  /// Lets go of what is over, and of what no clock that was right has written.
  mutating func see(_ clock: Instant) throws(SQLiteError) {
    now = clock
    let last = clock + waitMax
    if let until = blockedUntil, until <= clock || until.isAhead(of: last) {
      blockedUntil = nil
      blockedWhy = nil
    }
    if let reset = serverReset, reset <= clock || reset.isAhead(of: last + Self.resetSlack) {
      if reset <= clock, try isOwnWindow(endingAt: reset) { countsFrom = max(countsFrom, reset) }
      forgetServer()
    }
    if countsFrom.isAhead(of: clock) { countsFrom = Instant(seconds: 0) }
    // No more turns are given out than a stretch holds.
    if nextAt.isAhead(of: clock + length * 2) { nextAt = clock }
  }

  /// What the server counts may be the requests of a minute, beside a quota of a day: then the end of
  /// its window gives nothing back. It is this quota where it holds as much and lasts as long.
  private func isOwnWindow(endingAt reset: Instant) throws(SQLiteError) -> Bool {
    guard serverLimit == allow, (serverLength ?? length) == length else { return false }
    let first = try connection.integer(
      "SELECT min(at) FROM trawl_uses WHERE quota_id = ?1 AND at > ?2",
      [SQLValue(id), SQLValue((now - length - .seconds(60)).milliseconds)])
    // What was spent lately is given back only by the end of a window that held it all.
    let since = max(countsFrom, first.map { Instant(milliseconds: $0) } ?? reset - length)
    return (reset - since) * 10 >= length * 9
  }

  private mutating func forgetServer() {
    (serverReset, serverLeft, serverLimit, serverLength) = (nil, nil, nil, nil)
  }

  /// - Parameter later: what was set aside after the request whose answer this is; the server had
  ///   not counted it when it answered.
  mutating func learn(_ quota: ServerQuota, at answered: Instant, later: Int) {
    if let resetsIn = quota.resetsIn {
      let reset = answered + resetsIn
      // One that lies in the past is of a window that is over, and one that is further off than a
      // yearly quota is not a reset.
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

  /// Why a request that was set aside must not go after all, and when it may: a wait that the server asked
  /// for since, or a count that has no room for all that is set aside.
  func recall(of ask: QuotaAsk) -> (until: Instant, why: String)? {
    if let block { return block }
    guard let left = serverLeft, left < 0, let reset = serverReset else { return nil }
    let limit = min(ask.allow, serverLimit ?? ask.allow)
    return (reset + .seconds(1), why(ask, limit, isReserve: false))
  }

  /// Why the request may not go now, and when it may; nil when nothing speaks against it.
  func refusal(
    of ask: QuotaAsk, for spender: Spender
  ) throws(SQLiteError) -> (until: Instant, why: String)? {
    if let block { return block }
    guard ask.cost > 0 else { return nil }
    var byServer: (until: Instant, why: String)?
    if let left = serverLeft, let reset = serverReset {
      let limit = min(ask.allow, serverLimit ?? ask.allow)
      if left - (try kept(limit, ask, spender)) < ask.cost {
        // The second is the grain of such headers: a request at the very second is often refused.
        byServer = (reset + .seconds(1), why(ask, limit, isReserve: left >= ask.cost))
      }
    }
    let share = ask.allow - (try kept(ask.allow, ask, spender))
    let used = try used(after: begin(ask))
    guard used + ask.cost > share else { return byServer }
    let until = try freeAt(ask, share: share)
    // Where the server's window is this quota, its end gives back what was spent in it.
    if let byServer {
      if byServer.until > until { return byServer }
      if try isOwnWindow(endingAt: byServer.until) { return byServer }
    }
    return (until, why(ask, ask.allow, isReserve: used + ask.cost <= ask.allow))
  }

  /// What a backfill leaves: the reserve, less what the timer's runs have taken of it already. What
  /// they took in the stretch before they will want again; of that half of the whole is kept at most,
  /// or a backfill beside a list without an end would never begin.
  private func kept(_ limit: Int, _ ask: QuotaAsk, _ spender: Spender) throws(SQLiteError) -> Int {
    let declared = limit - spender.share(of: limit)
    guard declared > 0 else { return 0 }
    let begin = begin(ask)
    let before = try used(after: begin - ask.length, to: begin, byTimer: true)
    let reserve = max(declared, min(before, limit / 2))
    return max(0, reserve - (try used(after: begin, byTimer: true)))
  }

  /// All that was spent in a stretch, or what runs of the timer did.
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

  private func why(_ ask: QuotaAsk, _ limit: Int, isReserve: Bool) -> String {
    let requests = "the \(Wording.number(limit)) requests of \(Wording.stretch(ask.length))"
    return isReserve
      ? "of \(requests) (\(ask.key.name)) the rest is kept for the timer"
      : "\(requests) (\(ask.key.name)) are used up"
  }

  /// The last instant before the counted stretch.
  private func begin(_ ask: QuotaAsk) -> Instant {
    let edge = countsFrom - .milliseconds(1)
    switch ask.stretch {
    case .fixed(let from, _): return max(from - .milliseconds(1), edge)
    case .rolling(let length): return max(now - length - Self.grain(ask), edge)
    }
  }

  /// The last instant at which a use counts.
  private var end: Instant { now + waitMax + Instant.aheadMax }

  /// A server counts a request when it arrives, not when it goes: of two that are exactly the
  /// stretch apart the second may have been quicker on its way, and be one too many.
  private static func grain(_ ask: QuotaAsk) -> Duration {
    ask.length >= .seconds(60) ? .seconds(1) : .zero
  }

  /// When enough of the stretch is free again.
  private func freeAt(_ ask: QuotaAsk, share: Int) throws(SQLiteError) -> Instant {
    if case .fixed(_, let to) = ask.stretch { return to }
    if ask.cost > share { return now + ask.length }
    // The youngest use that must have left: counted from the newest back, the sum passes here.
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

  /// How long spacing holds the request back.
  func spacing(of ask: QuotaAsk) -> Duration {
    guard ask.cost > 0, ask.burst < ask.allow else { return .zero }
    return max(.zero, nextAt - interval(ask) * (ask.burst - 1) - now)
  }

  private func interval(_ ask: QuotaAsk) -> Duration { ask.length / ask.allow }

  /// Writes the use down and moves the spacing on.
  /// - Parameter delay: until the request goes.
  func spend(
    _ ask: QuotaAsk, after delay: Duration, _ spender: Spender, _ job: String
  ) throws(SQLiteError) -> Reservation.Use {
    var line = self
    line.nextAt = max(nextAt, now) + interval(ask) * ask.cost
    if let left = serverLeft { line.serverLeft = left - ask.cost }
    line.spent += ask.cost
    try line.save()
    // Uses that neither this stretch nor the one before counts any more go, so that the file stays small. The
    // latest stay, whatever the clock shows: it may have jumped.
    let old = begin(ask) - ask.length * 2 - .seconds(60)
    try connection.run(
      "DELETE FROM trawl_uses WHERE quota_id = ?1 AND at <= ?2 "
        + "AND id <= (SELECT max(id) FROM trawl_uses) - \(Self.rowsKept)",
      [SQLValue(id), SQLValue(old.milliseconds)])
    return Reservation.Use(
      key: ask.key, id: try note(ask, at: now + delay, spender.name, job),
      cost: ask.cost, spent: line.spent)
  }

  /// Uses of a thousandth of the stretch are one row, which leaves it with the last of them: however
  /// much is spent, so many rows are summed.
  private static let rowsOfStretch = 1_000
  /// The latest rows of the file, which are never deleted.
  private static let rowsKept = 3_000

  /// Gives the row that the use is in.
  func note(
    _ ask: QuotaAsk, at instant: Instant, _ spender: String, _ job: String
  ) throws(SQLiteError) -> Int64 {
    // Never over a reset: what was spent before it counts no more.
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
      allowed: ask.allow, left: left, resetsAt: resetsAt, blockedWhy: blockedWhy,
      users: try users(of: ask))
  }

  /// Who spent what of the stretch, the greatest first.
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
