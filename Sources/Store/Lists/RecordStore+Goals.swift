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
  }

  /// A goal that exists is opened again: there may be new holes.
  public func addGoal(
    job: String, stream: String = "", parameters: String = "", range: TimeWindow
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
    }
  }

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
        "SELECT goal, stream, parameters, goal_from, goal_to FROM trawl_goals "
          + "WHERE job = ? AND reached_at IS NULL ORDER BY goal", [.text(job)], as: Goal.init)
    }
  }
}
