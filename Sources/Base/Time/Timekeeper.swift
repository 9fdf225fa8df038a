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
    now: {
      let time = read(CLOCK_REALTIME)
      return Instant(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    },
    elapsed: { sinceBoot },
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

  /// It includes the machine's sleep, which therefore prolongs no wait.
  private static var sinceBoot: Duration {
    let time = read(CLOCK_BOOTTIME)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }

  private static func read(_ clock: clockid_t) -> timespec {
    var time = timespec()
    let result = clock_gettime(clock, &time)
    precondition(result == 0, "the clocks of POSIX are always there")
    return time
  }
}
