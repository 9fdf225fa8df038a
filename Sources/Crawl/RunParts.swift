public import Ledger
public import Media
public import Model
public import Store

/// What a run is put together from. The wiring fills it in; the engine picks nothing itself.
public struct RunParts: Sendable {
  /// How long a request in flight may go on when a signal has come.
  static let interruptionGrace = Duration.seconds(3)

  public var job: Job
  public var options: CrawlOptions
  public var exchange: any Exchange
  public var time: Timekeeper
  public var store: RecordStore
  public var ledger: QuotaLedger
  /// Nil: images are not fetched.
  public var content: ContentStore?
  public var credential: Credential?
  /// Whose quota it is.
  public var account: String
  public var faults: FaultPoint
  public var isInterrupted: @Sendable () -> Bool
  /// Returns when a signal asks for the end, or when its task is cancelled. What is in flight then
  /// has `interruptionGrace` to come, and is given up.
  public var asked: (@Sendable () async -> Void)?
  public var tell: @Sendable (RunEvent) -> Void
  /// What adopting the job changed in the tables, in words.
  public var migrations: [String]
  /// What is said of the key at the start: `no token: 60 requests an hour`.
  public var note: String
  /// The exit code of an outcome, for the run's row.
  public var exitCode: @Sendable (RunOutcome) -> Int

  public init(
    job: Job, options: CrawlOptions, exchange: any Exchange, time: Timekeeper, store: RecordStore,
    ledger: QuotaLedger, content: ContentStore?, credential: Credential?, account: String,
    faults: FaultPoint = .none, isInterrupted: @escaping @Sendable () -> Bool = { false },
    tell: @escaping @Sendable (RunEvent) -> Void = { _ in }, migrations: [String] = [],
    note: String = "", exitCode: @escaping @Sendable (RunOutcome) -> Int = { _ in 0 }
  ) {
    self.job = job
    self.options = options
    self.exchange = exchange
    self.time = time
    self.store = store
    self.ledger = ledger
    self.content = content
    self.credential = credential
    self.account = account
    self.faults = faults
    self.isInterrupted = isInterrupted
    self.tell = tell
    self.migrations = migrations
    self.note = note
    self.exitCode = exitCode
  }
}
