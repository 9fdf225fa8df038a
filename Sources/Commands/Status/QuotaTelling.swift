internal import Ledger
internal import Model

/// What is left of one quota.
struct QuotaLeft: Sendable {
  var key: QuotaKey
  var left: QuotaLedger.Left

  init(_ key: QuotaKey, _ left: QuotaLedger.Left) {
    self.key = key
    self.left = left
  }

  var name: String { key.name }
  /// Whose it is: the job's own name for it, a digest of the key, or that there is none.
  var account: String { key.account }

  /// What holds an API back that has no quota has no name, and is worth a word only while it does.
  var isTold: Bool { !name.isEmpty || left.blockedWhy != nil }
}

/// What the ledger tells of a job's quotas, or why it tells nothing.
struct QuotaTelling: Sendable {
  var left: [QuotaLeft] = []
  var note: String?

  /// Of the quotas that the job's file has; none is asked for where there is none.
  @inline(never)
  init(_ asks: [QuotaAsk], in ledger: String, now: Instant) async {
    if asks.isEmpty { return }
    do {
      let found = try await LedgerReading.left(in: asks, file: ledger, now: now)
      left = zip(asks, found).map { QuotaLeft($0.key, $1) }.filter(\.isTold)
    } catch {
      note = "\(error)"
    }
  }

  /// Of all that was asked of an origin.
  @inline(never)
  init(of origin: String, in ledger: String, now: Instant) async {
    do {
      let origin = try WebAddress(origin).origin.description
      left = try await LedgerReading.quotas(of: origin, file: ledger, now: now)
        .map { QuotaLeft($0.key, $0.left) }.filter(\.isTold)
    } catch {
      note = "\(error)"
    }
  }
}
