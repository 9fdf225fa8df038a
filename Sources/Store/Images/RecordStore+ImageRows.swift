internal import Base

/// Which files records have, as the views `<table>_media` show it: no job file is needed.
extension RecordStore {
  /// One image of one record.
  public struct RecordImage: Sendable, Equatable {
    /// `thumbnail`
    public var role: String
    /// Within the data folder; nil while it is not stored.
    public var path: String?
  }

  /// The images of a record, by the table's full name and the key as text (for several columns a
  /// JSON list). Nil if there is no such record; empty if its table has no images.
  public func imagePaths(
    table: String, key: String
  ) throws(StoreError) -> [RecordImage]? {
    try guarded {
      guard
        let found = try Self.pictured(connection).first(where: {
          $0.name.utf8.elementsEqual(table.utf8)
        })
      else {
        return try exists(table, key) ? [] : nil
      }
      let selected = found.paths.map { SQLName.quoted($0) }.joined(separator: ", ")
      return try connection.row(
        "SELECT \(selected) FROM \(SQLName.quoted(ViewDesign.mediaName(of: found.name))) t "
          + "WHERE \(ViewDesign.keyText(found.key)) = ?", [.text(key)]
      ) { row in
        found.paths.enumerated().map { index, name in
          RecordImage(role: String(name.dropLast(ViewDesign.pathEnd.count)), path: row.text(index))
        }
      }
    }
  }

  /// Tables of records, and whether they have images.
  public func tablesOfRecords() throws(StoreError) -> [(name: String, hasImages: Bool)] {
    try guarded {
      try connection.rows(
        "SELECT table_name, media_sql IS NOT NULL FROM trawl_tables WHERE kind = 'records' "
          + "ORDER BY table_name"
      ) { (name: $0.text(0) ?? "", hasImages: $0.boolean(1)) }
    }
  }

  // MARK: The rows

  struct Pictured {
    var name: String
    var key: [String]
    var paths: [String]
  }

  /// Tables whose view shows paths of images.
  static func pictured(_ connection: Connection) throws(SQLiteError) -> [Pictured] {
    let tables = try connection.rows(
      "SELECT table_name, key_columns FROM trawl_tables WHERE media_sql IS NOT NULL "
        + "ORDER BY table_name"
    ) { ($0.text(0) ?? "", OldTable.names($0.text(1) ?? "")) }
    var found: [Pictured] = []
    for (name, key) in tables {
      let paths = try connection.texts(
        "SELECT name FROM pragma_table_info(?1) WHERE name NOT IN "
          + "(SELECT name FROM pragma_table_info(?2)) ORDER BY cid",
        [.text(ViewDesign.mediaName(of: name)), .text(name)])
      if !paths.isEmpty { found.append(Pictured(name: name, key: key, paths: paths)) }
    }
    return found
  }

  private func exists(_ table: String, _ key: String) throws(SQLiteError) -> Bool {
    let columns = try connection.text(
      "SELECT key_columns FROM trawl_tables WHERE table_name = ? AND kind = 'records'",
      [.text(table)])
    guard let columns else { return false }
    let text = ViewDesign.keyText(OldTable.names(columns))
    return try connection.integer(
      "SELECT 1 FROM \(SQLName.quoted(table)) t WHERE \(text) = ?", [.text(key)]) != nil
  }
}
