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

/// A table of records, with what its keys consist of.
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

/// A key of a record: its digest, and its text alone (of several columns a JSON list) and in a list.
struct KeyName {
  let digest: UInt64
  let text, json: String

  init(_ key: [SQLValue], _ connection: Connection) throws(SQLiteError) {
    let holes = key.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    let text = key.count == 1 ? "CAST(?1 AS TEXT)" : "json_array(\(holes))"
    let found: (UInt64, String, String)? = try connection.row(
      "SELECT trawl_hash(\(holes)), \(text), json_array(\(holes))", key)
    (digest, self.text, json) = found ?? (0, "", "")
  }
}

extension RecordStore {
  /// All tables of records in the file.
  public func keyedTables() throws(StoreError) -> [KeyedTable] {
    try guarded {
      let origins: [String: String] = try connection.dictionary(
        "SELECT job, origin FROM trawl_jobs")
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
    try guarded { try KeyName(values, connection).text }
  }

  /// Adds favorites to the table with this full name (`giphy_gifs`). Returns the keys that are new.
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
      // Makes resting images due: the next run finds out which of them a favorite shows.
      if !added.isEmpty {
        try connection.set(
          Book.mediaURLs, [("next_attempt_at", .text(stamp)), ("reason", nil)],
          where: "reason = ? AND job IN (SELECT job FROM trawl_tables WHERE table_name = ?)",
          [.text(Self.inNoList), .text(table)])
      }
      return added
    }
  }

  /// Returns the keys that were favorites.
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
}
