internal import Glibc

/// The time seam: everything that reads a clock, waits or draws a random number does it here, so
/// that a test can run days in a second and replay them from a seed.
public struct Timekeeper: Sendable {
  /// Wall-clock time; may jump.
  public var now: @Sendable () -> Instant
  /// Time since some fixed start; never jumps. Durations are measured with it.
  public var elapsed: @Sendable () -> Duration
  /// Time since the machine was switched on, by the kernel's own count: what has surely passed, however
  /// often somebody has set the clock.
  public var uptime: @Sendable () -> Duration
  /// Waits; throws `CancellationError` as soon as the task is cancelled.
  public var sleep: @Sendable (Duration) async throws -> Void
  /// 64 uniformly random bits.
  public var random: @Sendable () -> UInt64

  public init(
    now: @escaping @Sendable () -> Instant,
    elapsed: @escaping @Sendable () -> Duration,
    sleep: @escaping @Sendable (Duration) async throws -> Void,
    random: @escaping @Sendable () -> UInt64,
    uptime: (@Sendable () -> Duration)? = nil
  ) {
    self.now = now
    self.elapsed = elapsed
    self.uptime = uptime ?? elapsed
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
    random: { UInt64.random(in: .min ... .max) },
    // A library that shifts the clocks of a process leaves this one alone.
    uptime: { toldUptime ?? sinceBoot })

  /// It goes on while the machine sleeps, so that no wait is longer for it.
  private static var sinceBoot: Duration {
    let time = read(CLOCK_BOOTTIME)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }

  /// What the kernel tells in `/proc/uptime`: `26941.32 9530.84`; nil where there is no such file.
  private static var toldUptime: Duration? {
    guard let file = fopen("/proc/uptime", "re") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = fread(&bytes, 1, bytes.count, file)
    let text = String(decoding: bytes[..<count].prefix { $0 != 32 }, as: UTF8.self)
    return Double(text).flatMap { $0 >= 0 && $0 < 1e11 ? .milliseconds(Int64($0 * 1000)) : nil }
  }

  private static func read(_ clock: clockid_t) -> timespec {
    var time = timespec()
    let result = clock_gettime(clock, &time)
    precondition(result == 0, "the clocks of POSIX are always there")
    return time
  }
}
