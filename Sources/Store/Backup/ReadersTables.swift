internal import Base

/// The tables of a copy for readers, made from the database that is attached as `source`.
struct ReadersTables {
  let connection: Connection
  let links: TableLinks

  func copy() throws(SQLiteError) -> [ReadersCopy.Table] {
    let all = try StoredTable.all(connection, of: "source.").sorted {
      ($0.job, $0.name) < ($1.job, $1.name)
    }
    let names = Set(all.map(\.name))
    var made: [ReadersCopy.Table] = []
    for table in all {
      let (name, key) = (table.name, table.key)
      let columns = try columns(of: name)
      // A table that `prove` reports as missing is left out here too.
      guard !columns.isEmpty else { continue }
      let references = try connection.references(of: name, in: "source") + (links[name] ?? [])
      made.append(
        try make(
          ReadersCopy.Table(
            name: name, job: table.job, kind: table.kind, key: key, columns: columns, rows: 0),
          references.eachOnce.filter { names.contains($0.table) }))
      try index(name)
      try indexText(name, table.searched.filter(columns.map(\.name).contains))
      guard !table.volatile.isEmpty else { continue }
      let keys = columns.filter { key.contains($0.name) }
      // `at`, or `history_at`.
      let shown = HistoryView.shown(besides: key).map {
        ReadersCopy.Column(
          name: $0.name,
          type: $0.name.hasSuffix("at") ? "DATETIME" : Self.type(of: $0.name, $0.type, ""),
          source: $0.comment)
      }
      made.append(
        try make(
          ReadersCopy.Table(
            name: HistoryView.view(of: name), job: table.job, kind: "history",
            key: [], columns: keys + shown, rows: 0),
          [TableDesign.Reference(columns: key, table: name, to: key)]))
    }
    made.append(try items())
    return made
  }

  private func make(
    _ table: ReadersCopy.Table, _ references: [TableDesign.Reference]
  ) throws(SQLiteError) -> ReadersCopy.Table {
    var table = table
    try connection.execute(Self.sql(of: table, references))
    let list = TableDesign.list(table.columns.map(\.name))
    let name = SQLName.quoted(table.name)
    try connection.run("INSERT INTO main.\(name) (\(list)) SELECT \(list) FROM source.\(name)")
    table.rows = connection.changedRows
    return table
  }

  /// All columns but our own (`trawl_`).
  private func columns(of table: String) throws(SQLiteError) -> [ReadersCopy.Column] {
    let found: [(String, String, String, String?)] = try connection.rows(
      """
      SELECT t.name, t.type, coalesce(c.source, ''), c.way FROM pragma_table_info(?1, 'source') t
      LEFT JOIN source.trawl_columns c ON c.table_name = ?1 AND c.column_name = t.name
      WHERE substr(t.name, 1, 6) <> 'trawl_' ORDER BY t.cid
      """, [.text(table)])
    var columns: [ReadersCopy.Column] = []
    for (name, declared, source, way) in found {
      var type = Self.type(of: name, declared, source)
      if way != nil, type.isEmpty {
        type = try self.type(ofFound: name, table)
      } else if ["DATETIME", "DATE"].contains(type), !CanonicalRow.ours.contains(name),
        try !holdsTimes(name, of: table)
      {
        type = declared
      }
      columns.append(ReadersCopy.Column(name: name, type: type, source: source))
    }
    return columns
  }

  /// Under a type of dates, texts of digits would turn into numbers: those from before the column was one of times.
  private func holdsTimes(_ column: String, of table: String) throws(SQLiteError) -> Bool {
    let name = "t.\(SQLName.quoted(column))"
    let isTime = try connection.integer(
      "SELECT min(\(name) GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]*') "
        + "FROM source.\(SQLName.quoted(table)) t")
    return isTime != 0
  }

  /// The common type of all its values; none if they are of several, each of which it would change.
  private func type(ofFound column: String, _ table: String) throws(SQLiteError) -> String {
    let name = "t.\(SQLName.quoted(column))"
    let row = try connection.row(
      "SELECT group_concat(DISTINCT typeof(\(name))), min(\(name) GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T*') "
        + "FROM source.\(SQLName.quoted(table)) t WHERE \(name) IS NOT NULL"
    ) { (types: $0.text(0) ?? "", isTime: $0.boolean(1)) }
    switch row?.types {
    case "text": return row?.isTime == true ? "DATETIME" : "TEXT"
    case "integer": return "INTEGER"
    case "real": return "REAL"
    default: return ""
    }
  }

  /// The type that the job file gave is at the end of a column's source.
  private static func type(of name: String, _ type: String, _ source: String) -> String {
    if type == "TEXT", CanonicalRow.ours.contains(name) { return "DATETIME" }
    // In a table that is not strict, this type name would turn texts into numbers.
    if type == "ANY" { return "" }
    guard source.hasSuffix(")"), let bracket = source.utf8.lastIndex(of: UInt8(ascii: "(")) else {
      return type
    }
    switch source[source.utf8.index(after: bracket)...].dropLast().split(separator: " ").first {
    case "time": return "DATETIME"
    case "date": return "DATE"
    case "boolean": return "BOOLEAN"
    default: return type
    }
  }

  private static func sql(
    of table: ReadersCopy.Table, _ references: [TableDesign.Reference]
  ) -> String {
    var lines = table.columns.map { column in
      SQLName.quoted(column.name) + (column.type.isEmpty ? "" : " \(column.type)")
    }
    if !table.key.isEmpty { lines.append("PRIMARY KEY (\(TableDesign.list(table.key)))") }
    lines += references.map {
      "FOREIGN KEY (\(TableDesign.list($0.columns))) REFERENCES \(SQLName.quoted($0.table)) "
        + "(\(TableDesign.list($0.to)))"
    }
    return "CREATE TABLE \(SQLName.quoted(table.name)) (\n  "
      + lines.joined(separator: ",\n  ") + "\n)"
  }

  /// Copies the table's indexes, except the one over change numbers.
  private func index(_ table: String) throws(SQLiteError) {
    let prefix = "\(table)_by_"
    let found = try connection.texts(
      "SELECT sql FROM source.sqlite_schema WHERE type = 'index' AND tbl_name = ?1 "
        + "AND substr(name, 1, length(?2)) = ?2 AND name <> ?2 || ?3 AND sql IS NOT NULL "
        + "ORDER BY name", [.text(table), .text(prefix), .text(TableDesign.change)])
    for sql in found { try connection.execute(sql) }
  }

  /// Full-text indexes over the columns that `trawl search` covers, named and written as Datasette
  /// and sqlite-utils expect them.
  private func indexText(_ table: String, _ columns: [String]) throws(SQLiteError) {
    // FTS5 keeps these names for itself.
    let columns = columns.filter { !["rank", table + "_fts"].contains($0) }
    guard !columns.isEmpty else { return }
    let name = SQLName.quoted(table + "_fts")
    try connection.execute(
      "CREATE VIRTUAL TABLE \(name) USING fts5(\(TableDesign.list(columns)), "
        + "content=\(SQLName.always(quoted: table)), tokenize='trigram'); "
        + "INSERT INTO \(name) (\(name)) VALUES ('rebuild')")
  }

  /// A table in the copy, since the view reads the book.
  private func items() throws(SQLiteError) -> ReadersCopy.Table {
    let names = ["source", "table_name", "record_key"]
    let time = try holdsTimes("published_at", of: ReadersCopy.items) ? "DATETIME" : ""
    // A role may be of a column of numbers.
    let columns =
      ViewDesign.roles.map {
        ReadersCopy.Column(name: $0, type: $0 == "published_at" ? time : "", source: "")
      } + names.map { ReadersCopy.Column(name: $0, type: "TEXT", source: "") }
    let items = ReadersCopy.items
    let table = try make(
      ReadersCopy.Table(name: items, job: "", kind: items, key: [], columns: columns, rows: 0), [])
    try connection.execute(
      "CREATE INDEX items_by_published_at ON items (published_at); "
        + "CREATE INDEX items_by_record ON items (table_name, record_key)")
    return table
  }
}
