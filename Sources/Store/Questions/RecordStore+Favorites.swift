public import Base

/// A record that a person marked. It need not be stored yet, and no synchronisation touches it.
public struct Favorite: Sendable, Equatable {
  public var table: String
  /// The key as text; of several columns a JSON list.
  public var key: String
  public var addedAt: Instant
  /// Whether any stream has brought the record yet.
  public var isStored: Bool
  public var title: String?
  public var link: String?
  public var imagePath: String?
}

/// A table of records, as far as a key for it must be known.
public struct KeyedTable: Sendable, Equatable {
  /// In full: `giphy_gifs`.
  public var name: String
  public var job: String
  /// Column by column, and whether it holds whole numbers.
  public var key: [(name: String, isInteger: Bool)]
  /// Where its rows came from, `https://api.example.org:443`; nil where no run has been.
  public var origin: String?

  public init(
    name: String, job: String, key: [(name: String, isInteger: Bool)], origin: String? = nil
  ) {
    self.name = name
    self.job = job
    self.key = key
    self.origin = origin
  }

  public static func == (left: KeyedTable, right: KeyedTable) -> Bool {
    left.name == right.name && left.job == right.job && left.origin == right.origin
      && left.key.elementsEqual(right.key) { $0 == $1 }
  }
}

/// A value of one column of a key.
public enum KeyValue: Sendable, Equatable {
  case integer(Int64)
  case text(String)

  var value: SQLValue {
    switch self {
    case .integer(let number): .integer(number)
    case .text(let text): .text(text)
    }
  }
}

extension RecordStore {
  /// Tables of records that are here.
  public func keyedTables() throws(StoreError) -> [KeyedTable] {
    try guarded {
      let tables = try connection.rows(
        "SELECT t.table_name, t.job, j.origin, t.key_columns FROM trawl_tables t "
          + "JOIN trawl_jobs j USING (job) WHERE t.kind = 'records' ORDER BY t.table_name"
      ) {
        (
          KeyedTable(
            name: $0.text(0) ?? "", job: $0.text(1) ?? "", key: [], origin: $0.text(2)),
          OldTable.names($0.text(3) ?? "[]")
        )
      }
      return try tables.map { table, key in
        var table = table
        table.key = try key.map { column in
          let type = try connection.text(
            "SELECT type FROM pragma_table_info(?) WHERE name = ?",
            [.text(table.name), .text(column)])
          return (column, type == "INTEGER")
        }
        return table
      }
    }
  }

  /// How the database writes a key in one text: as the view `items` does.
  public func keyText(_ parts: [KeyValue]) throws(StoreError) -> String {
    switch parts.first {
    case .text(let text) where parts.count == 1: return text
    case .integer(let number) where parts.count == 1: return "\(number)"
    default: break
    }
    let values = parts.map(\.value)
    let holes = values.map { _ in "?" }.joined(separator: ", ")
    return try guarded { try connection.text("SELECT json_array(\(holes))", values) ?? "" }
  }

  /// Those of the keys that were no favorites before. The table by its full name: `giphy_gifs`.
  public func addFavorites(table: String, keys: [String]) throws(StoreError) -> [String] {
    let stamp = now.description
    return try writeDurably {
      let hasSome = try connection.integer(
        "SELECT 1 FROM trawl_favorites WHERE table_name = ?", [.text(table)])
      let added = try keys.filter { key in
        try connection.insertIfNew(
          Book.favorites,
          [("table_name", .text(table)), ("record_key", .text(key)), ("added_at", .text(stamp))])
      }
      if hasSome == nil, !added.isEmpty { try ViewDesign.remakeFavorites(connection) }
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

  /// Those of the keys that were favorites.
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
    try favorites(where: "1", [])
  }

  /// Those of one table with these keys.
  public func favorites(of table: String, keys: [String]) throws(StoreError) -> [Favorite] {
    var found: [Favorite] = []
    for key in keys {
      found += try favorites(
        where: "table_name = ? AND record_key = ?", [.text(table), .text(key)])
    }
    return found
  }

  private func favorites(
    where condition: String, _ values: [SQLValue]
  ) throws(StoreError) -> [Favorite] {
    try guarded {
      try connection.rows(
        "SELECT table_name, record_key, added_at, source IS NOT NULL, title, link, image_path "
          + "FROM favorites WHERE \(condition) ORDER BY added_at, table_name, record_key", values
      ) {
        Favorite(
          table: $0.text(0) ?? "", key: $0.text(1) ?? "",
          addedAt: $0.instant(2) ?? Instant(seconds: 0), isStored: $0.boolean(3),
          title: $0.text(4), link: $0.text(5), imagePath: $0.text(6))
      }
    }
  }

  // MARK: Goals of backfills

  /// A range that a person asked to be filled; open until a run finds no hole in it.
  public struct Goal: Sendable, Equatable {
    public var number: Int64
    /// Empty: every stream with a window.
    public var stream: String
    /// As in `Unit.parameterText`; empty: the job's own values.
    public var parameters: String
    public var range: TimeWindow
  }

  /// The same goal again is opened again: there may be new holes.
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
      // Reached ones are history, and only so much of it is kept.
      try connection.delete(
        Book.goals,
        where: "reached_at IS NOT NULL AND goal NOT IN (SELECT goal FROM "
          // cut: history that is kept so far back
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

  /// Those that are open.
  public func goals(of job: String) throws(StoreError) -> [Goal] {
    try guarded {
      try connection.rows(
        "SELECT goal, stream, parameters, goal_from, goal_to FROM trawl_goals "
          + "WHERE job = ? AND reached_at IS NULL ORDER BY goal", [.text(job)]
      ) { row in
        Goal(
          number: row.integer(0), stream: row.text(1) ?? "", parameters: row.text(2) ?? "",
          range: row.window(3) ?? TimeWindow(from: .init(seconds: 0), to: .init(seconds: 0)))
      }
    }
  }
}
