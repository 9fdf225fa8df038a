@testable import SimulationKit
import TestSupport
import Testing

@Suite("Nights of a timer")
struct YearTests {
  /// `TRAWL_SEED=n` runs that one.
  static let seeds: Range<UInt64> = {
    if let seed = Torture.seed { return seed..<(seed + 1) }
    let base = Torture.seedBase + 3
    return base..<(base + (Torture.isOn ? 10 : 1))
  }()

  @Test(
    "leave what the world shows, wake nobody for nothing, and keep no reason back", arguments: seeds
  )
  func weeks(seed: UInt64) async throws {
    let tally = try await Year(seed: seed, nights: 18).run()
    if !tally.isRight { Issue.record("\(tally.failure)") }
  }

  @Test("have each kind of trouble, and what is silent for a week, in ten years")
  func kinds() {
    let nights = (0..<10).flatMap { YearPlan(seed: $0, count: 366).nights }
    let kinds = Set(nights.compactMap(\.kind))
    #expect(kinds.count == YearTrouble.all.count + YearPlan.others, "\(kinds.sorted())")
    let weeks = Set(nights.filter { $0.day == 8 }.compactMap(\.kind))
    let silent = [
      "429", "a list's 404", "a total is off by one", "an order is shuffled",
      "a counted list is cut", "a token list is cut", "a link list is cut",
      "a page size is clamped", "a filled field is renamed", "halfLeaves", "noRoom",
    ]
    #expect(weeks.isSuperset(of: silent), "\(weeks.sorted())")
  }
}
