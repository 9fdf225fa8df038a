@testable import Base
import Testing

@Suite("By whose clock a run goes")
struct ClockJudgeTests {
  private static let truth = Instant(seconds: 1_795_269_600)
  private static let day = Duration.seconds(86_400)

  private static func judge(
    machine: Duration, confirmed: Duration? = nil, shift: Duration = .zero
  ) -> ClockJudge {
    ClockJudge(
      ClockJudge.Memory(confirmed: confirmed.map { truth + $0 }, shift: shift),
      machine: truth + machine)
  }

  @Test("minutes apart are said, hours apart are corrected, the earlier one without a doubt")
  func first() {
    for (off, finding) in [
      (Duration.zero, ClockJudge.Finding.agrees), (.seconds(60), .agrees),
      (.seconds(420), .apart(.seconds(-420))), (.seconds(-420), .apart(.seconds(420))),
      (.seconds(7200), .corrected(.seconds(-7200))), (Self.day * 400, .corrected(Self.day * -400)),
      (.seconds(-7200), .doubted(.seconds(7200))), (Self.day * -400, .doubted(Self.day * 400)),
      (Self.day * -20_000, .corrected(Self.day * 20_000)),
    ] {
      var judge = Self.judge(machine: off)
      #expect(judge.hear(Self.truth, machine: Self.truth + off, elapsed: .zero) == finding)
      let now = judge.now(machine: Self.truth + off, elapsed: .zero)
      if case .corrected = finding {
        #expect(now == Self.truth)
      } else {
        #expect(now == Self.truth + off)
      }
    }
  }

  @Test("what was confirmed has passed: neither clock may lie before it")
  func memory() {
    var behind = Self.judge(machine: Self.day * -2, confirmed: Self.day * -1)
    // Before anybody has told: at least what has passed.
    #expect(
      behind.now(machine: Self.truth - Self.day * 2, elapsed: .zero) == Self.truth - Self.day)
    #expect(
      behind.hear(Self.truth, machine: Self.truth - Self.day * 2, elapsed: .zero)
        == .corrected(Self.day * 2))
    var old = Self.judge(machine: .zero, confirmed: Self.day * -1)
    #expect(old.hear(Self.truth - Self.day * 3, machine: Self.truth, elapsed: .zero) == .absurd)
    #expect(!old.isConfirmed && old.shift == .zero)
    // A machine that is off as it was is known to be.
    let same = Self.judge(
      machine: Self.day * 400, confirmed: Self.day * -1, shift: Self.day * -400)
    #expect(same.now(machine: Self.truth + Self.day * 400, elapsed: .zero) == Self.truth)
    let mended = Self.judge(machine: .zero, confirmed: Self.day * -1, shift: Self.day * -400)
    #expect(mended.now(machine: Self.truth, elapsed: .zero) == Self.truth)
  }

  @Test("two clocks that agree outweigh the first answer, and later ones change nothing")
  func later() {
    var judge = Self.judge(machine: .zero)
    let wrong = Self.truth - Self.day
    #expect(
      judge.hear(wrong, machine: Self.truth, elapsed: .zero) == .corrected(Self.day * -1))
    let next = Self.truth + .seconds(5)
    #expect(judge.hear(next, machine: next, elapsed: .seconds(5)) == .returned)
    #expect(judge.now(machine: next, elapsed: .seconds(5)) == next)
    #expect(judge.hear(wrong, machine: next, elapsed: .seconds(5)) == .agrees)
    #expect(judge.now(machine: next, elapsed: .seconds(5)) == next)
  }

  @Test("a clock that is set back under the first request leaves no doubt whose is right")
  func setBeforeTheFirstAnswer() {
    for wasSet in [true, false] {
      var judge = Self.judge(machine: .zero)
      let machine = Self.truth - Self.day * 400
      // Until somebody set it the machine's clock agreed with the API's; or it was as wrong all the time.
      let steady = wasSet ? Self.truth : machine
      let finding = judge.hear(
        Self.truth + .seconds(2), machine: machine, elapsed: .seconds(2),
        steady: steady + .seconds(2))
      let offset = Self.day * 400 + .seconds(2)
      #expect(finding == (wasSet ? .corrected(offset) : .doubted(offset)))
      let now = judge.now(machine: machine, elapsed: .seconds(2))
      #expect(now == (wasSet ? Self.truth + .seconds(2) : machine))
    }
  }

  @Test("a clock that is set under a run moves nothing")
  func set() {
    var judge = Self.judge(machine: .zero)
    _ = judge.hear(Self.truth, machine: Self.truth, elapsed: .zero)
    let now = judge.now(machine: Self.truth + Self.day * 400, elapsed: .seconds(10))
    #expect(now == Self.truth + .seconds(10))
  }
}
