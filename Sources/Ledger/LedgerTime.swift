internal import Model

/// A quota's own time: never behind the latest instant it has seen, whatever the clock shows, so
/// that a clock which falls back resets nothing, and ends no wait early.
///
/// A small step back (NTP) stands still until the clock has caught up. Behind a larger one (a board
/// that boots in 1970, a clock that was years ahead) the quota's time runs on beside the clock's,
/// from where it stood: what has surely passed passes, and no wait is endless.
struct LedgerTime: Equatable {
  /// The latest instant, and what the clock showed then.
  private(set) var now: Instant
  private(set) var wall: Instant

  /// Clocks are set back by so much in passing.
  static let stepMax = Duration.seconds(300)

  init(now: Instant, wall: Instant) {
    self.now = now
    self.wall = wall
  }

  mutating func see(_ clock: Instant) {
    if clock >= now {
      now = clock
    } else if now - clock > Self.stepMax, clock > wall {
      now = now + (clock - wall)
    }
    wall = clock
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
