/// What time it is for one run: the only source of "now" for its database, its ledger, its plan and
/// its waits, so that no two of them can disagree. It shows this machine's clock until an answer of the
/// API has shown that it is hours off.
public final class RunClock: Sendable {
  /// This machine's own clocks: `--until` and a person's watch go by them.
  public let machine: Timekeeper
  private let state: Locked<State>

  private struct State {
    var judge: ClockJudge
    var turns = 0
    var setbacks = 0
    /// What time it was when the run began, and the time that nothing sets.
    let began: (now: Instant, elapsed: Duration)
  }

  public init(_ machine: Timekeeper, memory: ClockJudge.Memory = ClockJudge.Memory()) {
    self.machine = machine
    let (wall, elapsed) = (machine.now(), machine.elapsed())
    let judge = ClockJudge(memory, machine: wall)
    state = Locked(
      State(judge: judge, began: (judge.now(machine: wall, elapsed: elapsed), elapsed)))
  }

  /// The machine's clocks, with the run's time in the wall clock's place.
  public var timekeeper: Timekeeper {
    var keeper = machine
    keeper.now = { self.now }
    return keeper
  }

  public var now: Instant {
    let (wall, elapsed) = (machine.now(), machine.elapsed())
    return state.withLock { $0.judge.now(machine: wall, elapsed: elapsed) }
  }

  /// What is requested may reach so far. Where nobody knows which of two clocks is right, more is
  /// requested than is claimed.
  public var latest: Instant {
    let (wall, elapsed) = (machine.now(), machine.elapsed())
    return state.withLock { $0.judge.latest(machine: wall, elapsed: elapsed) }
  }

  /// Whether an answer has shown what time it is.
  public var isConfirmed: Bool { state.withLock { $0.judge.isConfirmed } }
  /// How far the API's clock is ahead of this machine's; nil: no answer has told.
  public var offset: Duration? { state.withLock { $0.judge.offset } }
  public var shift: Duration { state.withLock { $0.judge.shift } }

  /// What was planned at another number asks for less than there is: it is later than it was thought to be,
  /// or less is covered.
  public var turns: Int { state.withLock { $0.turns } }
  /// How often it was earlier than it was thought to be: then a plan may only have left out what is old.
  public var setbacks: Int { state.withLock { $0.setbacks } }
  public func turn() { state.withLock { $0.turns += 1 } }

  /// An instant that this machine's clock showed, as the run's time.
  public func corrected(_ instant: Instant) -> Instant { instant + shift }

  /// Takes in the date of an answer of the API's. One out of a cache tells when it was made.
  public func hear(_ answer: Answer) -> ClockJudge.Finding? {
    guard answer.age == nil, let date = answer.toldDate else { return nil }
    let (wall, elapsed) = (machine.now(), machine.elapsed())
    return state.withLock { state in
      func now() -> Instant { state.judge.now(machine: wall, elapsed: elapsed) }
      let wasTold = state.judge.offset != nil
      // Somebody may have set the clock between the plan and its first answer.
      let steady = state.began.now + (elapsed - state.began.elapsed)
      let expected = state.judge.isConfirmed ? now() : steady
      let finding = state.judge.hear(date, machine: wall, elapsed: elapsed, steady: steady)
      let isNewDoubt = if case .doubted = finding { !wasTold } else { false }
      let moved = now() - expected
      if isNewDoubt || moved > .zero && !ClockJudge.isNear(moved) { state.turns += 1 }
      if moved < .zero && !ClockJudge.isNear(moved) { state.setbacks += 1 }
      return finding
    }
  }

  /// Up to where an answer can hold all that there is: the API's own clock when it was made. Nil where it
  /// tells none that could be.
  public static func listedUntil(_ answer: Answer) -> Instant? {
    answer.toldDate.flatMap { $0 >= ClockJudge.floor ? $0 : nil }
  }
}
