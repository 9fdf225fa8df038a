internal import Base
internal import Bucket
internal import Crawl

/// The key of a job's API in a bucket: no other folder spends it now, and what one spent before is counted here.
struct KeyTurn: Sendable {
  private let origin: String
  private let account: String

  init(_ job: JobSelection) {
    (origin, account) = (job.job.base.origin.description, job.account)
  }

  func take(in context: CommandContext, _ session: BucketSession) async throws {
    let (place, claim) = (session.place, session.claim)
    let path = try await place.blocking { () throws(BucketError) -> String?? in
      guard let former = try claim.take(key: origin, account) else { return nil }
      return .some(try claim.fetchLedger(of: former))
    }
    guard let path else { return }
    if let path { try await count(path, context) }
    // Once it is put, nobody has to look there again.
    try await place.blocking { () throws(BucketError) in
      _ = try claim.put([Claim.ledger])
      try claim.noteCounted(key: origin, account)
    }
  }

  private func count(_ path: String, _ context: CommandContext) async throws {
    // What its runs had set aside and not used counts as spent.
    let other = TravellingLedger(claim: "of another folder") {}
    await (try QuotaLedger.open(file: path, timekeeper: context.time, travelling: other)).close()
    guard let image = try await LedgerReading.image(of: path) else { return }
    let own = try await QuotaLedger.open(
      file: context.locationForWriting().ledger, timekeeper: context.time)
    _ = try await closing({ await own.close() }) {
      try await own.take(from: image, of: (origin, account))
    }
  }
}
