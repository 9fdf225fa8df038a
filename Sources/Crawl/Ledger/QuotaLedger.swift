internal import Glibc
public import Base

/// The quotas, counted across runs, jobs and processes in a small file of their own. Every request reserves its cost
/// here before it is sent; a request whose process died counts as sent.
public actor QuotaLedger {
  private let executor: QueueExecutor
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  let connection: Connection
  private let files: OpenedFiles
  let path: String
  var time: Timekeeper
  private let faults: FaultPoint
  private let travelling: TravellingLedger?
  /// What may be spent before the next sync.
  private var ahead: AheadBlocks
  /// By quota, the latest use whose answer gave the server's count.
  private var told: [QuotaKey: Int] = [:]

  /// Opens it on its own queue, since another process may hold the file for a while.
  /// - Parameter boot: identifies the boot of the machine; nil: each use is synced.
  public static func open(
    file path: String, timekeeper: Timekeeper, faults: FaultPoint = .none,
    boot: String? = MachineStart.id, travelling: TravellingLedger? = nil
  ) async throws(LedgerError) -> QuotaLedger {
    let executor = QueueExecutor(label: "ledger")
    let ledger = try await executor.run {
      Result { () throws(LedgerError) in
        try QuotaLedger(
          executor, path, timekeeper, faults, travelling?.claim ?? boot, travelling)
      }
    }.get()
    try await ledger.countLost()
    return ledger
  }

  private init(
    _ executor: QueueExecutor, _ path: String, _ timekeeper: Timekeeper, _ faults: FaultPoint,
    _ boot: String?, _ travelling: TravellingLedger?
  ) throws(LedgerError) {
    self.executor = executor
    time = timekeeper
    self.path = path
    self.faults = faults
    self.travelling = travelling
    ahead = AheadBlocks(boot: boot, travels: travelling != nil)
    do {
      try SQLiteVersion.check()
      Self.makeFile(path)
      connection = try Connection(path, .create)
    } catch {
      throw LedgerError(error, path: path)
    }
    try Self.refuseSecondName(path)
    try Self.prepare(connection, path: path)
    files = OpenedFiles(["", "-wal", "-shm"].map { path + $0 })
  }

  /// What a power cut may have taken from the file counts as spent now.
  private func countLost() throws(LedgerError) {
    guard try reading({ () throws(SQLiteError) in try ahead.mayHaveLost(connection) }) else {
      return
    }
    try writing {
      for lost in try self.ahead.lost(self.connection) {
        guard var line = try QuotaRow.find(lost.ask.key, on: self.connection) else { continue }
        try line.see(self.time.now())
        guard lost.counts(at: line.now) else { continue }
        _ = try line.note(lost.ask, at: line.now, lost.spender, lost.job)
        try line.save()
      }
      try self.ahead.forgetLost(self.connection)
    }
  }

  /// Throws if the file was moved, removed or replaced: no other run would see what is counted in it.
  nonisolated func checkPlace() throws(LedgerError) {
    guard let change = files.change() else { return }
    throw LedgerError(
      .cannotWrite, path,
      "\(change.path), where the quotas are counted, was moved, removed or replaced while it was "
        + "open: requests would no longer be counted. Put it back, or run again to begin to count "
        + "anew, and let nothing else tidy its folder")
  }

  /// SQLite has a log per file name: two programs that open the file by different names would count separately and
  /// damage it.
  private static func refuseSecondName(_ path: String) throws(LedgerError) {
    var facts = stat()
    guard stat(path, &facts) == 0, facts.st_nlink > 1 else { return }
    throw LedgerError(
      .cannotWrite, path,
      "the ledger \(path) has \(facts.st_nlink) names (hard links), and what is counted under one is "
        + "not seen under another: remove the other names, or make them symbolic links")
  }

  /// Jobs of one process open a new file only when the descriptor that made it is closed: closing it releases all locks
  /// that the process has on it.
  private static let making = Locked(false)

  /// A new file is readable by its folder's group, like the database. If it cannot be created, opening it says why.
  private static func makeFile(_ path: String) {
    making.withLock { _ in
      let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, FileRights.file)
      if descriptor >= 0 { Glibc.close(descriptor) }
    }
  }

  /// Creates the tables of a new file; refuses an unusable one untouched.
  private static func prepare(_ connection: Connection, path: String) throws(LedgerError) {
    try translated(path, "prepared") {
      if try !LedgerSchema.isEmpty(connection),
        let refusal = try LedgerSchema.refusal(of: connection, path)
      {
        throw refusal
      }
      let version = try LedgerSchema.version(of: connection)
      try connection.useLog()
      // Readers without write access to the folder cannot create the log's files.
      try connection.keepLogFiles()
      try connection.execute("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 1000000")
      if version < LedgerSchema.version {
        try connection.transaction {
          // Another process may have been quicker: then there is nothing left to do.
          try LedgerSchema.upgrade(connection)
        }
      }
    }
  }

  public func close() {
    // A block left behind counts as lost only after the next boot.
    if ahead.isHeld { try? writing { try self.ahead.giveBack(self.connection) } }
    connection.close()
  }

  /// Uses the run's clock from now on.
  func follow(_ time: Timekeeper) { self.time = time }

  /// Ends every wait that an origin's server asked for, and forgets its counts; what was spent stays spent. Returns the
  /// number of waits.
  public func endWaits(of origin: String) throws(LedgerError) -> Int {
    try writing {
      let ended = try self.connection.integer(
        "SELECT count(*) FROM trawl_quotas WHERE origin = ? AND blocked_until IS NOT NULL",
        [SQLValue(origin)])
      try self.connection.run(
        """
        UPDATE trawl_quotas SET blocked_until = NULL, blocked_why = NULL, server_limit = NULL,
          server_left = NULL, server_reset = NULL, server_length = NULL
        WHERE origin = ? AND (blocked_until IS NOT NULL OR server_reset IS NOT NULL)
        """, [SQLValue(origin)])
      return Int(ended ?? 0)
    }
  }

  // MARK: Reserving

  /// Reserves the costs in all quotas, or in none and says when to ask again.
  /// - Parameter waitMax: if its turn comes later than that, nothing is reserved.
  func reserve(
    _ asks: [QuotaAsk], for spender: Spender = .timer, job: String,
    waitMax: Duration = .seconds(366 * 86400)
  ) throws(LedgerError) -> Admission {
    faults.reach(.beforeLedgerReserve)
    let isSynced = !ahead.holds(asks, at: time.elapsed())
    let admission = try writing(isSynced: isSynced) {
      let admission = try self.admit(asks, spender, job, waitMax)
      if isSynced, case .granted = admission {
        try self.ahead.take(
          asks, spender.name, job, at: self.time.elapsed(), on: self.connection)
      }
      return admission
    }
    if case .granted = admission {
      if isSynced {
        faults.reach(.afterLedgerSync)
        try putBlock()
      } else {
        ahead.spend(asks)
      }
    }
    faults.reach(.afterLedgerReserve)
    return admission
  }

  /// No block is spent before the next machine can find it.
  private func putBlock() throws(LedgerError) {
    guard let travelling else { return }
    do throws(TravellingLedger.Problem) {
      try travelling.put()
    } catch {
      ahead.drop()
      throw LedgerError(.unclaimed, path, error.sentence)
    }
  }

  private func admit(
    _ asks: [QuotaAsk], _ spender: Spender, _ job: String, _ waitMax: Duration
  ) throws -> Admission {
    var lines: [QuotaRow] = []
    var delay = Duration.zero
    for ask in asks {
      let line = try QuotaRow.load(ask, at: time.now(), on: connection)
      if let refusal = try line.refusal(of: ask, for: spender) {
        return .notBefore(refusal.until, quota: ask.key.name, why: refusal.why)
      }
      let spacing = line.spacing(of: ask)
      if spacing > waitMax {
        return .notBefore(
          time.now() + spacing, quota: ask.key.name,
          why: "\(ask.key.name): spaced, \(Wording.number(ask.allow)) \(Wording.rate(ask.length))")
      }
      delay = max(delay, spacing)
      lines.append(line)
    }
    var uses: [Reservation.Use] = []
    for (ask, line) in zip(asks, lines) {
      uses.append(try line.spend(ask, after: delay, spender, job))
    }
    return .granted(Reservation(uses: uses), at: time.now() + delay)
  }

  /// Cancels a reservation: the request was never sent.
  func release(_ reservation: Reservation) throws(LedgerError) {
    try writing(isSynced: false) {
      for use in reservation.uses {
        // If the server gave its count for a later request, it never counted this one.
        let isInCount = use.spent > self.told[use.key] ?? 0
        try QuotaRow.release(use, isInCount: isInCount, on: self.connection)
      }
    }
  }

  // MARK: Learning from answers

  /// Takes the server's own numbers, which count where they are lower than ours.
  /// - Parameters:
  ///   - answered: when they came, by our clock.
  ///   - reservation: of the request whose answer gave them.
  func learn(
    _ quota: ServerQuota, at answered: Instant, about ask: QuotaAsk,
    from reservation: Reservation? = nil
  ) throws(LedgerError) {
    let now = time.now()
    try writing(isSynced: false) {
      var line = try QuotaRow.load(ask, at: now, on: self.connection)
      let use = reservation?.uses.first { $0.key == ask.key }
      if let use { self.told[ask.key] = max(use.spent, self.told[ask.key] ?? 0) }
      line.learn(quota, at: answered, later: use.map { line.spent - $0.spent } ?? 0)
      try line.save()
    }
  }

  /// Stores a server's wait.
  /// - Returns: until when the wait is believed, and why.
  @discardableResult
  func block(
    _ ask: QuotaAsk, until: Instant, why: String
  ) throws(LedgerError) -> (until: Instant, why: String) {
    try writing {
      var line = try QuotaRow.load(ask, at: self.time.now(), on: self.connection)
      line.block(until: until, why: why)
      try line.save()
      return line.block ?? (until, why)
    }
  }

  // MARK: Telling

  /// What a quota has left for a spender now, and when it is full again.
  func left(in ask: QuotaAsk, for spender: Spender = .timer) throws(LedgerError) -> Left {
    try writing {
      let line = try QuotaRow.load(ask, at: self.time.now(), on: self.connection)
      return try line.left(of: ask, for: spender)
    }
  }

  public struct Left: Sendable, Equatable {
    public var key: QuotaKey
    public var allowed: Int
    public var left: Int
    /// When something becomes free: at the reset, or when the oldest use leaves a rolling stretch.
    public var resetsAt: Instant?
    public var blockedWhy: String?
    /// Spenders of the present stretch, the largest first.
    public var users: [User] = []

    /// Waits of an API without quotas have no name, and are shown only while they last.
    public var isTold: Bool { !key.name.isEmpty || blockedWhy != nil }
  }

  /// A job's share of what was spent.
  public struct User: Sendable, Equatable {
    public var job: String
    public var isBackfill: Bool
    public var cost: Int
  }

  // MARK: Breakers

  /// A host's failures in a row, over runs; nil if the last request succeeded.
  func failures(of host: String) throws(LedgerError) -> Int? {
    try writing {
      try self.connection.integer(
        "SELECT failures FROM trawl_breakers WHERE host = ?1", [SQLValue(host)]
      ).map { Int($0) }
    }
  }

  /// - Parameter atLeast: the least number of failures to count; used when a host is given up.
  func noteFailure(
    of host: String, _ sentence: String, atLeast: Int = 1
  ) throws(LedgerError) {
    try writing {
      try self.connection.run(
        """
        INSERT INTO trawl_breakers VALUES (?1, ?4, ?2, ?3)
        ON CONFLICT DO UPDATE SET failures = max(failures + 1, ?4), last_failure = ?2,
          failed_at = ?3
        """,
        [
          SQLValue(host), SQLValue(sentence), SQLValue(self.time.now().milliseconds),
          SQLValue(atLeast),
        ])
    }
  }

  func noteSuccess(of host: String) throws(LedgerError) {
    try writing {
      try self.connection.run("DELETE FROM trawl_breakers WHERE host = ?1", [SQLValue(host)])
    }
  }

  /// - Parameter isSynced: the write survives a power cut. Others need not: uses survive by their block, and servers
  ///   repeat what they said.
  func writing<T>(isSynced: Bool = true, _ body: () throws -> T) throws(LedgerError) -> T {
    try Self.translated(path, "written") {
      try connection.execute("PRAGMA synchronous = \(isSynced ? "FULL" : "NORMAL")")
      let value = try connection.transaction(body)
      try checkPlace()
      return value
    }
  }

  /// Reads without a transaction.
  func reading<T>(_ body: () throws(SQLiteError) -> T) throws(LedgerError) -> T {
    do throws(SQLiteError) { return try body() } catch { throw LedgerError(error, path: path) }
  }

  private static func translated<T>(
    _ path: String, _ done: String, _ body: () throws -> T
  ) throws(LedgerError) -> T {
    do { return try body() } catch let error as LedgerError { throw error } catch {
      if let error = error as? SQLiteError { throw LedgerError(error, path: path) }
      throw LedgerError(.cannotWrite, path, "the ledger \(path) cannot be \(done): \(error)")
    }
  }
}
