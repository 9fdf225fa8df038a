internal import Base
internal import Crawl
internal import Store

/// What a command works with: the database, the ledger, the network and the clock. Opened together,
/// and closed on every path.
struct Workplace: Sendable {
  let store: RecordStore
  let ledger: QuotaLedger
  let seams: Seams

  /// What is opened, and where.
  struct Plan {
    var folder: DataFolder
    var ledger: String
    var selection: JobSelection
    /// What a recording says was called.
    var arguments: [String] = []
    var faults = FaultPoint.none
    /// Hears that the database works, also where no event tells it.
    var onWork: (@Sendable () -> Void)?
  }

  /// - Returns: what `body` gives, and what is wrong with a recording, if there is one.
  static func use<Result: Sendable>(
    _ plan: Plan, _ context: CommandContext,
    _ body: (Workplace) async throws -> Result
  ) async throws -> (result: Result, trouble: ExitReport?) {
    let seams = try Seams(context, plan.selection, arguments: plan.arguments)
    let ledger = try await QuotaLedger.open(
      file: plan.ledger, timekeeper: seams.time, faults: plan.faults,
      travelling: context.bucket?.ledger)
    var settings = context.storeSettings
    settings.faults = plan.faults
    settings.time = seams.time
    settings.onWork = plan.onWork
    settings.isHurried = hurry(plan.selection.options, context, since: seams.time.elapsed())
    let place = Workplace(
      store: try await RecordStore.open(plan.folder, settings), ledger: ledger, seams: seams)
    let result = try await closing({ await place.close() }) { try await body(place) }
    return (result, seams.trouble)
  }

  /// A signal has come, or the run's time is over.
  private static func hurry(
    _ options: CrawlOptions, _ context: CommandContext, since began: Duration
  ) -> @Sendable () -> Bool {
    { [interruption = context.interruption, time = context.time] in
      interruption?.isAsked == true
        || options.maxTime.map { time.elapsed() - began >= $0 } == true
        || options.until.map { time.now() >= $0 } == true
    }
  }

  private func close() async {
    await seams.close()
    await store.close()
    await ledger.close()
  }
}
