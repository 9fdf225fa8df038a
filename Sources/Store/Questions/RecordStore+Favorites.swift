public import Base

/// A record that the user marked. It need not be stored yet, and no sync removes it.
public struct Favorite: Sendable, Equatable {
  public var table: String
  /// The key as text; for several columns a JSON list.
  public var key: String
  public var addedAt: Instant
  /// Whether any stream has stored the record yet.
  public var isStored: Bool
  public var title: String?
  public var link: String?
  public var imagePath: String?
}

/// A table of records, as far as a key for it must be known.
public struct KeyedTable: Sendable {
  /// In full: `giphy_gifs`.
  public var name: String
  public var job: String
  /// The columns, and whether each holds whole numbers.
  public var key: [(name: String, isInteger: Bool)]
  /// Where its rows came from, `https://api.example.org:443`; nil if no run has been there.
  public var origin: String?

  public init(
    name: String, job: String, key: [(name: String, isInteger: Bool)], origin: String? = nil
  ) {
    (self.name, self.job, self.key, self.origin) = (name, job, key, origin)
  }
}

extension RecordStore {
  /// All tables of records in the file.
  public func keyedTables() throws(StoreError) -> [KeyedTable] {
    try guarded {
      let origins = try connection.dictionary("SELECT job, origin FROM trawl_jobs") {
        ($0.text(0) ?? "", $0.text(1) ?? "")
      }
      return try StoredTable.all(connection, where: "kind = 'records'").map { table in
        let types = try OldTable(table.name, connection)
        return KeyedTable(
          name: table.name, job: table.job,
          key: table.key.map { ($0, types.column($0)?.type == "INTEGER") },
          origin: origins[table.job])
      }
    }
  }

  /// How the database writes a key in one text: as the view `items` does.
  public func keyText(_ values: [SQLValue]) throws(StoreError) -> String {
    switch values.first {
    case .text(let text) where values.count == 1: return text
    case .integer(let number) where values.count == 1: return "\(number)"
    default: break
    }
    let holes = values.map { _ in "?" }.joined(separator: ", ")
    return try guarded { try connection.text("SELECT json_array(\(holes))", values) ?? "" }
  }

  /// Returns those of the keys that were not favorites before. The table by its full name:
  /// `giphy_gifs`.
  public func addFavorites(table: String, keys: [String]) throws(StoreError) -> [String] {
    let stamp = now.description
    return try writeDurably {
      let hasSome = try connection.has("trawl_favorites WHERE table_name = ?", [.text(table)])
      let added = try keys.filter { key in
        try connection.insertIfNew(
          Book.favorites,
          [("table_name", .text(table)), ("record_key", .text(key)), ("added_at", .text(stamp))])
      }
      if !hasSome, !added.isEmpty { try ViewDesign.remakeFavorites(connection) }
      // Of those that rest the next run finds out which a favorite shows.
      if !added.isEmpty {
        try connection.set(
          Book.mediaURLs, [("next_attempt_at", .text(stamp)), ("reason", nil)],
          where: "reason = ? AND job IN (SELECT job FROM trawl_tables WHERE table_name = ?)",
          [.text(Self.inNoList), .text(table)])
      }
      return added
    }
  }

  /// Returns those of the keys that were favorites.
  public func removeFavorites(table: String, keys: [String]) throws(StoreError) -> [String] {
    let stamp = now
    return try writeDurably {
      try keys.filter { key in
        let rows = try connection.delete(
          Book.favorites, where: "table_name = ? AND record_key = ?", [.text(table), .text(key)])
        guard rows > 0 else { return false }
        try clearUnneededMark(table, key: key, at: stamp)
        return true
      }
    }
  }

  /// In the order in which they were added.
  public func favorites() throws(StoreError) -> [Favorite] {
    try guarded {
      try connection.rows(
        "SELECT table_name, record_key, added_at, source IS NOT NULL, title, link, image_path "
          + "FROM favorites ORDER BY added_at, table_name, record_key", as: Favorite.init)
    }
  }

  // MARK: Goals of backfills

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

  /// One that was set by a clock that was wrong.
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
