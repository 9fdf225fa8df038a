public import Base
public import Media
public import Store

/// What a run is assembled from. The wiring fills it in; the engine chooses nothing.
public struct RunParts: Sendable {
  /// How long requests in flight may continue after a signal.
  static let interruptionGrace = Duration.seconds(3)
  /// The account of a run without a key.
  public static let nobody = "no key"
  /// The account of a replay: recordings do not name one.
  public static let replay = "a replay"

  public var job: Job
  public var options: CrawlOptions
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
  /// Why the run must end without a signal; nil: it may go on.
  public var lapse: @Sendable () -> String? = { nil }
  /// Returns when a signal asks for the end, or when its task is cancelled. Requests in flight then have
  /// `interruptionGrace` left.
  public var asked: (@Sendable () async -> Void)?
  var tell: @Sendable (RunEvent) -> Void
  /// What adopting the job changed in the tables, in words.
  var migrations: [String]
  /// What is said of the key at the start: `no token: 60 requests an hour`.
  var note: String
  /// The key's origin, if that overrides a stored one.
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

  /// Whether this account is used for the first time.
  mutating func countAskers() async throws(StoreError) -> Bool {
    // A job that names its account identifies itself.
    guard job.account == nil else { return false }
    let isKnown = ![Self.nobody, Self.replay].contains(account)
    let asker = try await store.era(of: job.name, askedBy: isKnown ? account : nil)
    job.era = asker.number
    return asker.isNew
  }
}
