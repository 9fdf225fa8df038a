internal import Base
internal import Crawl
internal import Transport

extension CommandContext {
  /// A way to ask outside of a run: admitted by the ledger that the runs keep, one after the other.
  func asking<Value: Sendable>(
    _ body: (Requester) async throws -> Value
  ) async throws -> Value {
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
