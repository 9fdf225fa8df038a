import Base
import TestSupport
import Testing

/// A declared order holds against any number of changes: up to twelve are tried anywhere, beside the pairs of
/// ProofMatrixTests.
@Suite("A proof that rests on an order holds however busy the list is")
struct OrderMatrixTests {
  static let styles = MovingList.Style.allCases.filter {
    MovingList($0, .none, count: 1, size: 2).order != nil
  }

  @Test("many changes, and a pause among them", arguments: styles)
  func many(style: MovingList.Style) throws {
    var random = SeededRandom(seed: 7)
    func below(_ end: Int) -> Int { Int.random(in: 0..<end, using: &random) }
    var complete = 0
    let walks = Torture.isWhole ? 1_500 : 400
    for _ in 0..<walks {
      let list = MovingList(
        style, .none, count: below(40), size: (style == .offsetInOrder ? 3 : 2) + below(4))
      let changes = list.changes.filter { !$0.isClamp }
      var script = MatrixWalk.Script()
      for _ in 0...below(12) {
        script.changes.append((2 + below(30), changes[below(changes.count)]))
      }
      if below(3) == 0 {
        // A kill, or a night spent waiting for a quota.
        let night = WalkBreak(pausedFor: .seconds(86_400), isPlanned: true, plannedStops: 2)
        script.pause = (1 + below(8), below(2) == 0 ? night : WalkBreak(pausedFor: .seconds(60)))
      }
      let outcome = try MatrixWalk.outcome(
        of: list, memory: WalkMemory(hasSeenMore: true), script)
      if outcome.certificate.verdict == .complete { complete += 1 }
      #expect(!outcome.isFalse, "\(list.entries.map(\.key)) by \(list.size): \(script)")
    }
    print("\(style.rawValue): \(complete) of \(walks) busy walks complete")
    // If the list changes at its end while that is looked at, the end does not show.
    let due =
      style.rawValue.hasPrefix("after") ? 50 : style == .timeRising ? 80 : Torture.isWhole ? 95 : 93
    #expect(complete * 100 >= walks * due, "an order proves nearly every walk: \(complete)")
  }
}
