internal import Crawl
internal import Jobs
internal import Ledger
internal import Media
internal import Model
internal import Report
internal import Store
internal import Transport

/// One job's run from its selection to its exit code: the only place that puts the real things
/// together.
struct RunSession: Sendable {
  let selection: JobSelection
  let location: DataLocation
  let invocation: Invocation
  let console: Console
  let progress: Progress
  let interruption: Interruption?
  let time: Timekeeper
  let faults: FaultPoint

  func run() async -> ExitStatus {
    do {
      return try await runThrowing()
    } catch let ending as Ending {
      tell(ending)
      return ending.status
    } catch let error as StoreError {
      return tell(Ending(Self.status(of: error), "\(error)"))
    } catch let error as LedgerError {
      return tell(Ending(Self.status(of: error), "\(error)"))
    } catch let error as MediaError {
      return tell(Ending(.cannotCreate, "\(error)"))
    } catch {
      return tell(Ending(.bug, "\(error)", "this is a bug in Trawl: please report it"))
    }
  }

  @discardableResult
  private func tell(_ ending: Ending) -> ExitStatus {
    for line in ending.lines { console.fail("\(line)") }
    return ending.status
  }

  private var job: Job { selection.job }

  private func runThrowing() async throws -> ExitStatus {
    let folder = try DataFolder(creating: location.folder)
    guard let lock = try JobLock.take(job.name, in: folder) else {
      let holder = JobLock.holder(of: job.name, in: folder).map { " (process \($0))" } ?? ""
      throw Ending(
        .paused, "another run of \(job.name) is under way\(holder); --wait waits for it")
    }
    defer { withExtendedLifetime(lock) {} }
    let ledger = try QuotaLedger(file: location.ledger, timekeeper: time, faults: faults)
    let store = try await RecordStore.open(folder, storeSettings)
    let exchange = try makeExchange()
    do {
      let status = try await walk(store, ledger, exchange, folder)
      await close(store, ledger, exchange)
      return status
    } catch {
      await close(store, ledger, exchange)
      throw error
    }
  }

  private func close(
    _ store: RecordStore, _ ledger: QuotaLedger, _ exchange: CurlExchange
  ) async {
    await exchange.close()
    await store.close()
    await ledger.close()
  }

  private func walk(
    _ store: RecordStore, _ ledger: QuotaLedger, _ exchange: any Exchange, _ folder: DataFolder
  ) async throws -> ExitStatus {
    let migrations = try await store.adopt(job, origin: job.base.origin)
    let content = try ContentStore(dataFolder: folder.path, for: .writing, fault: faults)
    var options = selection.options
    options.arguments = shownArguments
    var parts = RunParts(
      job: job, options: options, exchange: exchange, time: time, store: store, ledger: ledger,
      content: content, credential: selection.credential, account: selection.account,
      faults: faults, isInterrupted: { [interruption] in interruption?.isAsked ?? false },
      tell: { [progress, job, time] in progress.receive($0, of: job.name, at: time.now()) },
      migrations: migrations, note: selection.note,
      exitCode: { Int(ExitStatus.worst(of: $0.kinds.map { ExitStatus($0) }).code) })
    if let interruption { parts.asked = { _ = await interruption.asked() } }
    let run = try await JobRun(parts)
    let facts = await run.execute()
    let path = try ReportFolder(folder: folder, keep: invocation.count(.keep) ?? 100).write(facts)
    progress.drain()
    summarise(facts, folder: folder, report: path)
    return ExitStatus.worst(of: facts.outcome.kinds.map { ExitStatus($0) })
  }

  private func summarise(_ facts: RunFacts, folder: DataFolder, report: String) {
    if invocation.has(.json) { return }
    if invocation.has(.quiet), facts.outcome.kinds == [.asDeclared] { return }
    for line in TextReport(facts).endLines { console.tell("\(line)") }
    console.tell("database  \(folder.databasePath)")
    console.tell("report    \(report)")
  }

  /// What was called, without what might be a secret: options that take none.
  private var shownArguments: [String] {
    invocation.operands
      + invocation.settings.flatMap { setting in
        setting.values.map { "--set \(setting.name)=\($0)" }
      } + invocation.texts(.stream).map { "--stream \($0)" }
  }

  private var storeSettings: RecordStore.Settings {
    RecordStore.Settings(
      time: time, faults: faults,
      onWait: { [console] waited in
        console.tell("waiting for another program's lock on the database (\(waited.inSeconds) s)")
      })
  }

  private func makeExchange() throws -> CurlExchange {
    var options = TransportOptions(userAgent: Version.userAgent)
    options.caFile = invocation.text(.ca)
    return try CurlExchange(options, timekeeper: time)
  }

  private static func status(of error: StoreError) -> ExitStatus {
    switch error.kind {
    case .busy: .paused
    case .damaged, .newer, .foreign, .missing, .library: .damaged
    case .cannotCreate: .cannotCreate
    case .cannotWrite, .cannotRead: .cannotWrite
    case .job, .otherOrigin: .configuration
    case .bug: .bug
    }
  }

  private static func status(of error: LedgerError) -> ExitStatus {
    switch error.kind {
    case .cannotCreate: .cannotCreate
    case .cannotWrite: .cannotWrite
    case .damaged, .newer, .foreign: .damaged
    case .busy: .paused
    }
  }
}
