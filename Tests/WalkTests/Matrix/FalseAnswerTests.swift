import Base
import TestSupport
import Testing

@testable import Walk

/// Answers that are well formed but false: the list does not change, but a faulty API answers as if it had.
@Suite("A list is not called complete because of an answer that is false")
struct FalseAnswerTests {
  enum Fault: CaseIterable {
    /// 200, without records.
    case empty
    /// The right records, without any sign of more.
    case signless
    /// The right records, but this is said to be the end.
    case ended

    func falsify(_ page: ScriptPage) -> ScriptPage {
      var page = page
      switch self {
      case .empty: page = ScriptPage([])
      case .signless:
        (page.next, page.last, page.total, page.more) = (nil, nil, nil, nil)
      case .ended:
        page.next = nil
        if page.more != nil { page.more = false }
      }
      return page
    }
  }

  /// Which answers of a night are false.
  enum Reach: CaseIterable {
    case one, onePlace, behind, all

    func takes(_ request: Int, _ step: Step, _ at: Int) -> Bool {
      switch self {
      case .one: request == at
      case .onePlace: step.ordinal == at
      case .behind: step.ordinal >= at
      case .all: true
      }
    }
  }

  @Test("whatever is false, wherever, in whichever night", arguments: MovingList.Style.allCases)
  func falseAnswers(style: MovingList.Style) throws {
    var wrong: [String] = []
    var walks = 0
    for counted in MovingList.Count.all(for: style) where counted.isTrue {
      for size in MovingList.sizes(of: style, isWhole: Torture.isWhole) {
        for count in 1...size * 2 + 2 {
          let list = MovingList(style, counted, count: count, size: size)
          for fault in Fault.allCases {
            for reach in Reach.allCases {
              for night in 1...3 {
                for at in 1...(reach == .all ? 1 : 6) {
                  walks += 1
                  guard Torture.isWhole || walks % 11 == 0 else { continue }
                  let found = try Self.night(night, list, fault, reach, at)
                  if found.isFalse {
                    wrong.append(
                      "\(counted), \(size) a page, \(count) records, \(fault) \(reach) \(at), night \(night): "
                        + "\(found.certificate.proofs) \(found.certificate.rule), without \(found.missing.sorted())"
                    )
                  }
                }
              }
            }
          }
        }
      }
    }
    let shown = wrong.prefix(12).joined(separator: "\n")
    #expect(wrong.isEmpty, "\(wrong.count) of \(walks): \(shown)")
  }

  /// The false night after quiet ones.
  private static func night(
    _ night: Int, _ list: MovingList, _ fault: Fault, _ reach: Reach, _ at: Int
  ) throws -> MatrixWalk.Outcome {
    var script = MatrixWalk.Script()
    script.falsify = { request, step, page in
      reach.takes(request, step, at) ? fault.falsify(page) : page
    }
    if night == 1 { return try MatrixWalk.outcome(of: list, memory: WalkMemory(), script) }
    var last = try MatrixWalk.outcome(of: list, memory: WalkMemory())
    for _ in 2..<night { last = try MatrixWalk.outcome(after: last) }
    return try MatrixWalk.outcome(after: last, script)
  }

  @Test(
    "a list that does not change is proven in its third night at the latest",
    arguments: MovingList.Style.allCases)
  func quiet(style: MovingList.Style) throws {
    for size in MovingList.sizes(of: style, isWhole: true) {
      // A page of one record leads no further if others have the same time.
      if style == .afterTime, size == 1 { continue }
      // If one record fills a page, nothing shows whether it could name a next one.
      for count in 1...size * 2 + 2 where size > 1 || count > 1 {
        let list = MovingList(style, .none, count: count, size: size)
        var night = try MatrixWalk.outcome(of: list, memory: WalkMemory())
        for _ in 2...3 { night = try MatrixWalk.outcome(after: night) }
        #expect(
          night.certificate.verdict == .complete, "\(count) by \(size): \(night.certificate)")
      }
    }
  }
}
