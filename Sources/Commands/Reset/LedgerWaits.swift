internal import Base
internal import Crawl
internal import Store

/// The waits that a job's API has asked for, of whatever key, as the ledger keeps them.
struct LedgerWaits: Sendable {
  let context: CommandContext
  let job: String

  func add(to told: inout Forgotten, _ store: RecordStore) async throws {
    guard let origin = try await origin(store) else { return }
    let quotas = try await LedgerReading.quotas(
      of: origin, file: try context.locationForWriting().ledger, now: context.time.now())
    Self.add(quotas.count { $0.left.blockedWhy != nil }, to: &told)
  }

  func end(_ gone: inout Forgotten, _ store: RecordStore) async throws {
    guard let origin = try await origin(store) else { return }
    let file = try context.locationForWriting().ledger
    // Where no run has kept one, none is made.
    guard LedgerReading.isBegun(file) else { return }
    let ledger = try await QuotaLedger.open(file: file, timekeeper: context.time)
    let count = try await closing({ await ledger.close() }) {
      try await ledger.endWaits(of: origin)
    }
    Self.add(count, to: &gone)
  }

  private func origin(_ store: RecordStore) async throws -> String? {
    try await store.jobs().first { $0.job.utf8.elementsEqual(job.utf8) }?.origin
  }

  private static func add(_ count: Int, to told: inout Forgotten) {
    told.add(count, "wait that the API asked for", "waits that the API asked for")
  }
}
