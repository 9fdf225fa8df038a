import SimulationKit
import TestSupport
import Glibc
import Testing

@Suite("Nights of a timer")
struct YearTests {
  /// `TRAWL_SEED=n` runs that one.
  static let seeds: Range<UInt64> = {
    if let text = getenv("TRAWL_SEED"), let seed = UInt64(String(cString: text)) {
      return seed..<(seed + 1)
    }
    let base = Torture.seedBase + 3
    return base..<(base + (Torture.isOn ? 10 : 1))
  }()

  @Test(
    "leave what the world shows, wake nobody for nothing, and keep no reason back", arguments: seeds
  )
  func weeks(seed: UInt64) async throws {
    let tally = try await Year(seed: seed, nights: 24).run()
    if !tally.isRight { Issue.record("\(tally.failure)") }
  }
}
