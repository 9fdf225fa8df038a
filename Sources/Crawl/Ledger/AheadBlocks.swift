internal import Base

/// What one opening of the ledger may spend before it syncs again. A sync for each request would be most of its cost;
/// without any, a power cut would forget what was spent. So a block is written and synced first, and uses within it are
/// written without a sync: a killed process loses none of them. After a power cut, which a new boot id shows, the whole
/// block counts as spent. Where the ledger travels, the claim takes the place of the boot id.
struct AheadBlocks {
  /// What is left of the block, by quota.
  private var left: [QuotaKey: Int] = [:]
  private var size = Self.sizeLeast
  private var takenAt: Duration?
  private let boot: String?
  private let interval: Duration
  private var holder: Int64?

  /// A block that is used up sooner is followed by one of twice the size.
  private static let interval = Duration.milliseconds(100)
  /// The same where each block is put into a bucket first.
  private static let intervalOfTravel = Duration.seconds(1)
  /// An older block is not used any more.
  private static let age = Duration.seconds(10)
  private static let sizeLeast = 64
  private static let sizeMax = 65_536

  init(boot: String?, travels: Bool = false) {
    self.boot = boot
    interval = travels ? Self.intervalOfTravel : Self.interval
  }

  var isHeld: Bool { !left.isEmpty }

  // MARK: Spending

  func holds(_ asks: [QuotaAsk], at now: Duration) -> Bool {
    guard let takenAt, now - takenAt < Self.age else { return false }
    return asks.allSatisfy { (left[$0.key] ?? 0) >= $0.cost }
  }

  mutating func spend(_ asks: [QuotaAsk]) {
    for ask in asks { left[ask.key, default: 0] -= ask.cost }
  }

  /// A new block, in the synced transaction that records what these asks spend.
  mutating func take(
    _ asks: [QuotaAsk], _ spender: String, _ job: String, at now: Duration,
    on connection: Connection
  ) throws(SQLiteError) {
    guard let boot else { return }
    if let takenAt, now - takenAt < interval {
      size = min(2 * size, Self.sizeMax)
    } else if let takenAt, now - takenAt > interval * 10 {
      size = max(size / 2, Self.sizeLeast)
    }
    takenAt = now
    if holder == nil { holder = try connection.integer("SELECT random()") }
    for ask in asks {
      // A power cut costs at most a quarter of the quota.
      let cost = max(ask.cost, min(size * ask.cost, ask.allow / 4))
      try connection.run(
        """
        INSERT INTO trawl_ahead (holder, quota_id, boot, taken_at, cost, spender, job)
        SELECT ?5, id, ?6, seen_at, ?7, ?8, ?9 FROM trawl_quotas
          WHERE \(QuotaRow.isOfKey)
        ON CONFLICT DO UPDATE SET taken_at = excluded.taken_at, cost = ?7, spender = ?8, job = ?9
        """,
        QuotaRow.names(ask.key) + [
          SQLValue(holder), SQLValue(boot), SQLValue(cost), SQLValue(spender), SQLValue(job),
        ])
      left[ask.key] = cost
    }
  }

  /// Forgets the block.
  mutating func drop() {
    left = [:]
    takenAt = nil
  }

  mutating func giveBack(_ connection: Connection) throws(SQLiteError) {
    try connection.run("DELETE FROM trawl_ahead WHERE holder = ?", [SQLValue(holder)])
    left = [:]
  }

  // MARK: After a power cut

  struct Lost {
    var ask: QuotaAsk
    /// When the block was taken.
    var at: Instant
    var spender: String
    var job: String

    /// A block of a run that was killed long ago no longer counts, wherever in its stretch it would have been.
    func counts(at now: Instant) -> Bool { at > now - ask.length * 2 - .seconds(3600) }
  }

  /// Without a boot id every block counts as another start's.
  private var other: [SQLValue] { [SQLValue(boot ?? "")] }

  func mayHaveLost(_ connection: Connection) throws(SQLiteError) -> Bool {
    try connection.integer("SELECT EXISTS (SELECT 1 FROM trawl_ahead WHERE boot <> ?)", other) == 1
  }

  func lost(_ connection: Connection) throws(SQLiteError) -> [Lost] {
    try connection.rows(
      """
      SELECT origin, quota, account, cost, allow, length, spender, job, taken_at
      FROM trawl_ahead JOIN trawl_quotas ON id = quota_id WHERE boot <> ? AND cost > 0 ORDER BY quota_id, holder
      """, other
    ) { row in
      Lost(
        ask: QuotaAsk(
          key: QuotaKey(
            origin: row.text(0) ?? "", name: row.text(1) ?? "", account: row.text(2) ?? "",
            length: .milliseconds(row.integer(5))),
          cost: row.int(3), allow: row.int(4),
          stretch: .rolling(.milliseconds(row.integer(5))), burst: row.int(4)),
        at: Instant(milliseconds: row.integer(8)), spender: row.text(6) ?? "",
        job: row.text(7) ?? "")
    }
  }

  func forgetLost(_ connection: Connection) throws(SQLiteError) {
    try connection.run("DELETE FROM trawl_ahead WHERE boot <> ?", other)
  }
}
