internal import Base
internal import Store

/// What to call the first few records that a unit brought, changed or lost.
struct UnitSamples: Sendable {
  private var new: [String] = []
  private var changed: [String] = []

  /// Of each kind.
  static let most = 5

  mutating func add(_ receipt: PageReceipt) {
    // cut: samples beside their counts
    new += receipt.newSamples.prefix(max(0, Self.most - new.count))
    // cut: samples beside their counts
    changed += receipt.changedSamples.prefix(max(0, Self.most - changed.count))
  }

  func put(into facts: inout UnitFacts, _ done: CertifiedUnit?) {
    facts.newSamples = new
    facts.changedSamples = changed
    facts.goneSamples = done?.goneSamples ?? []
    facts.vanished = done?.vanished ?? 0
    facts.withheld = done?.withheld ?? 0
  }
}
