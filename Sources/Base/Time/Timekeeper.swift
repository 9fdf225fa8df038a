internal import CLinux
internal import Glibc

/// The time seam: clocks, waits and random numbers all go through here, so that a test can run days in a second and
/// replay them from a seed.
public struct Timekeeper: Sendable {
  /// Wall-clock time; may jump.
  public var now: @Sendable () -> Instant
  /// Time since some fixed start; never jumps. Used to measure durations.
  public var elapsed: @Sendable () -> Duration
  /// Waits; throws `CancellationError` as soon as the task is cancelled.
  public var sleep: @Sendable (Duration) async throws -> Void
  /// 64 uniformly random bits.
  public var random: @Sendable () -> UInt64

  public init(
    now: @escaping @Sendable () -> Instant,
    elapsed: @escaping @Sendable () -> Duration,
    sleep: @escaping @Sendable (Duration) async throws -> Void,
    random: @escaping @Sendable () -> UInt64
  ) {
    self.now = now
    self.elapsed = elapsed
    self.sleep = sleep
    self.random = random
  }

  /// The machine's own clocks and randomness.
  public static let live = Timekeeper(
    now: { Instant(milliseconds: nanoseconds(CLOCK_REALTIME) / 1_000_000) },
    // With the machine's sleep, which therefore prolongs no wait.
    elapsed: { .nanoseconds(nanoseconds(CLOCK_BOOTTIME)) },
    sleep: { try await Task.sleep(for: $0) },
    random: { UInt64.random(in: .min ... .max) })

  /// The same, but the wall clock continues from now by the steady clock: setting the machine's clock during a run
  /// changes nothing in it.
  public var steady: Timekeeper {
    let (wall, start, elapsed) = (now(), elapsed(), elapsed)
    var keeper = self
    keeper.now = { wall + (elapsed() - start) }
    return keeper
  }

  private static func nanoseconds(_ clock: clockid_t) -> Int64 {
    let time = clinux_nanoseconds(clock)
    precondition(time >= 0, "the clocks of POSIX are always there")
    return time
  }
}
