/// The offsets of one time zone from UTC, past and future, as the system's zone files give them.
public struct ZoneRules: Sendable, Equatable {
  /// When an offset begins to hold, in seconds since 1970.
  struct Transition: Sendable, Equatable {
    var at: Int64
    var offset: Int
  }

  public let name: String
  /// Before the first transition.
  let firstOffset: Int
  /// In order of time.
  let transitions: [Transition]
  /// The rule that holds behind the last transition.
  let footer: ZoneFooter?

  /// Coordinated universal time, which needs no file.
  public static let utc = ZoneRules(name: "UTC", firstOffset: 0, transitions: [], footer: nil)

  /// Seconds east of Greenwich at an instant.
  public func offset(at instant: Instant) -> Int { offset(atSeconds: instant.seconds) }

  func offset(atSeconds seconds: Int64) -> Int {
    guard let last = transitions.last else { return footer?.offset(at: seconds) ?? firstOffset }
    if seconds >= last.at { return footer?.offset(at: seconds) ?? last.offset }
    // The last transition that is not after the instant.
    var low = 0
    var high = transitions.count
    while low < high {
      let middle = (low + high) / 2
      if transitions[middle].at <= seconds { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? firstOffset : transitions[low - 1].offset
  }

  /// What the clocks of the zone show.
  public func civil(at instant: Instant) -> CivilTime {
    CivilTime(instant + .seconds(offset(at: instant)))
  }

  /// The instant at which the zone's clocks show a time. Of a time that comes twice (clocks went
  /// back) the first; for one that is skipped (clocks went forward) the instant at which an
  /// unmoved clock would show it, so 02:30 is what others call 03:30. Nil for no calendar day.
  public func instant(of civil: CivilTime) -> Instant? {
    guard let asUTC = civil.instant else { return nil }
    // No zone is further than 26 hours from UTC: the offsets on both sides cover the time.
    let before = offset(at: asUTC - .seconds(26 * 3600))
    let after = offset(at: asUTC + .seconds(26 * 3600))
    for guess in [before, after] {
      let instant = asUTC - .seconds(guess)
      if offset(at: instant) == guess { return instant }
    }
    return asUTC - .seconds(before)
  }
}

/// Why a zone cannot be had.
public struct ZoneProblem: Error, Equatable, Sendable, CustomStringConvertible {
  let zone: String
  public let description: String

  init(_ zone: String, _ reason: String) {
    self.zone = zone
    description = "time zone \"\(zone)\": \(reason)"
  }
}
