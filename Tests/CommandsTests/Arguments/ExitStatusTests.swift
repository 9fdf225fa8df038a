import Base
@testable import Commands
import Testing

@Suite("Exit statuses")
struct ExitStatusTests {
  @Test("the codes are those that scripts and unit files know, each with a meaning of its own")
  func codes() {
    let codes = ExitStatus.allCases.map(\.code)
    #expect(codes == [0, 1, 3, 4, 64, 65, 69, 70, 73, 74, 75, 77, 78])
    #expect(Set(ExitStatus.allCases.map(\.meaning)).count == codes.count)
  }

  @Test("of several the worst decides, in the stated order; a wrong use of one hides no damage")
  func worst() {
    let order: [Int32] = [70, 65, 74, 73, 77, 78, 64, 69, 1, 75, 3, 4, 0]
    #expect(ExitStatus.fromWorst.map(\.code) == order)
    for (index, worse) in ExitStatus.fromWorst.enumerated() {
      for better in ExitStatus.fromWorst[index...] {
        #expect(ExitStatus.worst(of: [better, worse, better]) == worse)
      }
    }
    #expect(ExitStatus.worst(of: []) == .complete)
  }

  @Test("each ending of a run has one, and only a run as declared is a success")
  func outcomes() {
    for kind in RunOutcome.Kind.allCases {
      #expect((ExitStatus(kind) == .complete) == (kind == .asDeclared), "\(kind)")
    }
  }

  @Test("each is documented by a command that may end with it")
  func documented() {
    let told = Set(OptionTable.commands.flatMap(\.allExits))
    #expect(told == Set(ExitStatus.allCases))
  }
}
