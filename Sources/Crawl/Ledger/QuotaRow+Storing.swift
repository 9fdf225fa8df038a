internal import Base

/// The row of a quota in the file.
extension QuotaRow {
  /// Creates the row if it is missing, and keeps in it what `status` needs without a job file.
  static func load(
    _ ask: QuotaAsk, at now: Instant, on connection: Connection
  ) throws(SQLiteError) -> QuotaRow {
    var end: Instant?
    if case .fixed(_, let to) = ask.stretch { end = to }
    try connection.run(
      """
      INSERT INTO trawl_quotas (origin, quota, account, length, allow, resets_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      ON CONFLICT DO UPDATE SET allow = ?5, resets_at = ?6
        WHERE (allow, resets_at) IS NOT (?5, ?6)
      """, names(ask.key) + [SQLValue(ask.allow), SQLValue(end?.milliseconds)])
    guard var line = try find(ask.key, on: connection) else {
      throw SQLiteError(code: 16, message: "the quota's row is not there")
    }
    try line.see(now)
    return line
  }

  static func names(_ key: QuotaKey) -> [SQLValue] {
    [
      SQLValue(key.origin), SQLValue(key.name), SQLValue(key.account),
      SQLValue(key.length.milliseconds),
    ]
  }

  /// Finds the row by the values of `names`.
  static let isOfKey = "origin = ?1 AND quota = ?2 AND account = ?3 AND length = ?4"

  /// Nil if the quota was never used.
  static func find(_ key: QuotaKey, on connection: Connection) throws(SQLiteError) -> QuotaRow? {
    try connection.row(
      """
      SELECT id, next_at, blocked_until, blocked_why, server_limit, server_left, server_reset,
        counts_from, seen_at, length, spent, allow, server_length
      FROM trawl_quotas WHERE \(isOfKey)
      """, names(key)
    ) { row in
      let seen = Instant(milliseconds: row.integer(8))
      let waitMax = max(waitMaxLeast, .milliseconds(row.integer(9)))
      return QuotaRow(
        connection: connection, id: row.integer(0), nextAt: Instant(milliseconds: row.integer(1)),
        // A backup, or a longer stretch, may have left a longer wait than is believed now.
        blockedUntil: row.optionalInteger(2).map {
          min(Instant(milliseconds: $0), seen + waitMax)
        },
        blockedWhy: row.text(3), serverLimit: row.optionalInt(4), serverLeft: row.optionalInt(5),
        serverReset: row.optionalInteger(6).map { Instant(milliseconds: $0) },
        serverLength: row.optionalInteger(12).map { .milliseconds($0) },
        countsFrom: Instant(milliseconds: row.integer(7)),
        now: seen, waitMax: waitMax, length: .milliseconds(row.integer(9)), allow: row.int(11),
        spent: row.int(10))
    }
  }

  /// The asks that an origin's rows stand for, as declared by the jobs that spent from them.
  static func asks(
    of origin: String, at now: Instant, on connection: Connection
  ) throws(SQLiteError) -> [QuotaAsk] {
    try connection.rows(
      """
      SELECT quota, account, allow, length, resets_at FROM trawl_quotas
      WHERE origin = ?1 ORDER BY quota, account, length
      """, [SQLValue(origin)]
    ) { row in
      let length = Duration.milliseconds(row.integer(3))
      var end = row.optionalInteger(4).map { Instant(milliseconds: $0) }
      if let past = end, past <= now {
        // No request was made since that reset; days of the same length follow it.
        end = now + length - .milliseconds((now - past).milliseconds % max(1, length.milliseconds))
      }
      let allow = row.int(2)
      return QuotaAsk(
        key: QuotaKey(
          origin: origin, name: row.text(0) ?? "", account: row.text(1) ?? "",
          length: length),
        cost: 1, allow: allow,
        stretch: end.map { .fixed(from: $0 - length, to: $0) }
          ?? .rolling(length), burst: allow)
    }
  }

  func save() throws(SQLiteError) {
    try connection.run(
      """
      UPDATE trawl_quotas SET next_at = ?2, blocked_until = ?3, blocked_why = ?4,
        server_limit = ?5, server_left = ?6, server_reset = ?7, counts_from = ?8, seen_at = ?9,
        spent = ?10, server_length = ?11
      WHERE id = ?1
      """,
      [
        SQLValue(id), SQLValue(nextAt.milliseconds), SQLValue(blockedUntil?.milliseconds),
        SQLValue(blockedWhy), SQLValue(serverLimit), SQLValue(serverLeft),
        SQLValue(serverReset?.milliseconds), SQLValue(countsFrom.milliseconds),
        SQLValue(now.milliseconds), SQLValue(spent), SQLValue(serverLength?.milliseconds),
      ])
  }

  /// Cancels one use.
  /// - Parameter isInCount: the server's remainder was reduced by it.
  static func release(
    _ use: Reservation.Use, isInCount: Bool, on connection: Connection
  ) throws(SQLiteError) {
    let values = [SQLValue(use.id), SQLValue(use.cost)]
    if isInCount {
      try connection.run(
        """
        UPDATE trawl_quotas SET server_left = server_left + ?2
        WHERE id = (SELECT quota_id FROM trawl_uses WHERE id = ?1)
        """, values)
    }
    try connection.run("DELETE FROM trawl_uses WHERE id = ?1 AND cost <= ?2", values)
    try connection.run("UPDATE trawl_uses SET cost = cost - ?2 WHERE id = ?1", values)
  }
}
