internal import Base
internal import Crawl
internal import Store

/// What a command works with: database, ledger, network and clock. Opened together, closed on every path.
struct Workplace: Sendable {
  let store: RecordStore
  let ledger: QuotaLedger
  let seams: Seams

  /// - Parameters:
  ///   - arguments: the command line for a recording.
  ///   - onWork: called while the database works without an event.
  /// - Returns: the result of `body`, and what is wrong with a recording, if any.
  static func use<Result: Sendable>(
    _ folder: DataFolder, ledger: String, _ selection: JobSelection, _ context: CommandContext,
    arguments: [String] = [], faults: FaultPoint = .none, onWork: (@Sendable () -> Void)? = nil,
    _ body: (Workplace) async throws -> Result
  ) async throws -> (result: Result, trouble: ExitReport?) {
    let seams = try Seams(context, selection, arguments: arguments)
    let ledger = try await QuotaLedger.open(
      file: ledger, timekeeper: seams.time, faults: faults, travelling: context.bucket?.ledger)
    var settings = context.storeSettings
    settings.faults = faults
    settings.time = seams.time
    settings.onWork = onWork
    // Whether a signal has come or the run's time is over.
    let (options, began) = (selection.options, seams.time.elapsed())
    settings.isHurried = { [interruption = context.interruption, time = context.time] in
      interruption?.isAsked == true
        || options.maxTime.map { time.elapsed() - began >= $0 } == true
        || options.until.map { time.now() >= $0 } == true
    }
    let place = Workplace(
      store: try await RecordStore.open(folder, settings), ledger: ledger, seams: seams)
    let result = try await closing({ await place.close() }) { try await body(place) }
    return (result, seams.trouble)
  }

  private func close() async {
    await seams.close()
    await store.close()
    await ledger.close()
  }
}
