public import Base

/// What time it is for the run that writes, and what earlier runs have left of it.
extension RecordStore {
  /// From now on every time that is written is the run's.
  /// - Parameter latest: how late it may be, where nobody knows: what is older by that is due.
  public func follow(_ time: Timekeeper, latest: (@Sendable () -> Instant)? = nil) {
    clock = time
    latestClock = latest
  }

  /// What earlier runs were told: the latest instant that an answer confirmed, of any job, and how far
  /// this job's last run was off.
  public func clockMemory(of job: String) throws(StoreError) -> ClockJudge.Memory {
    try guarded { connection in
      // A run that was killed has no end.
      let confirmed = try connection.text(
        "SELECT max(max(began_at, ifnull(ended_at, ''))) FROM trawl_runs "
          + "WHERE clock_shift IS NOT NULL")
      let shift = try connection.integer(
        "SELECT clock_shift FROM trawl_runs WHERE job = ? AND clock_shift IS NOT NULL "
          // cut: the last one
          + "ORDER BY run DESC LIMIT 1", [.text(job)])
      return ClockJudge.Memory(
        confirmed: confirmed.flatMap { Instant(stored: $0) }, shift: .seconds(shift ?? 0))
    }
  }

  /// An answer has told the time: what the run has written of itself so far is corrected by it.
  public func noteClock(_ shift: Duration, moved: Duration, of run: RunID) throws(StoreError) {
    let moment = now
    for unit in units.values where Instant(stored: unit.beganAt).map({ $0 > moment }) == true {
      unit.beganAt = moment.description
    }
    try write { connection in
      let began = try connection.text(
        "SELECT began_at FROM trawl_runs WHERE run = ?", [.integer(run.number)]
      ).flatMap { Instant(stored: $0) }
      try connection.run(
        "UPDATE trawl_runs SET began_at = ?, clock_shift = ? WHERE run = ?",
        [
          .text(min(moment, (began ?? moment) + moved).description),
          .integer(shift.components.seconds), .integer(run.number),
        ])
    }
  }
}
