internal import Glibc
internal import Base
internal import Crawl
internal import Store
internal import Transport

/// What every command gets.
struct CommandContext: Sendable {
  var invocation: Invocation
  let environment: Environment
  let console: Console
  let interruption: Interruption?
  var time: Timekeeper
  /// Nil: the real network.
  var standIns: StandIns?
  /// Set if the data folder is the cache of a bucket that this process may write.
  var bucket: BucketSession?
  /// The bucket's images, also if it is only read.
  var images: BucketImages?
  /// Who may write to the bucket's folder, if it is only read here.
  var holder: String?
  /// The database folder of the system's timer.
  var systemFolder = DataLocation.ofTheSystem

  /// The folder for reading commands; refuses one that this user cannot read.
  func locationForReading() throws(ExitReport) -> DataLocation {
    let location = try placeForReading()
    if let refusal = DataLocation.refusal(of: location.folder) { throw refusal }
    return location
  }

  /// The same without refusal, for callers that report it. Says when it is the system's folder.
  func placeForReading() throws(ExitReport) -> DataLocation {
    // Not for a user's own job: the system's database is of no use to it.
    let isOfJobs =
      [.run, .backfill, .check].contains(invocation.command) && !invocation.operands.isEmpty
    let location = try DataLocation.forReading(
      data: invocation.text(.data), ledger: invocation.text(.ledger), environment,
      system: systemFolder, isAny: !isOfJobs)
    if let remark = location.remark {
      console.tell("\(remark)")
      console.advise(AdvisedCommands(isOfSystem: true))
    }
    return location
  }

  /// The folder for writing commands: never the system's by default.
  func locationForWriting() throws(ExitReport) -> DataLocation {
    try DataLocation.own(
      data: invocation.text(.data), ledger: invocation.text(.ledger), environment)
  }

  /// The output file of an option: never a file of the data folder, nor a database.
  func fileToWrite(_ name: OptionName) throws(ExitReport) -> String? {
    guard let path = invocation.text(name) else { return nil }
    if path == "-" {
      throw ExitReport(.usage, "\(name.spelling) takes the name of a file, not -")
    }
    // Without HOME there is nothing to protect.
    let location = try? DataLocation.forReading(
      data: invocation.text(.data), ledger: invocation.text(.ledger), environment,
      system: systemFolder)
    let refusal = ReplacedFile.refusal(
      of: path, besides: location?.folder, ledger: location?.ledger)
    if let refusal {
      throw ExitReport(.cannotCreate, "\(name.spelling) \(path) is not written: \(refusal)")
    }
    return path
  }

  /// The ledger for requests outside runs: that of the runs. If no run has created one, none is created and a scratch
  /// file serves.
  func ledgerOfRuns(else scratch: ScratchSpace) -> (file: String, isOfRuns: Bool) {
    // Without HOME no run has kept anything.
    let own = (try? locationForWriting())?.ledger
    if let own, access(own, F_OK) == 0 { return (own, true) }
    return ("\(scratch.path)/ledger.db", false)
  }

  /// Closes the store after the body, also on errors.
  func use<Result>(_ store: RecordStore, _ body: () async throws -> Result) async throws -> Result {
    try await closing({ await store.close() }, body)
  }

  /// Cancels work that stores nothing at the first signal.
  func endingAtSignal<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let work = Task(executorPreference: CommandThreads.shared) { try await body() }
    let watch = interruption.map { interruption in
      Task { if await interruption.asked() != nil { work.cancel() } }
    }
    defer { watch?.cancel() }
    return try await work.value
  }

  /// The database of a folder, for reading; nil if there is none yet.
  func storeForReading(_ location: DataLocation) async throws -> RecordStore? {
    guard let folder = DataFolder(withDatabase: location.folder) else { return nil }
    return try await RecordStore.openForReading(folder, storeSettings)
  }

  /// The same for commands that need a database.
  func storeThatIsThere(_ location: DataLocation) async throws -> RecordStore {
    try await RecordStore.openForReading(
      DataFolder(withDatabase: location.folder, or: " yet: trawl run JOB makes it"), storeSettings)
  }

  /// The trusted certificate authorities; checked before any request, or later if the first request is without TLS.
  func issuers(for base: WebAddress? = nil) throws(ExitReport) -> TrustedIssuers {
    var issuers = TrustedIssuers(option: invocation.text(.ca), environment: { environment($0) })
    let isPlain = base?.origin.scheme == "http"
    do throws(TrustedIssuers.Problem) {
      if isPlain { try issuers.putOff() } else { try issuers.check() }
    } catch {
      throw ExitReport(.configuration, "\(error); nothing was requested")
    }
    return issuers
  }

  var faults: FaultPoint { standIns?.faults ?? .none }

  var storeSettings: RecordStore.Settings {
    var settings = RecordStore.Settings(
      time: time,
      onWait: { [self] waited in
        mention("waiting for another process that writes to the database (\(waited.inSeconds) s)")
      })
    settings.isHurried = { [interruption] in interruption?.isAsked ?? false }
    settings.program = Version.build
    settings.onUpgrade = { [console] note in console.warn(ConsoleText(note)) }
    if let max = invocation.bytes(.maxWAL) { settings.logMax = max }
    return settings
  }

  /// A remark that something takes time; nothing with `--quiet`.
  func mention(_ text: ConsoleText) {
    if !invocation.has(.quiet) { console.tell(text) }
  }

  /// An instant in local time.
  func clock(_ instant: Instant) -> String { LocalClock.text(instant, now: time.now()) }
}

extension DataFolder {
  /// Nil: no database in it, or no folder.
  init?(withDatabase path: String) {
    // No folder: nil.
    guard let folder = try? DataFolder(existing: path),
      // Opening a lost database reports what happened to it.
      folder.hasDatabase || folder.lostDatabase != nil
    else { return nil }
    self = folder
  }

  /// The same for commands that need one.
  init(withDatabase path: String, or words: String, _ hints: String...) throws(ExitReport) {
    if let folder = DataFolder(withDatabase: path) {
      self = folder
    } else if let refusal = DataLocation.refusal(of: path) {
      throw refusal
    } else {
      throw ExitReport(.usage, lines: ["there is no database in \(path)" + words] + hints)
    }
  }
}

extension CommandContext {
  /// Sends requests outside of a run: admitted by the runs' ledger, one after another.
  func asking<Value: Sendable>(_ body: (Requester) async throws -> Value) async throws -> Value {
    let scratch = try ScratchSpace(environment)
    defer { withExtendedLifetime(scratch) {} }
    if let standIns { return try await ask(through: standIns.exchange, scratch, body) }
    var options = TransportOptions(version: Version.number)
    options.issuers = try issuers()
    let wire = try CurlExchange(options, timekeeper: time)
    return try await closing({ await wire.close() }) {
      try await ask(through: wire, scratch, body)
    }
  }

  private func ask<Value: Sendable>(
    through exchange: any Exchange, _ scratch: ScratchSpace,
    _ body: (Requester) async throws -> Value
  ) async throws -> Value {
    let ledger = try await QuotaLedger.open(
      file: ledgerOfRuns(else: scratch).file, timekeeper: time, travelling: bucket?.ledger)
    let requester = Requester(
      exchange, time: time, ledger: ledger,
      isInterrupted: { [interruption] in interruption?.isAsked ?? false })
    return try await closing({ await ledger.close() }) { try await body(requester) }
  }
}
