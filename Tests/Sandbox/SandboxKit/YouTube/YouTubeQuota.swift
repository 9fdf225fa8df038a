internal import Base

/// The three quotas of the one project that all keys of this sandbox belong to. They reset at midnight in Los Angeles,
/// and no header says what is left.
struct YouTubeQuota: Sendable {
  enum Bucket: Sendable { case searches, statistics, units }

  private let options: YouTubeOptions
  private let zone: ZoneRules?
  private var day: Int64 = .min
  private var spent: [Bucket: Int] = [:]

  init(_ options: YouTubeOptions) {
    self.options = options
    // Without zone files Los Angeles counts as UTC-8 all year.
    zone = try? ZoneRules.load("America/Los_Angeles")
  }

  /// Counts one request, whatever its result; false if none is left.
  mutating func spend(_ bucket: Bucket, at now: Instant) -> Bool {
    let offset = zone?.offset(at: now) ?? -8 * 3600
    let today = (now + .seconds(offset)).seconds.dividedDown(by: 86_400)
    if today != day { (day, spent) = (today, [:]) }
    let allowed =
      switch bucket {
      case .searches: options.searchesPerDay
      case .statistics: options.statisticsPerDay
      case .units: options.unitsPerDay
      }
    guard spent[bucket, default: 0] < allowed else { return false }
    spent[bucket, default: 0] += 1
    return true
  }
}

extension Int64 {
  /// Rounded down.
  fileprivate func dividedDown(by length: Int64) -> Int64 {
    let (whole, rest) = quotientAndRemainder(dividingBy: length)
    return rest < 0 ? whole - 1 : whole
  }
}
