public import Base

/// The ranges that `trawl backfill` is to fill.
extension RecordStore {
  /// A range that the user asked to fill; open until a run finds no hole in it.
  public struct Goal: Sendable, Equatable {
    public var number: Int64
    /// Empty: every stream with a window.
    public var stream: String
    /// As in `Unit.parameterText`; empty: the job's own values.
    public var parameters: String
    public var range: TimeWindow
    /// A walk of one of its windows waits to be resumed.
    public var isBegun: Bool
  }

  /// A goal that exists is opened again: there may be new holes.
  /// - Parameter older: goals whose place it takes. Windows that only they wanted, and that were not read, go with
  ///   them: nobody will request them any more.
  public func addGoal(
    job: String, stream: String = "", parameters: String = "", range: TimeWindow,
    insteadOf older: [Int64] = []
  ) throws(StoreError) {
    let stamp = now.description
    try writeDurably {
      try connection.put(
        Book.goals, by: ["job", "stream", "parameters", "goal_from", "goal_to"],
        [
          ("job", .text(job)), ("stream", .text(stream)), ("parameters", .text(parameters)),
          ("goal_from", .text(range.from.description)), ("goal_to", .text(range.to.description)),
          ("added_at", .text(stamp)), ("reached_at", nil),
        ], changing: ["reached_at"])
      for goal in older {
        try connection.delete(
          Book.windows, where: Self.unreadOfGoal, [.integer(goal), .text(range.from.description)])
        try connection.delete(Book.goals, where: "goal = ?", [.integer(goal)])
      }
    }
  }

  /// Windows inside a goal that begin before a time, and in no other open goal.
  private static let unreadOfGoal =
    "window_from < ?2 AND window_from <> '' AND EXISTS (SELECT 1 FROM trawl_goals g "
    + "JOIN trawl_lists l USING (job) WHERE g.goal = ?1 "
    + "AND l.list_number = trawl_windows.list_number "
    + "AND g.goal_from <= window_from AND window_to <= g.goal_to "
    + "AND NOT EXISTS (SELECT 1 FROM trawl_goals o WHERE o.job = g.job AND o.goal <> g.goal "
    + "AND o.reached_at IS NULL AND o.goal_from <= window_from AND window_to <= o.goal_to)) "
    + "AND NOT EXISTS (SELECT 1 FROM trawl_certificates c WHERE c.window = trawl_windows.window "
    + "AND c.verdict IN ('complete', 'unproven', 'limited'))"

  static let reachedGoalsKept = 200

  public func reachGoal(_ number: Int64) throws(StoreError) {
    let stamp = now.description
    try writeDurably {
      try connection.set(
        Book.goals, [("reached_at", .text(stamp))], where: "goal = ?", [.integer(number)])
      // Reached goals are history, and only some of it is kept.
      try connection.delete(
        Book.goals,
        where: "reached_at IS NOT NULL AND goal NOT IN (SELECT goal FROM "
          // cut: the older ones are history
          + "trawl_goals WHERE reached_at IS NOT NULL ORDER BY reached_at DESC LIMIT "
          + "\(Self.reachedGoalsKept))")
    }
  }

  /// Removes a goal that was set by a wrong clock.
  public func removeGoal(_ number: Int64) throws(StoreError) {
    try writeDurably {
      _ = try connection.delete(Book.goals, where: "goal = ?", [.integer(number)])
    }
  }

  /// The open ones.
  public func goals(of job: String) throws(StoreError) -> [Goal] {
    try guarded {
      try connection.rows(
        "SELECT goal, stream, parameters, goal_from, goal_to, \(Self.isBegun) FROM trawl_goals g "
          + "WHERE job = ? AND reached_at IS NULL ORDER BY goal", [.text(job)], as: Goal.init)
    }
  }

  private static let isBegun =
    "EXISTS (SELECT 1 FROM trawl_lists l JOIN trawl_windows w USING (list_number) "
    + "WHERE l.job = g.job AND w.is_open = 1 "
    + "AND w.window_from >= g.goal_from AND w.window_to <= g.goal_to "
    + "AND EXISTS (SELECT 1 FROM trawl_pages p WHERE p.window = w.window) AND NOT EXISTS "
    + "(SELECT 1 FROM trawl_certificates c WHERE c.window = w.window AND c.verdict = 'failed'))"
}
