public import Base
public import Media
public import Store

/// What a run is put together from. The wiring fills it in; the engine picks nothing itself.
public struct RunParts: Sendable {
  /// How long a request in flight may go on when a signal has come.
  static let interruptionGrace = Duration.seconds(3)
  /// The account of a run without a key.
  public static let nobody = "no key"
  /// Of one whose answers are recorded: the account is not part of a recording.
  public static let replay = "a replay"

  var job: Job
  var options: CrawlOptions
  var exchange: any Exchange
  var time: Timekeeper
  var store: RecordStore
  var ledger: QuotaLedger
  /// Nil: images are not fetched.
  var content: ContentStore?
  var credential: Credential?
  /// Whose quota it is.
  var account: String
  var faults: FaultPoint
  var isInterrupted: @Sendable () -> Bool
  /// Returns when a signal asks for the end, or when its task is cancelled. What is in flight then
  /// has `interruptionGrace` to come, and is given up.
  public var asked: (@Sendable () async -> Void)?
  var tell: @Sendable (RunEvent) -> Void
  /// What adopting the job changed in the tables, in words.
  var migrations: [String]
  /// What is said of the key at the start: `no token: 60 requests an hour`.
  var note: String
  /// Where the key came from, if that is used before a stored one.
  var keySource: String?
  /// The exit code of an outcome, for the run's row.
  var exitCode: @Sendable (RunOutcome) -> Int

  public init(
    job: Job, options: CrawlOptions, exchange: any Exchange, time: Timekeeper, store: RecordStore,
    ledger: QuotaLedger, content: ContentStore?, credential: Credential?, account: String,
    faults: FaultPoint = .none, isInterrupted: @escaping @Sendable () -> Bool = { false },
    tell: @escaping @Sendable (RunEvent) -> Void = { _ in }, migrations: [String] = [],
    note: String = "", keySource: String? = nil,
    exitCode: @escaping @Sendable (RunOutcome) -> Int = { _ in 0 }
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
    self.keySource = keySource
    self.exitCode = exitCode
  }

  /// Whether an account asks that never did before.
  mutating func countAskers() async throws(StoreError) -> Bool {
    // A job that names the account says itself who asks.
    guard job.account == nil else { return false }
    let isKnown = ![Self.nobody, Self.replay].contains(account)
    let asker = try await store.era(of: job.name, askedBy: isKnown ? account : nil)
    job.era = asker.number
    return asker.isNew
  }
}
