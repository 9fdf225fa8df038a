import Base
import Testing
import Walk

@Suite("A list that grows or shrinks by a record keeps the kinds of proof that were open to it")
struct OpenProofTests {
  @Test("night after night, over a dozen pages and back", arguments: MovingList.Style.allCases)
  func nights(style: MovingList.Style) throws {
    for counted in MovingList.Count.all(for: style) where counted != .wrong {
      let size = 3
      let counts = Array(2...12 * size + 2)
      var before: (count: Int, open: Set<ProofKind>, memory: WalkMemory)?
      for count in counts + counts.reversed() {
        let list = MovingList(style, counted, count: count, size: size)
        let night = try MatrixWalk.outcome(
          of: list, memory: before?.memory ?? WalkMemory(hasSeenMore: true))
        guard let open = night.open else { continue }
        if let before,
          !ListCourse.keeps(before.open, now: open, pages: night.certificate.pages)
        {
          Issue.record(
            "\(style.rawValue), \(counted): \(before.count) records leave \(before.open) open, \(count) \(open)"
          )
        }
        before = (count, open, night.memory)
      }
      #expect(before?.count != nil, "no night showed what was open")
    }
  }

  @Test("a list that was cut to two pages, and is whole again, has lost none")
  func back() throws {
    let style = MovingList.Style.number
    func night(_ count: Int, _ memory: WalkMemory) throws -> MatrixWalk.Outcome {
      try MatrixWalk.outcome(of: MovingList(style, .none, count: count, size: 3), memory: memory)
    }
    let whole = try night(9, night(9, WalkMemory(hasSeenMore: true)).memory)
    let cut = try night(6, whole.memory)
    let back = try night(9, cut.memory)
    #expect(whole.open == [.ends] && back.certificate.verdict == .unproven)
    #expect(back.open == [.ends])
  }
}
