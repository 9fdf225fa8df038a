internal import Base

/// Which files records have, as the views `<table>_media` show it: no job file is needed.
extension RecordStore {
  /// One image of one record.
  public struct RecordImage: Sendable, Equatable {
    /// `thumbnail`
    public var role: String
    /// Within the data folder; nil while it is not stored, or missing.
    public var path: String?
  }

  /// The images of a record, by the table's full name and the key as text (for several columns a
  /// JSON list). Nil if there is no such record; empty if its table has no images.
  public func imagePaths(
    table: String, key: String
  ) throws(StoreError) -> [RecordImage]? {
    try guarded {
      guard let found = try Self.pictured(connection, table).first else {
        return try exists(table, key) ? [] : nil
      }
      let selected = found.paths.map { SQLName.quoted($0) }.joined(separator: ", ")
      return try connection.row(
        "SELECT \(selected) FROM (\(found.rows)) t WHERE \(ViewDesign.keyText(found.key)) = ?",
        [.text(key)]
      ) { row in
        found.paths.enumerated().map { index, name in
          RecordImage(role: String(name.dropLast(ViewDesign.pathEnd.count)), path: row.text(index))
        }
      }
    }
  }

  /// Tables with images.
  public func picturedTables() throws(StoreError) -> [String] {
    try guarded {
      try StoredTable.all(connection, where: "media_sql IS NOT NULL").map(\.name)
    }
  }

  // MARK: The rows

  struct Pictured {
    var name: String
    var key: [String]
    var paths: [String]
    /// A query of its columns and these.
    var rows: String
    /// The same, with paths of files that are missing.
    var allRows: String { rows.replacing(ViewDesign.isHere, with: "") }
  }

  /// Tables whose view shows paths of images.
  /// - Parameters:
  ///   - name: only this one.
  ///   - isStrict: throws if a table or a column of it was removed, which is a finding of the proof; else such a table
  ///     is left out, as if it had no images.
  static func pictured(
    _ connection: Connection, _ name: String? = nil, isStrict: Bool = false
  ) throws(SQLiteError) -> [Pictured] {
    let tables = try StoredTable.all(
      connection, where: "media_sql IS NOT NULL AND table_name = ifnull(?, table_name)",
      [SQLValue(name)])
    var found: [Pictured] = []
    for table in tables {
      guard let view = table.media, let start = view.firstRange(of: " AS ") else { continue }
      // The view may have been dropped.
      let rows = String(view[start.upperBound...])
      let all: [String]
      do throws(SQLiteError) {
        all = try connection.statement(rows).columnNames
      } catch {
        if isStrict || error.kind != .other { throw error }
        continue
      }
      let columns = try connection.columns(of: table.name)
      let paths = all.filter { !columns.contains($0) }
      guard !paths.isEmpty else { continue }
      found.append(Pictured(name: table.name, key: table.key, paths: paths, rows: rows))
    }
    return found
  }

  private func exists(_ name: String, _ key: String) throws(SQLiteError) -> Bool {
    guard let table = try StoredTable.of(name, connection), table.kind == "records" else {
      return false
    }
    return try connection.has(
      "\(SQLName.quoted(name)) t WHERE \(ViewDesign.keyText(table.key)) = ?", [.text(key)])
  }
}
