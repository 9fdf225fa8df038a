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
      file: plan.ledger, timekeeper: seams.time, faults: plan.faults)
    var settings = context.storeSettings
    settings.faults = plan.faults
    settings.time = seams.time
    settings.onWork = plan.onWork
    let place = Workplace(
      store: try await RecordStore.open(plan.folder, settings), ledger: ledger, seams: seams)
    do {
      let result = try await body(place)
      await place.close()
      return (result, seams.trouble)
    } catch {
      await place.close()
      throw error
    }
  }

  private func close() async {
    await seams.close()
    await store.close()
    await ledger.close()
  }
}
