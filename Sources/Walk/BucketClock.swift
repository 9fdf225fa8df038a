public import Model

/// When a bucket begins anew. Pure: the ledger keeps the counts, this tells the times.
public struct BucketClock: Sendable {
  private let window: Bucket.Window
  private let zone: ZoneRules

  /// Reads the zone's file for a daily bucket.
  public init(_ window: Bucket.Window) throws(ZoneProblem) {
    if case .daily(_, _, let name) = window {
      self.init(window, zone: try ZoneRules.load(name))
    } else {
      self.init(window, zone: .utc)
    }
  }

  public init(_ window: Bucket.Window, zone: ZoneRules) {
    self.window = window
    self.zone = zone
  }

  /// The window that an instant lies in. A rolling one is the stretch that ends there.
  public func window(at instant: Instant) -> TimeWindow {
    switch window {
    case .rolling(let length): return TimeWindow(from: instant - length, to: instant)
    case .daily(let hour, let minute, _):
      // Three days of the zone surely hold the reset before and the one after.
      let resets = (-1...2).compactMap { reset(days: $0, from: instant, hour, minute) }
      let from = resets.last { $0 <= instant } ?? instant
      let to = resets.first { $0 > instant } ?? instant + .seconds(86_400)
      return TimeWindow(from: from, to: to)
    }
  }

  /// The next instant at which a daily bucket is full again; nil for a rolling one.
  public func nextReset(after instant: Instant) -> Instant? {
    if case .rolling = window { return nil }
    return window(at: instant).to
  }

  /// The hour and minute of a day of the zone, where the clocks skip it the instant that an
  /// unmoved clock would show it.
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

/// What a bucket spent and when: decides when it can pay again.
public struct BucketSpending: Sendable, Equatable {
  public struct Entry: Sendable, Equatable {
    public var at: Instant
    public var cost: Int

    public init(at: Instant, cost: Int) {
      self.at = at
      self.cost = cost
    }
  }

  /// In order of time.
  public var entries: [Entry]

  public init(_ entries: [Entry]) { self.entries = entries }

  /// The cost within a stretch.
  public func spent(in window: TimeWindow) -> Int {
    entries.reduce(0) { $1.at >= window.from && $1.at < window.to ? $0 + $1.cost : $0 }
  }

  /// The first instant, not before `now`, at which a rolling window of this length can pay `cost`
  /// beside what it holds; nil when the cost is above the whole allowance.
  public func firstChance(
    cost: Int, allow: Int, length: Duration, now: Instant
  ) -> Instant? {
    guard cost <= allow else { return nil }
    // Entries in the future come from a clock that was ahead: they count until they are old.
    var held = entries.filter { $0.at + length > now }
    var sum = held.reduce(0) { $0 + $1.cost }
    var chance = now
    held.sort { $0.at < $1.at }
    for entry in held where sum + cost > allow {
      sum -= entry.cost
      chance = max(chance, entry.at + length)
    }
    return chance
  }
}
