internal import Base

/// A quota's own time: never behind the latest instant it has seen, whatever the clock shows, so
/// that a clock which falls back resets nothing, and ends no wait early.
///
/// A small step back (NTP) stands still until the clock has caught up. Behind a larger one (a board
/// that boots in 1970, a clock that was years ahead) the quota's time runs on beside the clock's, from
/// where it stood, by what has surely passed: the machine's uptime. What the clock itself jumps while it
/// is behind shows nothing, and so a clock that falls far back and returns resets nothing either.
struct LedgerTime: Equatable {
  /// The latest instant, and what the clock showed then.
  private(set) var now: Instant
  private(set) var wall: Instant
  /// How long the machine was up then; nil: nobody looked.
  private(set) var uptime: Duration?
  /// The latest instant of the look before.
  private(set) var before: Instant

  /// Clocks are set back by so much in passing.
  static let stepMax = Duration.seconds(300)

  init(now: Instant, wall: Instant, uptime: Duration? = nil) {
    self.now = now
    self.wall = wall
    self.uptime = uptime
    before = now
  }

  /// An answer has shown what time it is: the clock is right, and what lies beyond it was never true.
  mutating func confirm(_ clock: Instant, up: Duration?) {
    now = clock
    before = min(before, clock)
    wall = clock
    uptime = up ?? uptime
  }

  /// - Parameter up: nil: it is not known, and then nothing is sure to have passed.
  mutating func see(_ clock: Instant, up: Duration?) {
    before = now
    if isAdrift || now - clock > Self.stepMax {
      now = max(clock, now + passed(up))
    } else {
      now = max(clock, now)
    }
    wall = clock
    uptime = up ?? uptime
  }

  /// What has surely passed since the last look. Where the machine was switched on again since then, it
  /// is at least all of its uptime.
  private func passed(_ up: Duration?) -> Duration {
    guard let up, let before = uptime else { return .zero }
    return up >= before ? up - before : up
  }

  /// The clock is further behind than a step of NTP: its midnight is nobody's.
  var isAdrift: Bool { now - wall > Self.stepMax }

  /// What the clock will show at an instant of this time; unchanged where it only stands still.
  func onClock(_ instant: Instant) -> Instant {
    isAdrift ? wall + (instant - now) : instant
  }

  /// An instant that somebody read off the clock.
  func fromClock(_ instant: Instant) -> Instant {
    isAdrift ? now + (instant - wall) : instant
  }
}
