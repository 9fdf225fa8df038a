/// The offsets of one time zone from UTC, past and future, according to the system's zone files.
public struct ZoneRules: Sendable, Equatable {
  /// From when an offset holds, in seconds since 1970.
  struct Transition: Sendable, Equatable {
    var at: Int64
    var offset: Int
  }

  public let name: String
  /// The offset before the first transition.
  let firstOffset: Int
  /// In order of time.
  let transitions: [Transition]
  /// The rule after the last transition.
  let footer: ZoneFooter?

  /// Coordinated universal time, which needs no file.
  public static let utc = ZoneRules(name: "UTC", firstOffset: 0, transitions: [], footer: nil)

  /// Seconds east of Greenwich at an instant.
  public func offset(at instant: Instant) -> Int { offset(atSeconds: instant.seconds) }

  func offset(atSeconds seconds: Int64) -> Int {
    guard let last = transitions.last else { return footer?.offset(at: seconds) ?? firstOffset }
    if seconds >= last.at { return footer?.offset(at: seconds) ?? last.offset }
    // The last transition at or before the instant.
    var low = 0
    var high = transitions.count
    while low < high {
      let middle = (low + high) / 2
      if transitions[middle].at <= seconds { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? firstOffset : transitions[low - 1].offset
  }

  /// The local time of the zone.
  public func civil(at instant: Instant) -> CivilTime {
    CivilTime(instant + .seconds(offset(at: instant)))
  }

  /// The instant of a local time. A time that occurs twice (clocks went back) means the first; one that is skipped
  /// (clocks went forward) is read with the earlier offset, so 02:30 is 03:30 of the new time. Nil for an impossible
  /// date.
  public func instant(of civil: CivilTime) -> Instant? {
    guard let asUTC = civil.instant else { return nil }
    // No zone is more than 26 hours from UTC: one of the offsets on both sides is right.
    let before = offset(at: asUTC - .seconds(26 * 3600))
    let after = offset(at: asUTC + .seconds(26 * 3600))
    for guess in [before, after] {
      let instant = asUTC - .seconds(guess)
      if offset(at: instant) == guess { return instant }
    }
    return asUTC - .seconds(before)
  }
}

/// Why a zone cannot be loaded.
public struct ZoneProblem: Error, Equatable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ zone: String, _ reason: String) {
    description = "time zone \"\(zone)\": \(reason)"
  }
}
