import Base
@testable import Crawl
import TestSupport
import Testing

/// A ledger in a folder of its own, for tests.
protocol LedgerBench {
  var folder: ScratchFolder { get }
  var time: VirtualTime { get }
}

extension LedgerBench {
  var path: String { "\(folder.path)/ledger.db" }

  func ledger(_ name: String = "ledger.db") async throws -> QuotaLedger {
    try await QuotaLedger.open(file: "\(folder.path)/\(name)", timekeeper: time.timekeeper)
  }

  func ask(
    _ quota: String = "core", cost: Int = 1, allow: Int, per: Duration = .seconds(3600),
    burst: Int = 1_000_000
  ) -> QuotaAsk {
    let key = QuotaKey(origin: "https://api.example", name: quota, account: "me", length: per)
    return QuotaAsk(key: key, cost: cost, allow: allow, stretch: .rolling(per), burst: burst)
  }

  /// Sets aside what they ask for, which must be possible.
  @discardableResult
  func grant(
    _ ledger: QuotaLedger, _ asks: QuotaAsk...
  ) async throws -> (reservation: Reservation, at: Instant) {
    let admission = try await ledger.reserve(asks, job: "j")
    var granted: (reservation: Reservation, at: Instant)?
    if case .granted(let reservation, let at) = admission { granted = (reservation, at) }
    return try #require(granted, "\(admission)")
  }

  /// The refusal of what they ask for.
  func refusal(
    _ ledger: QuotaLedger, _ asks: QuotaAsk..., waitMax: Duration = .seconds(366 * 86_400)
  ) async throws -> (until: Instant, quota: String, why: String) {
    let admission = try await ledger.reserve(asks, job: "j", waitMax: waitMax)
    var refusal: (until: Instant, quota: String, why: String)?
    if case .notBefore(let until, let quota, let why) = admission { refusal = (until, quota, why) }
    return try #require(refusal, "\(admission)")
  }

  /// Spends until it is refused; returns the refusal, and how many went through.
  func spend(
    _ ledger: QuotaLedger, _ ask: QuotaAsk, for spender: Spender = .timer
  ) async throws -> (granted: Int, until: Instant) {
    for granted in 0..<10_000 {
      switch try await ledger.reserve([ask], for: spender, job: "j") {
      case .granted: continue
      case .notBefore(let until, _, _): return (granted, until)
      }
    }
    return (10_000, time.now)
  }
}
