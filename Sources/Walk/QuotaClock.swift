public import Base

/// When a quota resets. Pure: the ledger has the counts, this the times.
public struct QuotaClock: Sendable {
  private let window: Quota.Window
  private let zone: ZoneRules

  /// Loads the zone for a daily quota.
  public init(_ window: Quota.Window) throws(ZoneProblem) {
    if case .daily(_, _, let name) = window {
      self.init(window, zone: try ZoneRules.load(name))
    } else {
      self.init(window, zone: .utc)
    }
  }

  init(_ window: Quota.Window, zone: ZoneRules) {
    self.window = window
    self.zone = zone
  }

  /// The window that contains an instant. A rolling one ends there.
  public func window(at instant: Instant) -> TimeWindow {
    switch window {
    case .rolling(let length): return TimeWindow(from: instant - length, to: instant)
    case .daily(let hour, let minute, _):
      // These days certainly include the reset before and the one after.
      let resets = (-1...2).compactMap { reset(days: $0, from: instant, hour, minute) }
      let from = resets.last { $0 <= instant } ?? instant
      let to = resets.first { $0 > instant } ?? instant + .seconds(86_400)
      return TimeWindow(from: from, to: to)
    }
  }

  /// The reset on a day of the zone; if daylight saving skips that time, the instant at which an unchanged clock would
  /// show it.
  private func reset(days: Int64, from instant: Instant, _ hour: Int, _ minute: Int) -> Instant? {
    let today = zone.civil(at: instant)
    let noon = CivilTime(year: today.year, month: today.month, day: today.day, hour: 12)
    guard let day = noon.instant.map({ CivilTime($0 + .seconds(days * 86_400)) }) else {
      return nil
    }
    return zone.instant(
      of: CivilTime(
        year: day.year, month: day.month, day: day.day, hour: hour, minute: minute))
  }
}
