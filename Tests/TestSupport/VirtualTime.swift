public import Base

/// Time that a test controls: a sleep ends at once and advances the clock, so that days pass in a second. Overlapping
/// sleeps do not add up.
public final class VirtualTime: Sendable {
  private struct State {
    var now: Instant
    var elapsed: Duration = .zero
    var random: SeededRandom
    var slept: [Duration] = []
  }

  private let state: Locked<State>

  public init(at start: Instant = Instant(seconds: 1_795_269_600), seed: UInt64 = 1) {
    state = Locked(State(now: start, random: SeededRandom(seed: seed)))
  }

  public var now: Instant { state.withLock { $0.now } }

  /// All waits so far, in the order of the calls.
  public var slept: [Duration] { state.withLock { $0.slept } }

  public func advance(by duration: Duration) {
    state.withLock {
      $0.now = $0.now + duration
      $0.elapsed += duration
    }
  }

  /// Sets only the wall clock, as a user or NTP does.
  public func setWallClock(_ instant: Instant) { state.withLock { $0.now = instant } }

  public var timekeeper: Timekeeper {
    Timekeeper(
      now: { self.now },
      elapsed: { self.state.withLock { $0.elapsed } },
      sleep: { duration in
        let due = self.state.withLock { state in
          state.slept.append(duration)
          return state.elapsed + max(duration, .zero)
        }
        await Task.yield()
        try Task.checkCancellation()
        self.state.withLock { state in
          guard due > state.elapsed else { return }
          state.now = state.now + (due - state.elapsed)
          state.elapsed = due
        }
      },
      random: { self.state.withLock { $0.random.next() } })
  }
}
