/// Decides by whose clock a run goes: this machine's, or the API's own, which its answers tell. Pure.
///
/// Clocks within the hour of each other are both right enough, and the machine's is kept. Where they
/// are hours apart the earlier one is believed, because what is written too early is read again and what
/// is written into the future is never read; the later one only where the earlier contradicts what an
/// earlier run was told. Two clocks that agree outweigh a third: behind one address there may be many
/// machines, and one of them may be wrong.
public struct ClockJudge: Sendable, Equatable {
  /// What earlier runs left.
  public struct Memory: Sendable, Equatable {
    /// The latest instant that an answer confirmed: it has passed.
    var confirmed: Instant?
    /// By how much the last run's times were moved.
    var shift: Duration

    public init(confirmed: Instant? = nil, shift: Duration = .zero) {
      self.confirmed = confirmed
      self.shift = shift
    }
  }

  /// What an answer's date comes to.
  public enum Finding: Sendable, Equatable {
    /// The clocks agree, or have been heard before.
    case agrees
    /// Minutes apart. Positive: the API's clock is ahead.
    case apart(Duration)
    /// Hours apart: the run goes by the API's clock from here on.
    case corrected(Duration)
    /// Hours apart, and nothing shows which of them is right: the machine's, which is earlier, is kept.
    case doubted(Duration)
    /// No clock of an API shows that.
    case absurd
    /// Later answers agree with this machine's clock after all.
    case returned
  }

  /// Nearer than this nobody need hear of it.
  static let near = Duration.seconds(120)
  /// From here on a clock is not only set badly, it is wrong: more than a time zone that is an hour off.
  public static let apart = Duration.seconds(7200)
  /// So far two readings of one clock may differ, by answers that come late and by NTP.
  private static let grain = Duration.seconds(300)
  /// Older than the program: 2025 began.
  static let floor = Instant(seconds: 1_735_689_600)

  private enum Standing: Sendable, Equatable {
    case unheard
    /// One answer spoke against this machine's clock.
    case moved
    case settled
  }

  private let memory: Memory
  /// What the run's time is ahead of the machine's clock.
  private(set) var shift: Duration
  /// How far the API's clock is ahead of the machine's, by the answer that decided.
  private(set) var offset: Duration?
  private var standing = Standing.unheard
  /// The last answer that was believed: the run's time, and the time that nothing sets.
  private var last: (now: Instant, elapsed: Duration)?

  /// - Parameter machine: what this machine's clock shows.
  init(_ memory: Memory, machine: Instant) {
    self.memory = memory
    shift = .zero
    guard let confirmed = memory.confirmed else { return }
    // The earlier one that does not lie before what has surely passed; so a wait does not end early
    // because the run that was told of it knew better.
    let fitting = [machine, machine + memory.shift].filter { confirmed - $0 <= Self.grain }.min()
    shift = (fitting ?? confirmed) - machine
  }

  /// Whether an answer has shown what time it is.
  var isConfirmed: Bool { standing != .unheard }

  /// The latest that it may be: the API's clock, where nothing shows whose clock is right.
  func latest(machine: Instant, elapsed: Duration) -> Instant {
    let now = now(machine: machine, elapsed: elapsed)
    guard standing == .unheard, let offset else { return now }
    return max(now, machine + offset)
  }

  /// The run's time. A clock that somebody sets under a run moves nothing in it.
  func now(machine: Instant, elapsed: Duration) -> Instant {
    let own = machine + shift
    guard let last else { return own }
    let steady = last.now + (elapsed - last.elapsed)
    return Self.isNear(own - steady, Self.grain) ? own : steady
  }

  /// - Parameters:
  ///   - date: of an answer that comes from the API itself and out of no cache.
  ///   - steady: what the machine's clock would show if nobody had set it since the run began.
  mutating func hear(
    _ date: Instant, machine: Instant, elapsed: Duration, steady: Instant? = nil
  ) -> Finding {
    let current = now(machine: machine, elapsed: elapsed)
    let offset = date - machine
    guard standing == .unheard else {
      if Self.isNear(date - current, Self.grain) {
        standing = .settled
      } else if Self.isNear(offset, Self.grain) {
        self.offset = offset
        return settle(on: machine, machine, elapsed, .settled) ? .returned : .agrees
      }
      return .agrees
    }
    if date < Self.floor { return .absurd }
    let isDatePast = memory.confirmed.map { $0 - date > Self.apart } ?? false
    let isMachinePast = memory.confirmed.map { $0 - machine > Self.apart } ?? (machine < Self.floor)
    if isDatePast, !isMachinePast, offset < .zero { return .absurd }
    self.offset = offset
    if Self.isNear(offset, Self.apart) {
      _ = settle(on: machine, machine, elapsed, .settled)
      return Self.isNear(offset, Self.near) ? .agrees : .apart(offset)
    }
    // The clock of before and the API's agree: somebody has set the machine's meanwhile.
    let wasSet = steady.map { Self.isNear(date - $0, Self.apart) } ?? false
    if offset > .zero, !isMachinePast, !wasSet {
      shift = .zero
      return .doubted(offset)
    }
    _ = settle(on: date, machine, elapsed, .moved)
    return .corrected(offset)
  }

  /// True: the run's time is another now.
  private mutating func settle(
    on now: Instant, _ machine: Instant, _ elapsed: Duration, _ standing: Standing
  ) -> Bool {
    let before = shift
    shift = now - machine
    last = (now, elapsed)
    self.standing = standing
    return shift != before
  }

  static func isNear(_ span: Duration, _ most: Duration = grain) -> Bool {
    span < most && span > .zero - most
  }

  public static func == (left: Self, right: Self) -> Bool {
    left.memory == right.memory && left.shift == right.shift && left.offset == right.offset
      && left.standing == right.standing && left.last?.now == right.last?.now
  }
}
