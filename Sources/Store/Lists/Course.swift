internal import Base

/// The course of a unit's list, and how a certificate changes it.
struct Course {
  private let unit: OpenUnit
  private let connection: Connection
  private let now: Instant
  private(set) var course: ListCourse
  private let known: ListCourse?
  /// Of a window: the last certificate that says anything about it.
  private let before: Certificate?
  private let isBackfill: Bool

  init(_ unit: OpenUnit, _ connection: Connection, now: Instant) throws(SQLiteError) {
    self.unit = unit
    self.connection = connection
    self.now = now
    let prints = [unit.prints.request, unit.prints.mapping]
    // An edited job has a different measure, which begins with its first walk.
    known = try connection.fact(unit.fact(.course))?.text.flatMap { ListCourse($0) }
      .flatMap { $0.prints == prints ? $0 : nil }
    course = known ?? ListCourse(since: now, prints: prints)
    guard unit.unit.window != nil else {
      (before, isBackfill) = (nil, false)
      return
    }
    isBackfill = try connection.has(
      "trawl_runs WHERE run = ? AND command = 'backfill'", [.integer(unit.run)])
    // A backfill tells a person again what fails again.
    before = try unit.certificates(connection).map(\.certificate).first { [isBackfill] in
      $0.verdict != .paused && !(isBackfill && $0.verdict == .failed)
    }
  }

  /// Whether the next walk may do better: the list, or another one of its stream, was read once. A
  /// list that was never read may never be.
  func mayHeal(_ certificate: Certificate) throws(SQLiteError) -> Bool {
    if certificate.verdict.isWhole { unit.plan.wasRead = true }
    if certificate.rule == .onlyRejects || certificate.counts.fitsNothing { return false }
    if course.wasWhole || certificate.verdict != .failed { return true }
    // Each of thousands of lists may fail.
    if let known = unit.plan.wasRead { return known }
    let wasRead = try connection.has(
      "trawl_lists l JOIN trawl_windows u USING (list_number) "
        + "JOIN trawl_certificates c USING (window) WHERE l.job = ? AND l.stream = ? "
        + "AND c.verdict IN ('complete', 'unproven')",
      [.text(unit.plan.job), .text(unit.plan.stream.name)])
    unit.plan.wasRead = wasRead
    return wasRead
  }

  /// - Returns: whether the list is worse than before, and no run has reported it.
  mutating func note(
    _ walk: ListCourse.Walk, _ coverage: Coverage
  ) throws(SQLiteError) -> Bool {
    // A clock that was set back makes no list better or worse.
    if course.goodAt.isAhead(of: now), try !coverage.isLikely(now) { return false }
    let isNews: Bool
    let certificate = walk.certificate
    if let window = unit.unit.window {
      var reach = try coverage.reach(from: course.goodAt)
      // Once it has been reported, a permanent gap does not interrupt the reach.
      if certificate.cause == .outOfReach, window.from <= reach {
        reach = try coverage.reach(from: max(reach, window.to))
      }
      let isLess = !certificate.isAsDeclared && certificate.cause != .outOfReach
      // A window of what is old is reported by itself. Of those that runs read night after night, the first one is.
      let isOld = isBackfill || window.to <= course.goodAt
      course.note(reachOf: reach, isLess: isLess, at: now)
      isNews =
        !certificate.isAsDeclared && certificate.verdict != .paused
        && before?.isAsDeclared != false && (isOld || course.tell())
    } else if unit.plan.stream.isAskedInBatches, certificate.cause == .outOfReach {
      isNews = course.note(restAt: now)
    } else if unit.plan.stream.isAskedInBatches, let since = try fewMissing(certificate) {
      isNews = course.note(missing: since, at: now)
    } else {
      isNews = course.note(walk, at: now)
    }
    if course != known { try connection.note(unit.fact(.course), .text(course.text)) }
    return isNews
  }

  /// If fewer than three single answers, or under a tenth, are missing: since when the oldest of them is, if any is.
  private func fewMissing(_ certificate: Certificate) throws(SQLiteError) -> Instant?? {
    let isCounted =
      certificate.verdict == .failed && certificate.rule == .failure || certificate.verdict.isWhole
    guard isCounted, !certificate.counts.fitsNothing else { return nil }
    let found = try connection.row(
      "SELECT count(*), sum(reason = 'failed'), min(CASE reason WHEN 'failed' THEN missed_at END) "
        + "FROM trawl_due WHERE job = ? AND stream = ?",
      [.text(unit.plan.job), .text(unit.plan.stream.name)]
    ) { (all: $0.int(0), missed: $0.int(1), since: $0.text(2)) }
    guard let found, found.missed < 3 || found.missed * 10 < found.all else { return nil }
    return .some(found.since.flatMap { Instant(stored: $0) })
  }
}
