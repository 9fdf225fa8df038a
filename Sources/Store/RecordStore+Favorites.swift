public import Model
internal import SQLite

/// A record that a person marked. It need not be stored yet, and no synchronisation touches it.
public struct Favorite: Sendable, Equatable {
  public var table: String
  /// The key as text; of several columns a JSON list.
  public var key: String
  public var addedAt: Instant
  /// Nil while no stream has brought the record.
  public var title: String?
  public var link: String?
  public var imagePath: String?
}

extension RecordStore {
  /// True if it was none before. The table by its full name: `giphy_gifs`.
  public func addFavorite(table: String, key: String) throws(StoreError) -> Bool {
    let stamp = now.description
    return try writeDurably { connection in
      try connection.run(
        "INSERT INTO trawl_favorites VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        [.text(table), .text(key), .text(stamp)])
      return connection.changedRows > 0
    }
  }

  /// True if it was one.
  public func removeFavorite(table: String, key: String) throws(StoreError) -> Bool {
    try writeDurably { connection in
      try connection.run(
        "DELETE FROM trawl_favorites WHERE table_name = ? AND record_key = ?",
        [.text(table), .text(key)])
      return connection.changedRows > 0
    }
  }

  /// In the order in which they were added; of one table or of all.
  public func favorites(table: String? = nil) throws(StoreError) -> [Favorite] {
    try guarded { connection in
      try connection.rows(
        "SELECT table_name, record_key, added_at, title, link, image_path FROM favorites "
          + "WHERE ?1 IS NULL OR table_name = ?1 ORDER BY added_at, table_name, record_key",
        [SQLValue(table)]
      ) {
        Favorite(
          table: $0.text(0) ?? "", key: $0.text(1) ?? "",
          addedAt: $0.text(2).flatMap { Instant(stored: $0) } ?? Instant(seconds: 0),
          title: $0.text(3), link: $0.text(4), imagePath: $0.text(5))
      }
    }
  }

  // MARK: Goals of backfills

  /// A range that a person asked to be filled; open until a run finds no hole in it.
  public struct Goal: Sendable, Equatable {
    public var number: Int64
    public var job: String
    /// Empty: every stream with a window.
    public var stream: String
    /// As in `Unit.parameterText`; empty: the job's own values.
    public var parameters: String
    public var range: TimeWindow
    public var addedAt: Instant
    public var reachedAt: Instant?
  }

  /// The same goal again is opened again: there may be new holes.
  public func addGoal(
    job: String, stream: String = "", parameters: String = "", range: TimeWindow
  ) throws(StoreError) {
    let stamp = now.description
    try writeDurably { connection in
      try connection.run(
        "INSERT INTO trawl_goals (job, stream, parameters, goal_from, goal_to, added_at) "
          + "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET reached_at = NULL",
        [
          .text(job), .text(stream), .text(parameters), .text(range.from.description),
          .text(range.to.description), .text(stamp),
        ])
    }
  }

  public func reachGoal(_ number: Int64) throws(StoreError) {
    let stamp = now.description
    try writeDurably { connection in
      try connection.run(
        "UPDATE trawl_goals SET reached_at = ? WHERE goal = ?", [.text(stamp), .integer(number)])
    }
  }

  public func goals(of job: String, openOnly: Bool = true) throws(StoreError) -> [Goal] {
    try guarded { connection in
      try connection.rows(
        "SELECT goal, stream, parameters, goal_from, goal_to, added_at, reached_at "
          + "FROM trawl_goals WHERE job = ?1 AND (?2 = 0 OR reached_at IS NULL) ORDER BY goal",
        [.text(job), SQLValue(openOnly)]
      ) { row in
        func instant(_ column: Int) -> Instant? {
          row.text(column).flatMap { Instant(stored: $0) }
        }
        let zero = Instant(seconds: 0)
        return Goal(
          number: row.integer(0), job: job, stream: row.text(1) ?? "",
          parameters: row.text(2) ?? "",
          range: TimeWindow(from: instant(3) ?? zero, to: instant(4) ?? zero),
          addedAt: instant(5) ?? zero, reachedAt: instant(6))
      }
    }
  }
}
