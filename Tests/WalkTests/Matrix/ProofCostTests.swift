import Base
import Testing

/// Proofs are for every night, so they must cost little compared to the pages.
@Suite("What a proof costs")
struct ProofCostTests {
  /// Ways to page that one walk can prove, and the totals that they need.
  static let lists: [(MovingList.Style, MovingList.Count)] = [
    (.offset, .none), (.offset, .counted), (.number, .counted), (.token, .counted),
    (.keyset, .steady), (.linkWithLast, .none), (.url, .counted), (.keyRising, .none),
  ]

  @Test(
    "is three requests at most, and one in each 49 or 99 where pages of 50 or 100 overlap",
    arguments: lists)
  func requests(style: MovingList.Style, counted: MovingList.Count) throws {
    for (pages, size) in [(1, 100), (2, 100), (10, 100), (60, 50)] {
      let list = MovingList(style, counted, count: pages * size - 7, size: size)
      let first = try MatrixWalk.outcome(of: list, memory: WalkMemory(hasSeenMore: true))
      let second = try MatrixWalk.outcome(after: first)
      for outcome in [first, second] {
        #expect(outcome.certificate.verdict == .complete, "\(pages): \(outcome.certificate.why)")
        #expect(outcome.requests <= pages + 3 + pages / (size - 1), "\(pages) by \(size)")
      }
    }
  }
}
