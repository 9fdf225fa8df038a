internal import Base
internal import TestSupport

/// A year of nights from a seed: the program as run by a timer, in a world whose every record is known; its results are
/// compared after each run.
public final class Year: Sendable {
  let plan: YearPlan
  let world: YearWorld
  let time: VirtualTime
  let machine = YearMachine()
  let seed: UInt64

  /// As in the systemd units: how often a temporary failure is retried, and after which delay.
  static let startsMax = 6
  static let restart = Duration.seconds(300)
  /// Exit codes after which the unit restarts the job.
  static let restarted: Set<Int32> = [69, 74]
  /// Exit codes that the unit counts as success.
  static let successes: Set<Int32> = [0, 75]
  static let day = Duration.seconds(86_400)

  public init(seed: UInt64, nights: Int) {
    self.seed = seed
    time = VirtualTime(at: YearWorld.start, seed: seed)
    world = YearWorld(seed: seed, time: time)
    plan = YearPlan(seed: seed, count: nights)
  }

  public func run() async throws -> YearTally {
    var tally = YearTally(seed: seed)
    var (width, renamed) = (0, 0)
    var watch = YearWatch()
    for night in plan.nights {
      let begins = YearWorld.start + .seconds(Int64(night.number - 1) * 86_400)
      time.advance(by: max(begins - world.trueNow, .zero))
      begin(night)
      if night.event == .widened { width += 1 }
      if night.event == .renamed {
        machine.shell.remove(job: YearJob.name(renamed))
        renamed += 1
      }
      let text = world.job.text(width: width, renamed: renamed, moved: world.now.moved)
      machine.shell.keep(
        job: YearJob.name(renamed),
        night.event == .jobIsBroken ? text.replacing("streams:", with: "streams") : text)
      if night.isOff {
        tally.off += 1
      } else {
        var ended = try await run(night, job: YearJob.name(renamed))
        ended.expected = watch.expect(
          night, lists: world.now.lists.keys.sorted() + ["news", "details"], folder: machine.folder)
        ended.spoiled = watch.spoiled
        tally.add(ended)
      }
    }
    return tally
  }

  private func begin(_ night: YearPlan.Night) {
    let (seed, now) = (seed &* 1_000_003 &+ UInt64(night.number), world.trueNow)
    var offset = Duration.zero
    if case .clock(let jump) = night.event { offset = jump }
    time.setWallClock(now + offset)
    world.change { state in
      var random = SeededRandom(seed: seed)
      if night.number > 1 { state.live(until: now.seconds, &random) }
      state.befall(night.event, day: night.day, at: now)
      state.night = YearNight(night, seed: seed, at: now)
    }
  }

  // MARK: one night

  private func run(
    _ plan: YearPlan.Night, job: String
  ) async throws -> YearTally.Night {
    var night = YearTally.Night(plan)
    if world.now.hasLostNews(at: world.trueNow) {
      night.lost = "news were shown for \(YearJob.reach / 3600) hours, and nobody has read them"
    }
    if plan.event == .diskIsFull { machine.leave(0) }
    if plan.event == .noRoom { machine.leave(300 << 20) }
    for start in 1...Self.startsMax {
      var run = YearRun(self, plan, job: job)
      if start > 1 { (run.kill, run.clockIsSet) = (nil, nil) }
      try await run.perform(&night)
      if run.isKilled {
        guard case .kill(_, _, true) = plan.event else { break }
      } else if let code = night.code, !Self.restarted.contains(code) {
        break
      }
      time.advance(by: Self.restart)
    }
    machine.leave()
    return night
  }
}
