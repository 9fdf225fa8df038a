internal import Base
internal import Crawl

/// What is left of one quota.
struct QuotaLeft: Sendable {
  var key: QuotaKey
  var left: QuotaLedger.Left

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

  /// Of the quotas that each of some jobs' files have, all from one look; a job without any has none.
  @inline(never)
  static func each(
    _ asks: [[QuotaAsk]], in ledger: String, now: Instant
  ) async -> [QuotaTelling] {
    if asks.allSatisfy(\.isEmpty) { return asks.map { _ in QuotaTelling() } }
    do {
      let found = try await LedgerReading.left(in: asks.flatMap(\.self), file: ledger, now: now)
      return deal(found, to: asks)
    } catch {
      return asks.map { QuotaTelling(note: $0.isEmpty ? nil : "\(error)") }
    }
  }

  private static func deal(_ found: [QuotaLedger.Left], to asks: [[QuotaAsk]]) -> [QuotaTelling] {
    var rest = found[...]
    return asks.map { own in
      defer { rest = rest.dropFirst(own.count) }
      return QuotaTelling(
        left: zip(own, rest).map { QuotaLeft(key: $0.key, left: $1) }.filter(\.isTold))
    }
  }

}

extension QuotaTelling {
  /// Of all that was asked of an origin.
  @inline(never)
  init(of origin: String, in ledger: String, now: Instant) async {
    do {
      let origin = try WebAddress(origin).origin.description
      left = try await LedgerReading.quotas(of: origin, file: ledger, now: now)
        .map { QuotaLeft(key: $0.key, left: $0.left) }.filter(\.isTold)
    } catch {
      note = "\(error)"
    }
  }
}
