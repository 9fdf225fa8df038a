internal import Model
internal import SQLite

/// One bucket's row, and the arithmetic of admission over it and its uses.
struct BucketLine {
  var id: Int64
  var allow: Int
  /// When the spacing lets the next request go.
  var nextAt: Instant
  var blockedUntil: Instant?
  var blockedWhy: String?
  var serverLeft: Int?
  var serverReset: Instant?
  /// Uses before the server's last reset do not count.
  var countsFrom: Instant
  /// The latest instant seen. A clock that is behind it resets nothing.
  var now: Instant

  static func load(_ ask: BucketAsk, on connection: Connection) throws(SQLiteError) -> BucketLine {
    let names = [SQLValue(ask.key.origin), SQLValue(ask.key.bucket), SQLValue(ask.key.account)]
    try connection.run(
      """
      INSERT INTO trawl_buckets (origin, bucket, account, allow) VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT DO UPDATE SET allow = ?4 WHERE allow <> ?4
      """, names + [SQLValue(ask.allow)])
    guard let line = try find(ask, on: connection) else {
      throw SQLiteError(code: 16, message: "the bucket's row is not there")
    }
    return line
  }

  /// Nil when nothing was ever asked of the bucket.
  static func find(_ ask: BucketAsk, on connection: Connection) throws(SQLiteError) -> BucketLine? {
    let names = [SQLValue(ask.key.origin), SQLValue(ask.key.bucket), SQLValue(ask.key.account)]
    return try connection.row(
      """
      SELECT id, allow, next_at, blocked_until, blocked_why, server_left, server_reset,
        counts_from, seen_at
      FROM trawl_buckets WHERE origin = ?1 AND bucket = ?2 AND account = ?3
      """, names
    ) { row in
      BucketLine(
        id: row.integer(0), allow: row.int(1), nextAt: Instant(milliseconds: row.integer(2)),
        blockedUntil: row.optionalInteger(3).map { Instant(milliseconds: $0) },
        blockedWhy: row.text(4), serverLeft: row.optionalInt(5),
        serverReset: row.optionalInteger(6).map { Instant(milliseconds: $0) },
        countsFrom: Instant(milliseconds: row.integer(7)),
        now: Instant(milliseconds: row.integer(8)))
    }
  }

  func save(on connection: Connection) throws(SQLiteError) {
    try connection.run(
      """
      UPDATE trawl_buckets SET next_at = ?2, blocked_until = ?3, blocked_why = ?4,
        server_left = ?5, server_reset = ?6, counts_from = ?7, seen_at = ?8 WHERE id = ?1
      """,
      [
        SQLValue(id), SQLValue(nextAt.milliseconds), SQLValue(blockedUntil?.milliseconds),
        SQLValue(blockedWhy), SQLValue(serverLeft), SQLValue(serverReset?.milliseconds),
        SQLValue(countsFrom.milliseconds), SQLValue(now.milliseconds),
      ])
  }

  /// Moves time on, never back, and lets go of what is over.
  mutating func see(_ instant: Instant) {
    now = max(now, instant)
    if let until = blockedUntil, until <= now {
      blockedUntil = nil
      blockedWhy = nil
    }
    if let reset = serverReset, reset <= now {
      countsFrom = max(countsFrom, reset)
      serverReset = nil
      serverLeft = nil
    }
  }

  mutating func learn(_ count: ServerCount, at instant: Instant) {
    // A reset that lies in the past, or further off than any quota of a year, is no reset.
    if let reset = count.resetsAt, reset > instant, reset - instant < .seconds(366 * 86400) {
      serverReset = reset
    }
    guard let remaining = count.remaining, remaining >= 0, serverReset != nil else { return }
    // Answers of requests that went side by side come in any order: the least is right.
    serverLeft = min(serverLeft ?? remaining, remaining)
  }

  /// Why the request may not go now, and when it may; nil when nothing speaks against it.
  func refusal(
    of ask: BucketAsk, for spender: Spender, on connection: Connection
  ) throws(SQLiteError) -> (until: Instant, why: String)? {
    if let until = blockedUntil {
      return (until, blockedWhy ?? "the server asked to wait")
    }
    let share = spender.share(of: ask.allow)
    if let left = serverLeft, let reset = serverReset, left - (ask.allow - share) < ask.cost {
      let whose = share < ask.allow && left >= ask.cost ? "the rest is kept for the timer" : ""
      // The second is the grain of such headers: a request at the very second is often refused.
      return (reset + .seconds(1), why(ask, whose))
    }
    let used = try used(of: ask, on: connection)
    guard used + ask.cost > share else { return nil }
    let isReserve = used + ask.cost <= ask.allow
    let until = try freeAt(ask, share: share, on: connection)
    return (until, why(ask, isReserve ? "the rest is kept for the timer" : ""))
  }

  private func why(_ ask: BucketAsk, _ addition: String) -> String {
    "the \(ask.allow) of \(ask.key.bucket) are used up" + (addition.isEmpty ? "" : "; \(addition)")
  }

  /// Where the counted stretch begins.
  private func begin(_ ask: BucketAsk) -> Instant {
    switch ask.stretch {
    case .rolling(let length): max(now - length, countsFrom - .milliseconds(1))
    case .fixed(let from, _): max(from, countsFrom) - .milliseconds(1)
    }
  }

  private func used(of ask: BucketAsk, on connection: Connection) throws(SQLiteError) -> Int {
    let sum = try connection.integer(
      "SELECT coalesce(sum(cost), 0) FROM trawl_uses WHERE bucket_id = ?1 AND at > ?2",
      [SQLValue(id), SQLValue(begin(ask).milliseconds)])
    return Int(sum ?? 0)
  }

  /// When enough of the stretch is free again.
  private func freeAt(
    _ ask: BucketAsk, share: Int, on connection: Connection
  ) throws(SQLiteError) -> Instant {
    switch ask.stretch {
    case .fixed(_, let to): return to
    case .rolling(let length):
      if ask.cost > share { return now + length }
      // The youngest use that must have left: counted from the newest back, the sum passes here.
      let at = try connection.integer(
        """
        SELECT max(at) FROM (SELECT at, sum(cost) OVER (ORDER BY at DESC, id DESC) AS total
          FROM trawl_uses WHERE bucket_id = ?1 AND at > ?2) WHERE total > ?3
        """,
        [SQLValue(id), SQLValue(begin(ask).milliseconds), SQLValue(share - ask.cost)])
      return at.map { Instant(milliseconds: $0) + length } ?? now
    }
  }

  /// When spacing lets the request go.
  func spacedStart(of ask: BucketAsk) -> Instant {
    guard ask.burst < ask.allow else { return now }
    return max(now, nextAt - interval(ask) * (ask.burst - 1))
  }

  private func interval(_ ask: BucketAsk) -> Duration { ask.length / ask.allow }

  /// Writes the use down and moves the spacing on.
  func spend(
    _ ask: BucketAsk, at instant: Instant, _ spender: Spender, _ job: String,
    on connection: Connection
  ) throws(SQLiteError) -> Int64 {
    var line = self
    line.nextAt = max(nextAt, now) + interval(ask) * ask.cost
    if let left = serverLeft { line.serverLeft = left - ask.cost }
    try line.save(on: connection)
    // Uses that no stretch can count any more go, so that the file stays small.
    try connection.run(
      "DELETE FROM trawl_uses WHERE bucket_id = ?1 AND at <= ?2",
      [SQLValue(id), SQLValue((begin(ask) - .seconds(60)).milliseconds)])
    let name = spender == .timer ? "timer" : "backfill"
    try connection.run(
      "INSERT INTO trawl_uses (bucket_id, at, cost, spender, job) VALUES (?1, ?2, ?3, ?4, ?5)",
      [
        SQLValue(id), SQLValue(max(instant, now).milliseconds), SQLValue(ask.cost), SQLValue(name),
        SQLValue(job),
      ])
    return connection.lastInsertedRow
  }

  func left(
    of ask: BucketAsk, for spender: Spender, on connection: Connection
  ) throws(SQLiteError) -> QuotaLedger.Left {
    let share = spender.share(of: ask.allow)
    var left = max(0, share - (try used(of: ask, on: connection)))
    if let serverLeft { left = min(left, max(0, serverLeft - (ask.allow - share))) }
    if blockedUntil != nil { left = 0 }
    var resetsAt = blockedUntil ?? serverReset
    if resetsAt == nil {
      switch ask.stretch {
      case .fixed(_, let to): resetsAt = to
      case .rolling:
        let oldest = try connection.integer(
          "SELECT min(at) FROM trawl_uses WHERE bucket_id = ?1 AND at > ?2",
          [SQLValue(id), SQLValue(begin(ask).milliseconds)])
        resetsAt = oldest.map { Instant(milliseconds: $0) + ask.length }
      }
    }
    return QuotaLedger.Left(
      allowed: ask.allow, left: left, resetsAt: resetsAt, blockedWhy: blockedWhy)
  }
}
