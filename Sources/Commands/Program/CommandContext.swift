internal import Glibc
internal import Base
internal import Store
internal import Transport

/// What every command is given.
struct CommandContext: Sendable {
  var invocation: Invocation
  let environment: Environment
  let console: Console
  let interruption: Interruption?
  var time: Timekeeper
  /// Nil: the machine's own network.
  var standIns: StandIns?
  /// The data folder is the cache of one in a bucket, which this process may write.
  var bucket: BucketSession?
  /// The same for pictures, also where it is only read.
  var images: BucketImages?
  /// Where the system's timer keeps its database.
  var systemFolder = DataLocation.ofTheSystem

  /// Where a command that only reads looks; it says so when that is the system's folder.
  func locationForReading() throws(ExitReport) -> DataLocation {
    let location = try DataLocation.forReading(
      data: invocation.text(.data), ledger: invocation.text(.ledger), environment,
      system: systemFolder)
    if let remark = location.remark { console.tell("\(remark)") }
    return location
  }

  /// Where a command that writes goes: never to the system's folder by itself.
  func locationForWriting() throws(ExitReport) -> DataLocation {
    try DataLocation.own(
      data: invocation.text(.data), ledger: invocation.text(.ledger), environment)
  }

  /// The file that an option names to be written: never one of the data folder's own, nor a database.
  func fileToWrite(_ name: OptionName) throws(ExitReport) -> String? {
    guard let path = invocation.text(name) else { return nil }
    // Without a home there is nothing to lose.
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

  /// Where a question to an API is counted: in the ledger that the runs on its key keep. Where none
  /// has made one there is nothing to count against, and none is made: then a scratch file serves.
  func ledgerOfRuns(else scratch: ScratchSpace) -> (file: String, isOfRuns: Bool) {
    // Without a home no run has kept anything.
    let own = (try? locationForWriting())?.ledger
    if let own, access(own, F_OK) == 0 { return (own, true) }
    return ("\(scratch.path)/ledger.db", false)
  }

  /// Closes the store behind the body, whatever comes of it.
  func use<Result>(
    _ store: RecordStore, _ body: () async throws -> Result
  ) async throws -> Result {
    try await closing({ await store.close() }, body)
  }

  /// What keeps nothing ends with the first signal, whatever it waits for.
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

  /// The database of a folder for questions only; nil where there is none yet.
  func storeForReading(_ location: DataLocation) async throws -> RecordStore? {
    guard let folder = try? DataFolder(existing: location.folder),  // no folder: no database
      folder.hasDatabase
    else { return nil }
    return try await RecordStore.openForReading(folder, storeSettings)
  }

  /// Whose certificates a server may show; checked before anything is asked, unless what is asked first is
  /// asked without TLS.
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

  /// What only says that it takes a while: nothing with `--quiet`.
  func mention(_ text: ConsoleText) {
    if !invocation.has(.quiet) { console.tell(text) }
  }

  /// An instant as a person at this machine reads it.
  func clock(_ instant: Instant) -> String { LocalClock.text(instant, now: time.now()) }
}
