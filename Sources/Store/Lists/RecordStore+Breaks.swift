internal import Base

/// When the pages of a walk were committed.
struct PageTimes {
  let first: Instant
  private(set) var last: Instant
  /// The longest time between two of them.
  private(set) var longestPause = Duration.zero

  init(_ at: Instant) {
    first = at
    last = at
  }

  func followed(by next: Instant) -> PageTimes {
    var times = self
    times.longestPause = max(longestPause, next - last)
    times.last = next
    return times
  }
}

extension RecordStore {
  /// Of an unfinished walk: why it stopped, and how long walks of its list take.
  func walkBreak(
    of window: Int64, _ traversal: Int64, _ times: PageTimes, isWindow: Bool
  ) throws(SQLiteError) -> WalkBreak {
    let isPlanned = "verdict = 'paused' AND rule IN ('limit', 'budget')"
    // A failed or paused walk has not reached an end.
    let lastEnd =
      "SELECT max(certificate) FROM trawl_certificates WHERE window = ?1 "
      + "AND verdict NOT IN ('paused', 'failed')"
    let stops = try connection.row(
      "SELECT count(*), ifnull(sum(traversal = ?2), 0) FROM trawl_certificates WHERE window = ?1 "
        + "AND \(isPlanned) AND certificate > ifnull((\(lastEnd)), 0)",
      [.integer(window), .integer(traversal)]
    ) { (count: $0.int(0), ofThis: $0.int(1)) }
    let last = try connection.row(
      "SELECT began_at, issued_at FROM trawl_certificates WHERE certificate = (\(lastEnd))",
      [.integer(window)]
    ) { $0.window(0) }
    let end = last ?? nil
    return WalkBreak(
      pausedFor: now - times.last, age: now - times.first, longestPause: times.longestPause,
      isPlanned: (stops?.ofThis ?? 0) > 0, plannedStops: stops?.count ?? 0, isWindow: isWindow,
      lastTook: end.map { $0.to - $0.from }, interval: end.map { times.first - $0.from })
  }
}
