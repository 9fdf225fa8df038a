internal import Base

/// The zones that `time in ZONE` columns have named so far, each read from the system once.
final class LocalZones: Sendable {
  private let known = Locked<[String: ZoneRules?]>([:])

  /// The instant when the zone's clocks show this; nil if the system has no such zone.
  func instant(_ local: CivilTime, _ name: String) -> Instant? {
    known.withLock { known in
      if let rules = known[name] { return rules?.instant(of: local) }
      // The job's own check reports why it is missing; here the value is rejected.
      let rules = try? ZoneRules.load(name)
      known[name] = .some(rules)
      return rules?.instant(of: local)
    }
  }
}
