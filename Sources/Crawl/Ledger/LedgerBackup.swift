internal import Base

extension LedgerReading {
  /// The whole ledger as bytes, for a backup, with every page read; nil if there is none.
  public static func image(of path: String) async throws(LedgerError) -> [UInt8]? {
    try await reading(path) { connection throws(SQLiteError) in
      let image = try connection.image()
      try check(image)
      return image
    }
  }

  /// Whether a backup's quotas can be taken: a ledger of this version or an earlier one.
  public static func isSound(_ image: [UInt8]) -> Bool {
    do {
      try check(image)
      return true
    } catch { return false }
  }

  private static func check(_ image: [UInt8]) throws(SQLiteError) {
    let copy = try Connection(image: image)
    defer { copy.close() }
    let problem = try copy.text("PRAGMA integrity_check(1)")
    let isRead = try LedgerSchema.refusal(of: copy, "") == nil
    guard problem == "ok", isRead else {
      throw SQLiteError(code: 11, message: problem ?? "no ledger")
    }
  }
}

extension QuotaLedger {
  /// Merges uses from an earlier state of this ledger or of another. Per quota the higher count up to the image's last
  /// use wins, as do the longer wait and the server's smaller remainder; later uses stay. No restore refills a quota.
  /// - Parameters:
  ///   - image: a ledger that was checked (`LedgerReading.isSound`).
  ///   - key: only the quotas of this origin and account; nil: all.
  /// - Returns: how many quotas count more than before.
  public func take(
    from image: [UInt8], of key: (origin: String, account: String)? = nil
  ) throws(LedgerError) -> Int {
    try writing {
      let old = try Connection(image: image)
      defer { old.close() }
      var raised = 0
      for quota in try SavedQuota.all(old) {
        if let key, quota.key[0] != SQLValue(key.origin) || quota.key[2] != SQLValue(key.account) {
          continue
        }
        if try take(quota, old) { raised += 1 }
      }
      return raised
    }
  }

  private func take(_ saved: SavedQuota, _ old: Connection) throws(SQLiteError) -> Bool {
    let now = time.now().milliseconds
    let own = try SavedQuota.all(connection, like: saved).first
    let id = if let own { own.id } else { try insert(saved) }
    let uses = try saved.uses(old)
    let last = uses.last?[0] ?? .null
    // What the server has reset since does not count.
    let from = [saved.countsFrom, own?.countsFrom ?? 0].filter { $0 <= now }.max() ?? 0
    let before = try own?.spent(from, last, at: now, connection) ?? 0
    let raises = try saved.spent(from, last, at: now, old) > before
    if raises {
      try connection.run(
        "DELETE FROM trawl_uses WHERE quota_id = ? AND at <= ?", [SQLValue(id), last])
      for use in uses {
        try connection.run(
          """
          INSERT INTO trawl_uses (quota_id, at, since, cost, spender, job)
          VALUES (?, ?, ?, ?, ?, ?)
          """, [SQLValue(id)] + use)
      }
      try connection.run(
        "UPDATE trawl_quotas SET counts_from = ? WHERE id = ?", [SQLValue(from), SQLValue(id)])
    }
    try connection.run(
      """
      UPDATE trawl_quotas SET blocked_why = ?3 , blocked_until = ?2
      WHERE id = ?1 AND ?2 > coalesce(blocked_until, 0)
      """, [SQLValue(id)] + saved.block)
    try connection.run(
      """
      UPDATE trawl_quotas SET server_limit = ?2, server_left = ?3, server_reset = ?4,
        server_length = ?5
      WHERE id = ?1 AND (?4 > coalesce(server_reset, 0) OR (?4 = server_reset AND ?3 < server_left))
      """, [SQLValue(id)] + saved.server)
    return raises
  }

  private func insert(_ saved: SavedQuota) throws(SQLiteError) -> Int64 {
    try connection.run(
      """
      INSERT INTO trawl_quotas (origin, quota, account, length, allow, resets_at, next_at, counts_from,
        seen_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, saved.key + saved.shape + [SQLValue(saved.countsFrom), saved.seen])
    return connection.lastInsertedRow
  }
}

/// A quota's row as stored in a file.
private struct SavedQuota {
  var id: Int64
  var key: [SQLValue]
  /// `allow`, `resets_at`, `next_at`
  var shape: [SQLValue]
  var length: Int64
  var countsFrom: Int64
  var seen: SQLValue
  /// `blocked_until`, `blocked_why`
  var block: [SQLValue]
  /// `server_limit`, `server_left`, `server_reset`, `server_length`
  var server: [SQLValue]

  static func all(
    _ connection: Connection, like other: SavedQuota? = nil
  ) throws(SQLiteError) -> [SavedQuota] {
    let condition = other == nil ? "" : "WHERE (origin, quota, account, length) = (?, ?, ?, ?)"
    return try connection.rows(
      """
      SELECT id, origin, quota, account, length, allow, resets_at, next_at, counts_from, seen_at,
        blocked_until, blocked_why, server_limit, server_left, server_reset, server_length
      FROM trawl_quotas \(condition) ORDER BY id
      """, other?.key ?? []
    ) { row in
      SavedQuota(
        id: row.integer(0), key: (1...4).map(row.value), shape: (5...7).map(row.value),
        length: row.integer(4), countsFrom: row.integer(8), seen: row.value(9),
        block: (10...11).map(row.value), server: (12...15).map(row.value))
    }
  }

  /// Uses that still count, and began no later than `last`.
  func spent(
    _ from: Int64, _ last: SQLValue, at now: Int64, _ connection: Connection
  ) throws(SQLiteError) -> Int64 {
    try connection.integer(
      """
      SELECT coalesce(sum(cost), 0) FROM trawl_uses
      WHERE quota_id = ?1 AND at >= ?2 AND at > ?4 - ?3 AND since <= ?5
      """, [SQLValue(id), SQLValue(from), SQLValue(length), SQLValue(now), last]) ?? 0
  }

  /// `at`, `since`, `cost`, `spender`, `job`; the newest last.
  func uses(_ connection: Connection) throws(SQLiteError) -> [[SQLValue]] {
    try connection.rows(
      "SELECT at, since, cost, spender, job FROM trawl_uses WHERE quota_id = ? ORDER BY at",
      [SQLValue(id)]
    ) { row in (0...4).map(row.value) }
  }
}
