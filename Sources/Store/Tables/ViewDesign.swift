internal import Base

/// The views: `items` and `favorites` over all jobs, `<table>_media` per table with images, and
/// `<table>_history` per table with volatile columns. The part of each table is stored in
/// `trawl_tables`, so that a run of one job leaves the others' parts.
enum ViewDesign {
  /// What `items` shows, in order.
  static let roles = ["title", "summary", "link", "image", "image_path", "published_at"]

  /// `avatar` shows its file in `avatar_path`.
  static let pathEnd = "_path"

  static let mediaEnd = "_media"
  static func mediaName(of table: String) -> String { table + mediaEnd }

  /// Per table its part of `items` and its media view.
  static func parts(of design: JobDesign) -> [(table: String, item: String?, media: String?)] {
    design.tables.filter { $0.kind == .records }.map { table in
      let streams = design.job.streams.filter { design.fullName($0.table) == table.name }
      return (table.name, item(table, streams, design.job.name), media(table, streams))
    }
  }

  private static func item(
    _ table: TableDesign, _ streams: [Stream], _ job: String
  ) -> String? {
    var columns: [String: String] = [:]
    for stream in streams {
      for (role, column) in stream.roles where columns[role] == nil {
        if table.column(column) != nil { columns[role] = column }
      }
    }
    let link = columns["link"] == nil ? streams.lazy.compactMap(\.link).first : nil
    guard !columns.isEmpty || link != nil else { return nil }
    let images = streams.flatMap(\.media)
    // The image that the job names, else the first one.
    let image = images.first { $0.column == columns["image"] } ?? images.first
    let selected = roles.map { role in
      if role == "image_path" {
        let identity = image.map { MediaPlan.identitySQL($0, table: table.name) }
        return (identity.map { path(identity: $0) } ?? "NULL") + " AS image_path"
      }
      if role == "link", let link { return "\(address(link)) AS link" }
      let column = columns[role] ?? (role == "image" ? image?.column : nil)
      return (column.map { "t.\(SQLName.quoted($0))" } ?? "NULL") + " AS \(role)"
    }
    return "SELECT \(selected.joined(separator: ", ")), \(SQLName.literal(job)) AS source, "
      + "\(SQLName.literal(table.name)) AS table_name, \(keyText(table.key)) AS record_key "
      + "FROM \(SQLName.quoted(table.name)) t"
  }

  /// NULL if one of its columns is.
  private static func address(_ link: Template) -> String {
    link.parts.map { part in
      switch part {
      case .text(let text): SQLName.literal(text)
      case .hole(let column): "t.\(SQLName.quoted(column))"
      }
    }.joined(separator: " || ")
  }

  /// A table's part of `items`, to be followed by a join or a condition on its rows `t`, with
  /// further columns before the six roles, the source, the table's name and the key.
  static func itemQuery(
    _ item: String?, table: String, key: [String], adding more: String
  ) -> String {
    let opening = "SELECT "
    guard let item, item.hasPrefix(opening) else {
      let roles = roles.map { "NULL AS \($0)" }.joined(separator: ", ")
      return "\(opening)\(more), \(roles), '' AS source, \(SQLName.literal(table)) "
        + "AS table_name, \(keyText(key)) AS record_key FROM \(SQLName.quoted(table)) t"
    }
    return "\(opening)\(more), \(item.dropFirst(opening.count))"
  }

  private static func media(_ table: TableDesign, _ streams: [Stream]) -> String? {
    var seen: Set<String> = []
    let images = streams.flatMap(\.media).filter { seen.insert($0.name).inserted }
    guard !images.isEmpty else { return nil }
    let paths = images.map {
      shown(identity: MediaPlan.identitySQL($0, table: table.name), path: $0.name + pathEnd)
    }
    return "CREATE VIEW \(SQLName.quoted(mediaName(of: table.name))) AS SELECT t.*, "
      + "\(paths.joined(separator: ", ")) FROM \(SQLName.quoted(table.name)) t"
  }

  private static func path(identity: String) -> String {
    "(SELECT m.path FROM trawl_media_urls u JOIN trawl_media m ON m.digest = u.digest "
      + "WHERE u.identity = \(identity)\(isHere))"
  }

  /// A file that is known to be missing is not shown.
  static let isHere = " AND m.missing_since IS NULL"

  /// What a media view shows of an image with this identity.
  static func shown(identity: String, path name: String) -> String {
    "\(path(identity: identity)) AS \(SQLName.quoted(name))"
  }

  /// The key as text: the value, or a JSON list of several.
  static func keyText(_ key: [String], of row: String = "t") -> String {
    let columns = key.map { "\(row).\(SQLName.quoted($0))" }
    return columns.count == 1
      ? "CAST(\(columns[0]) AS TEXT)" : "json_array(\(columns.joined(separator: ", ")))"
  }

  static func record(_ design: JobDesign, _ connection: Connection) throws(SQLiteError) {
    for (table, item, media) in parts(of: design) {
      try connection.set(
        Book.jobTables, [("item_sql", SQLValue(item)), ("media_sql", SQLValue(media))],
        where: "table_name = ?", [.text(table)])
    }
  }

  /// Drops only ours: a view of the user's own stays, whatever its name.
  static func dropAll(_ connection: Connection) throws(SQLiteError) {
    try drop(
      "\(shared) OR name IN (SELECT table_name || '\(mediaEnd)' FROM trawl_tables "
        + "WHERE media_sql IS NOT NULL) OR name IN (SELECT table_name || '\(HistoryView.end)' "
        + "FROM trawl_tables WHERE volatile IS NOT NULL)", connection)
  }

  /// Drops the views over all jobs.
  static func dropShared(_ connection: Connection) throws(SQLiteError) {
    try drop(shared, connection)
  }

  private static let shared =
    "name IN ('items', 'favorites') OR name GLOB 'trawl_items_[0-9]*' "
    + "OR name GLOB 'trawl_favorites_[0-9]*'"

  /// Views that are gone, or not as the book has them: the next run of their job makes all views again.
  /// - Parameter job: only its own, and those over all jobs.
  static func lost(
    of job: String? = nil, _ connection: Connection
  ) throws(SQLiteError) -> [String] {
    let views = "FROM sqlite_schema WHERE type = 'view'"
    let ofJob = "FROM trawl_tables WHERE job = ifnull(?1, job)"
    let (media, history) = ("table_name || '\(mediaEnd)'", "table_name || '\(HistoryView.end)'")
    return try connection.texts(
      "SELECT shared FROM (SELECT 'items' AS shared UNION ALL SELECT 'favorites') "
        + "WHERE shared NOT IN (SELECT name \(views)) "
        + "UNION SELECT \(media) \(ofJob) AND media_sql NOT IN (SELECT sql \(views)) "
        + "UNION SELECT \(history) \(ofJob) AND volatile IS NOT NULL "
        + "AND table_name IN (SELECT name FROM sqlite_schema WHERE type = 'table') "
        + "AND \(history) NOT IN (SELECT name \(views)) "
        + "UNION SELECT 'items' \(ofJob) AND item_sql IS NOT NULL "
        + "AND NOT EXISTS (SELECT 1 \(views) AND instr(sql, item_sql) > 0 "
        + "AND (name = 'items' OR name GLOB 'trawl_items_[0-9]*')) "
        + "ORDER BY 1", [SQLValue(job)])
  }

  private static func drop(
    _ condition: String, _ connection: Connection
  ) throws(SQLiteError) {
    let names = try connection.texts(
      "SELECT name FROM sqlite_schema WHERE type = 'view' AND (\(condition))")
    for name in names { try connection.execute("DROP VIEW \(SQLName.quoted(name))") }
  }

  /// SQLite joins up to 500 parts of one view: more of them get separate views.
  private static let joinedMax = 490

  /// - Parameter job: makes only this job's views of tables; the others exist.
  static func makeAll(
    _ connection: Connection, tablesOf job: String? = nil
  ) throws(SQLiteError) {
    let all = try StoredTable.all(connection, where: "kind = 'records'")
    for table in all where table.job == job ?? table.job {
      if let media = table.media { try connection.execute(media) }
    }
    try makeHistories(connection, of: job)
    let items = roles + ["source", "table_name", "record_key"]
    let empty = "SELECT \(items.map { "NULL AS \($0)" }.joined(separator: ", ")) WHERE 0"
    let parts = all.compactMap(\.item)
    try make("items", items, parts.isEmpty ? [empty] : parts, connection)
    try makeFavorites(connection)
  }

  /// A table has a part once it has a favorite. Each run reads the views: parts of tables without
  /// any were half of what SQLite read in a file of many jobs.
  private static func makeFavorites(_ connection: Connection) throws(SQLiteError) {
    let marked = try StoredTable.all(
      connection,
      where: "kind = 'records' AND table_name IN (SELECT table_name FROM trawl_favorites)")
    let names = marked.map { SQLName.literal($0.name) }.joined(separator: ", ")
    // Favorites of tables that no run has made yet.
    let elsewhere =
      "SELECT f.table_name, f.record_key, f.added_at, "
      + (roles + ["source"]).map { _ in "NULL" }.joined(separator: ", ")
      + " FROM trawl_favorites f WHERE f.table_name NOT IN (\(names))"
    let parts = marked.map { favoritesPart($0.name, $0.key, $0.item) } + [elsewhere]
    try make(
      "favorites", ["table_name", "record_key", "added_at"] + roles + ["source"], parts, connection)
  }

  /// Call it after the first favorite of a table.
  static func remakeFavorites(_ connection: Connection) throws(SQLiteError) {
    try drop("name = 'favorites' OR name GLOB 'trawl_favorites_[0-9]*'", connection)
    try makeFavorites(connection)
  }

  private static func make(
    _ name: String, _ columns: [String], _ parts: [String], _ connection: Connection
  ) throws(SQLiteError) {
    let list = columns.joined(separator: ", ")
    var parts = parts
    if parts.count > joinedMax {
      parts = try stride(from: 0, to: parts.count, by: joinedMax).map { first throws(SQLiteError) in
        let view = "trawl_\(name)_\(first / joinedMax + 1)"
        let some = parts[first..<min(first + joinedMax, parts.count)]
        try connection.execute(
          "CREATE VIEW \(view) (\(list)) AS\n  \(some.joined(separator: "\n  UNION ALL "))")
        return "SELECT * FROM \(view)"
      }
    }
    try connection.execute(
      "CREATE VIEW \(name) (\(list)) AS\n  \(parts.joined(separator: "\n  UNION ALL "))")
  }

  /// The favorites of one table, found by its key. `source` is NULL if the record is not stored.
  static func favoritesPart(_ table: String, _ key: [String], _ item: String?) -> String {
    let own = key.enumerated().map { "t.\(SQLName.quoted($1)) AS trawl_key_\($0)" }
    // If nothing of a record is shown, it is a query for its key alone.
    let inner =
      item == nil
      ? "SELECT \(own.joined(separator: ", ")), '' AS source FROM \(SQLName.quoted(table)) t"
      : itemQuery(item, table: table, key: key, adding: own.joined(separator: ", "))
    let shown =
      item == nil
      ? roles.map { _ in "NULL" } + ["i.source"] : (roles + ["source"]).map { "i.\($0)" }
    let same = key.indices.map { index in
      // A mark from when the key was one column is not a list, and belongs to none of these rows.
      let value =
        key.count == 1
        ? "f.record_key"
        : "CASE WHEN json_valid(f.record_key) THEN json_extract(f.record_key, '$[\(index)]') END"
      return "i.trawl_key_\(index) = \(value)"
    }
    return "SELECT f.table_name, f.record_key, f.added_at, "
      + shown.joined(separator: ", ")
      + " FROM trawl_favorites f LEFT JOIN (\(inner)) i ON \(same.joined(separator: " AND ")) "
      + "WHERE f.table_name = \(SQLName.literal(table))"
  }
}
