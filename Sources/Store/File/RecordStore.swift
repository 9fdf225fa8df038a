public import Base

/// The database of a data folder: the records of all jobs, their requests, and the proof. An actor
/// on its own queue, entered once per page; SQLite may block there as long as it must.
///
/// A run calls, in this order:
///
///     let store = try await RecordStore.open(folder, settings)
///     let changes = try await store.adopt(job, origin: origin)     // tables; what changed, in words
///     let run = try await store.beginRun(job: job.name, command: "run", arguments: […])
///     let opening = try await store.openUnit(unit, of: job.name, prints: prints, run: run)
///     let receipt = try await store.commit(page, step: step, facts: facts, of: opening.id)
///     let done = try await store.certify(opening.id, certificate)
///     try await store.endRun(run, outcome: "complete", exitCode: 0)
///     await store.close()
///
/// Besides, there are `commitNotModified` (304), a `commit` for what came instead of a page, and
/// `startAgain`. `due` has the values of parent streams that are due, `validator` the validators.
/// The rest are queries, and writes of other commands.
public actor RecordStore {
  /// What a caller may set.
  public struct Settings: Sendable {
    public var time: Timekeeper
    public var faults: FaultPoint
    /// The longest wait for another process's write lock.
    var waitMax: Duration
    /// Called after 1, 2, 4 … seconds of a wait. On the store's own thread: it must not block.
    var onWait: @Sendable (Duration) -> Void
    /// Asked during a wait: true ends it after a second.
    public var isHurried: @Sendable () -> Bool = { false }
    /// Called every few milliseconds while the database works, even in a migration of an hour. On
    /// the store's own thread: it must not block.
    public var onWork: (@Sendable () -> Void)?
    /// Called as often: true ends the current statement.
    public var isStopped: (@Sendable () -> Bool)?
    /// Called for each of the user's own indexes, triggers or views that an upgrade could not keep.
    public var onUpgrade: @Sendable (String) -> Void = { _ in }
    /// The version of the program that reads the answers: another one may read the same answer
    /// differently.
    public var program = ""
    /// How large readers may let the log grow, in bytes, before a run pauses.
    public var logMax = LogWatch.maxByDefault

    public init(
      time: Timekeeper, faults: FaultPoint = .none, waitMax: Duration = .seconds(60),
      onWait: @escaping @Sendable (Duration) -> Void = { _ in }
    ) {
      self.time = time
      self.faults = faults
      self.waitMax = waitMax
      self.onWait = onWait
    }

    var mayGoOn: (() -> Bool)? {
      guard onWork != nil || isStopped != nil else { return nil }
      return { [onWork, isStopped] in
        onWork?()
        return !(isStopped?() ?? false)
      }
    }
  }

  let executor = QueueExecutor(label: "trawl.store")
  /// Writes of lists that will share one transaction.
  var waiting: [WaitingWrite] = []
  var answerExecutor: (any TaskExecutor)?
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }
  /// For tasks that mostly call the store.
  public nonisolated let taskExecutor: any TaskExecutor

  public nonisolated let folder: DataFolder
  nonisolated let settings: Settings
  private var open: Connection?
  /// Nil unless the store writes.
  private var place: DatabasePlace?
  /// How far readers prevent the log from being moved into the database.
  public nonisolated let log: LogWatch

  let zones = LocalZones()
  /// The set that `trawl_seen` reads while a statement marks rows as gone.
  let probe = SeenProbe()
  let wanted = WantedImages()
  var designs: [String: JobDesign] = [:]
  var plans: [String: StreamPlan] = [:]
  /// New origins of jobs, as the user said; valid once a first page has confirmed it.
  var moved: [String: Origin] = [:]
  var units: [UnitID: OpenUnit] = [:]
  /// For each table that several streams fill, what this run stored first.
  var fresh: [String: FreshKeys] = [:]
  /// For each table, the stored pages that no longer match its rows.
  var altered: [String: AlteredRecords] = [:]
  /// For each table, the columns that no job file declares.
  var found: [String: FoundColumns] = [:]
  /// The rounds of streams that request every parent, as this run found them.
  var rounds: [String: (run: Int64, round: Int64)] = [:]
  var sync = SyncPace()
  /// The run's clock.
  var clock: Timekeeper
  /// Streams whose certificates have already been compared with these fingerprints.
  var judged: [String: Fingerprints] = [:]

  private init(folder: DataFolder, settings: Settings) {
    self.folder = folder
    self.settings = settings
    clock = settings.time
    log = LogWatch(max: settings.logMax)
    taskExecutor = QueueTasks(of: executor)
  }

  /// Opens for writing, and makes the database if there is none.
  public static func open(
    _ folder: DataFolder, _ settings: Settings
  ) async throws(StoreError) -> RecordStore {
    let store = RecordStore(folder: folder, settings: settings)
    try await store.connect(for: .write)
    return store
  }

  /// Opens for reading only: changes nothing, not even the files beside the database.
  public static func openForReading(
    _ folder: DataFolder, _ settings: Settings
  ) async throws(StoreError) -> RecordStore {
    let store = RecordStore(folder: folder, settings: settings)
    try await store.connect(for: .read)
    return store
  }

  private func connect(for use: DatabaseFile.Use) throws(StoreError) {
    let opened = try DatabaseFile(folder: folder).open(for: use, settings)
    open = opened
    if use == .write {
      DraftFile.removeLeft(of: folder.databasePath)
      let place = DatabasePlace(folder)
      self.place = place
      log.follow(opened, place)
    }
    do {
      try probe.define(on: opened)
    } catch {
      throw StoreError(error, on: folder.databasePath)
    }
  }

  /// Closes the database. A store that may write first moves the log into it. A reader may hold part of the log back:
  /// that is not an error, the next run moves it.
  public func close() {
    guard let open else { return }
    units = [:]
    plans = [:]
    self.open = nil
    if let place {
      open.log.end()
      open.wait.limit = .milliseconds(200)
      // Everything is committed already; a checkpoint that fails loses nothing. SQLite's own at
      // closing would lock the whole file, and a reader at that moment would get an error.
      if place.mayMoveLog { _ = try? open.checkpoint(.truncate) }
    }
    place = nil
    // If this fails, SQLite closes as usual.
    try? open.skipCheckpointOnClose(true)
    open.close()
  }

  /// Time spent waiting for other processes' locks.
  var waited: Duration { open?.wait.total ?? .zero }

  // MARK: For the extensions

  /// For the bodies of `guarded` and of writes, and what they call: these have checked that it
  /// exists.
  var connection: Connection {
    guard let open else { preconditionFailure("the database is asked outside of `guarded`") }
    return open
  }

  var now: Instant { clock.now() }

  /// From now on the run's clock gives every time that is written.
  public func follow(_ time: Timekeeper) { clock = time }

  /// Runs a body that uses SQLite, and adds place and advice to its errors.
  func guarded<T>(_ body: () throws -> T) throws(StoreError) -> T {
    guard let open else {
      throw StoreError(.bug, folder.databasePath, "the database was closed already")
    }
    do {
      return try body()
    } catch let error as StoreError {
      throw error
    } catch let error as SQLiteError {
      // After one wait this long, later writes wait less for the same holder.
      if error.kind == .busy { open.wait.limit = BusyWait.hurriedMax }
      throw StoreError(error, on: folder.databasePath, open)
    } catch {
      throw StoreError(.bug, folder.databasePath, "\(error)")
    }
  }

  /// The same over one moment: a run may write meanwhile.
  func snapshot<T>(_ body: () throws -> T) throws(StoreError) -> T {
    try guarded { try connection.snapshot(body) }
  }

  /// Keeps a job's lock for as long as this store is open, and ends the run if the lock file is no
  /// longer the one that another run would find.
  public func hold(_ lock: JobLock) { place?.lock = lock }

  /// Throws if the files are not in their place: moved, removed or replaced since they were opened.
  /// Each write checks it, and a run once more at its end.
  public func checkPlace() throws(StoreError) { try place?.check() }

  /// One transaction, all or nothing; it counts only if the database is still in its place.
  @discardableResult
  func write<T>(_ body: () throws -> T) throws(StoreError) -> T {
    if sync.isOverdue(at: elapsed) { return try writeDurably(body) }
    return try guarded { try transact(body) }
  }

  /// One transaction that survives a power cut once this returns.
  @discardableResult
  func writeDurably<T>(_ body: () throws -> T) throws(StoreError) -> T {
    let value = try guarded {
      try connection.execute("PRAGMA synchronous = FULL")
      defer {
        // Only speed depends on it.
        try? connection.execute("PRAGMA synchronous = NORMAL")
      }
      return try transact(body)
    }
    sync.note(at: elapsed)
    return value
  }

  /// One transaction that survives a power cut soon: see `SyncPace`.
  func writeDurablySoon<T>(_ body: () throws -> T) throws(StoreError) -> T {
    if sync.isDue(at: elapsed) { return try writeDurably(body) }
    let value = try guarded { try transact(body) }
    sync.isOwed = true
    return value
  }

  private var elapsed: Duration { settings.time.elapsed() }

  private func transact<T>(_ body: () throws -> T) throws -> T {
    let value = try connection.transaction {
      let value = try body()
      try checkPlace()
      return value
    }
    log.look(at: connection)
    return value
  }
}

/// The set behind the SQL function `trawl_seen`: a key's digest, taken like `RowBuffer`'s.
final class SeenProbe {
  var keys = KeySet()
  private let row = RowBuffer(columns: 1)

  func define(on connection: Connection) throws(SQLiteError) {
    try connection.define("trawl_seen", arguments: -1, isDeterministic: false) { [self] call in
      call.result(keys.contains(Functions.digest(of: call, by: row)) ? 1 : 0)
    }
  }
}
