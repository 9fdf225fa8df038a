public import Base

/// When a daily quota resets. Pure: the ledger has the counts, this the times.
public struct QuotaClock: Sendable {
  private let hour: Int
  private let minute: Int
  private let zone: ZoneRules

  /// Loads the zone. Nil: the quota has no day.
  public init?(_ window: Quota.Window) throws(ZoneProblem) {
    guard case .daily(let hour, let minute, let name) = window else { return nil }
    (self.hour, self.minute) = (hour, minute)
    zone = try ZoneRules.load(name)
  }

  /// The day that contains an instant.
  public func day(at instant: Instant) -> TimeWindow {
    // These days certainly include the reset before and the one after.
    let resets = (-1...2).compactMap { reset(days: $0, from: instant) }
    let from = resets.last { $0 <= instant } ?? instant
    let to = resets.first { $0 > instant } ?? instant + .seconds(86_400)
    return TimeWindow(from: from, to: to)
  }

  /// The reset on a day of the zone; if daylight saving skips that time, the instant at which an unchanged clock would
  /// show it.
  private func reset(days: Int64, from instant: Instant) -> Instant? {
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
