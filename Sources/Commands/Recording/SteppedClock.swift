internal import Base

/// A clock that moves only when an answer arrives or a sleep ends. A recorded run uses it, so that its replay reads the
/// same instants everywhere; work in between takes no time.
final class SteppedClock: Sendable {
  struct Reading: Sendable, Equatable {
    var now: Instant
    /// Since the run began.
    var elapsed: Duration

    /// Whether sums of it can be computed: the years 1970 to 9999, and less than a hundred years of running.
    var isUsable: Bool {
      (Instant(seconds: 0)..<Instant.year10000).contains(now)
        && (Duration.zero..<Duration.seconds(3_155_760_000)).contains(elapsed)
    }
  }

  private struct State {
    var reading: Reading
    var random: UInt64
  }

  private let state: Locked<State>

  init(at start: Instant, seed: UInt64) {
    state = Locked(State(reading: Reading(now: start, elapsed: .zero), random: seed))
  }

  var reading: Reading { state.withLock { $0.reading } }

  /// Never back: of two simultaneous answers the later one counts.
  func move(to reading: Reading) {
    state.withLock { if reading.elapsed > $0.reading.elapsed { $0.reading = reading } }
  }

  func move(by span: Duration) {
    state.withLock {
      $0.reading.now = $0.reading.now + span
      $0.reading.elapsed += span
    }
  }

  func timekeeper(
    sleeping sleep: @escaping @Sendable (Duration) async throws -> Void
  ) -> Timekeeper {
    Timekeeper(
      now: { self.reading.now }, elapsed: { self.reading.elapsed }, sleep: sleep,
      random: { self.state.withLock { Self.draw(&$0.random) } })
  }

  /// SplitMix64: every draw follows from the seed in the recording.
  private static func draw(_ state: inout UInt64) -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
