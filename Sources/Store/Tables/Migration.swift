internal import Base

/// Changes the tables of a job to what its file asks for, in one transaction, and describes what it
/// did. Nothing is dropped: a column that the job no longer has stays as it is.
struct Migration {
  let connection: Connection
  let design: JobDesign
  /// The fingerprint of the design, without found columns.
  let print: String
  /// The time from which new columns exist.
  let now: Instant
  var messages: [String] = []
  /// Tables whose old rows were set aside.
  var aside: Set<String> = []
  /// These, and new tables.
  var emptied: Set<String> = []
  /// Tables whose rows have keys of another type now.
  var retyped: Set<String> = []

  /// A digest of everything that the tables of the job depend on.
  /// - Parameter program: the version that reads the answers: another one may read the same answer
  ///   differently, so that no stored page may be reused.
  static func print(of design: JobDesign, by program: String) -> String {
    var digest = Digest64()
    digest.addField(program)
    for table in design.tables {
      digest.addField(table.sql())
      for index in table.indexes { digest.addField(index.sql) }
      for column in table.columns { digest.addField(column.writers.joined(separator: " ")) }
      digest.addField(table.searched.jsonText)
      digest.addField(TableDesign.json(table.parts))
      digest.addField(design.volatileColumns(of: table.name).jsonText)
    }
    for (table, item, media) in ViewDesign.parts(of: design) {
      digest.addField(table)
      digest.addField(item ?? "")
      digest.addField(media ?? "")
      digest.addField(ViewDesign.favoritesPart(table, design.table(table)?.key ?? [], item))
    }
    return Hexadecimal.text(digest.value)
  }

  /// Inside a transaction, with foreign keys off: tables are rebuilt and renamed.
  mutating func run() throws {
    let job = design.job.name
    let isFirst = try !connection.has("trawl_tables WHERE job = ?", [.text(job)])
    try design.checkNames(in: connection)
    // A rebuilt table affects views of others; a new one affects none.
    if isFirst { try ViewDesign.dropShared(connection) } else { try ViewDesign.dropAll(connection) }
    let returned = isFirst ? [] : try returned()
    let parts = isFirst ? [:] : try parts()
    for table in design.tables {
      let before = try StoredTable.of(table.name, connection)
      try migrate(table, before, isFirst: isFirst)
      if !isFirst, !table.searched.isEmpty, table.searched != before?.searched ?? [] {
        messages.append(
          "\(table.name) is searched by \(table.searched.joined(separator: ", ")) now")
      }
    }
    if !isFirst {
      try readAnew(returned, renumberParts(from: parts))
    }
    let known = try connection.texts(
      "SELECT table_name FROM trawl_tables WHERE job = ?", [.text(job)])
    for name in known where design.table(name) == nil {
      if try connection.references(of: name).contains(where: { aside.contains($0.table) }) {
        try setAside(name, "names records that are elsewhere now")
        try connection.delete(Book.columns, where: "table_name = ?", [.text(name)])
        try connection.delete(Book.jobTables, where: "table_name = ?", [.text(name)])
        continue
      }
      if try connection.has(
        "trawl_columns WHERE table_name = ? AND written_by <> ''", [.text(name)])
      {
        messages.append("\(name) is no longer filled by the job; it stays as it is")
      }
      try connection.set(
        Book.columns, [("written_by", "")], where: "table_name = ?", [.text(name)])
    }
    try ViewDesign.record(design, connection)
    try ViewDesign.makeAll(connection, tablesOf: isFirst ? job : nil)
    try connection.set(
      Book.jobs, [("design", .text(print))], where: "job = ?", [.text(job)])
  }

  private mutating func migrate(
    _ table: TableDesign, _ stored: StoredTable?, isFirst: Bool
  ) throws {
    // A column that was volatile once keeps the history that it has.
    let known = stored?.volatile ?? []
    let volatile =
      known + design.volatileColumns(of: table.name).filter { !known.contains($0) }
    let found = try connection.text(
      "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", [.text(table.name)])
    guard let found else {
      try connection.execute(table.sql())
      try connection.makeIndexes(of: table.name, table.indexes)
      try record(table, volatile, keeping: [], isAnew: true)
      emptied.insert(table.name)
      if !isFirst { messages.append("\(table.name) is new") }
      return
    }
    let old = try OldTable(table.name, connection)
    if let why = try whyOthers(table, old) {
      let additions = try UserAdditions(of: table.name, connection)
      try noteMembers(of: table, old)
      try setAside(table.name, why)
      try noteForgotten(table)
      aside.insert(table.name)
      emptied.insert(table.name)
      try connection.execute(table.sql())
      try connection.makeIndexes(of: table.name, table.indexes)
      messages += try additions.restore()
      try record(table, volatile, keeping: [], isAnew: true, isAnother: true)
      return
    }
    var kept = old.columns.filter { column in
      table.column(column.name) == nil
    }.map { TableDesign.Column(name: $0.name, type: $0.type, comment: "") }
    for column in kept
    where try connection.has(
      "trawl_columns WHERE table_name = ? AND column_name = ? AND written_by <> ''",
      [.text(table.name), .text(column.name)])
    {
      messages.append(
        "\(table.name).\(column.name) is no longer in the job; it stays as it is, not written")
    }
    let changes = try retype(table, old, &kept)
    // Evidence names records by digests of their keys.
    if table.key.contains(where: { changes[$0] != nil }) { retyped.insert(table.name) }
    if changes.isEmpty, table.sql(keeping: kept) == found, old.parts == table.parts {
      try connection.makeIndexes(of: table.name, table.indexes)
      try record(table, volatile, keeping: old.ours(kept))
      return
    }
    for column in table.columns where old.column(column.name) == nil {
      messages.append(
        "\(table.name).\(column.name) is new: empty until its records are read again"
          + wayToReadAll(by: column.writers))
    }
    try rebuild(table, old, kept, changes)
    try record(table, volatile, keeping: old.ours(kept), isAnew: true)
    if retyped.contains(table.name) {
      try noteForgotten(table)
      try SeenLog(job: design.job.name, table: table.name, connection: connection)
        .noteAll(table.key, at: now)
    }
  }

  // MARK: Making a table anew

  /// For each column, the SQL that converts its old value to the new type. Values that do not
  /// convert are kept in a separate column.
  private mutating func retype(
    _ table: TableDesign, _ old: OldTable, _ kept: inout [TableDesign.Column]
  ) throws -> [String: String] {
    var changes: [String: String] = [:]
    for column in table.columns + table.found {
      guard let before = old.column(column.name), before.type != column.type else { continue }
      let name = SQLName.quoted(column.name)
      let conversion = Self.conversion(of: name, from: before.type, to: column.type)
      changes[column.name] = conversion
      let lost = try connection.count(
        of: "\(SQLName.quoted(table.name)) WHERE \(name) IS NOT NULL AND (\(conversion)) IS NULL")
      var message = "\(table.name).\(column.name) is \(column.type) now, was \(before.type)"
      if lost > 0 {
        var number = 1
        while old.column("\(column.name)_before_\(number)") != nil { number += 1 }
        let aside = "\(column.name)_before_\(number)"
        kept.append(TableDesign.Column(name: aside, type: before.type, comment: ""))
        changes[aside] = name
        let words = Wording.count(
          lost, "value does not fit and stays", "values do not fit and stay")
        message += "; \(words) in \(aside)"
      }
      messages.append(message)
    }
    return changes
  }

  static func conversion(of name: String, from: String, to: String) -> String {
    switch (from, to) {
    case (_, "ANY"): name
    case (_, "TEXT"): "CAST(\(name) AS TEXT)"
    case ("INTEGER", "REAL"): "CAST(\(name) AS REAL)"
    case (_, "REAL"):
      // A number in any spelling, as answers are read.
      "CASE WHEN iif(json_valid(\(name)), json_type(\(name)), '') IN ('integer', 'real') "
        + "AND abs(CAST(\(name) AS REAL)) < 9e999 THEN CAST(\(name) AS REAL) END"
    default:
      // Both as texts: SQLite compares a column of type ANY as it is.
      "CASE WHEN CAST(CAST(\(name) AS \(to)) AS TEXT) = CAST(\(name) AS TEXT) "
        + "OR typeof(\(name)) = 'real' AND CAST(\(name) AS \(to)) = \(name) "
        + "THEN CAST(\(name) AS \(to)) END"
    }
  }

  private mutating func rebuild(
    _ table: TableDesign, _ old: OldTable, _ kept: [TableDesign.Column],
    _ changes: [String: String]
  ) throws {
    let additions = try UserAdditions(of: table.name, connection)
    let draft = "trawl_draft"
    try connection.execute(table.sql(named: draft, keeping: kept))
    var names: [String] = []
    var values: [String] = []
    for column in table.columns + table.found + kept where column.name != TableDesign.digests {
      guard
        let value = changes[column.name]
          ?? (old.column(column.name) == nil ? nil : SQLName.quoted(column.name))
      else { continue }
      names.append(column.name)
      values.append(value)
    }
    var sealed = table
    sealed.kept = old.ours(kept).map(\.name)
    let own = Dictionary(zip(names, values)) { first, _ in first }
    let parts = (["x''"] + table.parts.map { remade($0, old, changes) }).joined(separator: " || ")
    let anew = TableDesign.seal(
      "CAST(\(parts) AS BLOB)", sealed.sealed.map { own[$0] ?? "NULL" })
    names.append(TableDesign.digests)
    values.append(resealed(anew, old))
    let name = SQLName.quoted(table.name)
    try connection.run(
      "INSERT INTO \(draft) (\(TableDesign.list(names))) "
        + "SELECT \(values.joined(separator: ", ")) FROM \(name)")
    try connection.execute("DROP TABLE \(name)")
    // Views of the user's own over this table are left as they are.
    try connection.execute("PRAGMA legacy_alter_table = ON")
    try connection.execute("ALTER TABLE \(draft) RENAME TO \(name)")
    try connection.execute("PRAGMA legacy_alter_table = OFF")
    try connection.makeIndexes(of: table.name, table.indexes)
    messages += try additions.restore()
  }

  /// The part of the digests over the present columns. A row whose old one was wrong gets a wrong
  /// one again: rebuilding the table must not hide damage.
  private func remade(
    _ part: TableDesign.Part, _ old: OldTable, _ changes: [String: String]
  ) -> String {
    let anew = part.digest { name in
      changes[name] ?? (old.column(name) == nil ? "NULL" : SQLName.quoted(name))
    }
    let values = part.columns.filter { old.column($0) != nil && !old.key.contains($0) }
    let stored = old.parts.enumerated().filter { _, known in
      known.name == part.name || known.columns.contains { values.contains($0) }
    }
    let none = "zeroblob(\(TableDesign.partBytes))"
    if values.isEmpty, stored.isEmpty { return none }
    // Columns of no part are held by the seal alone.
    let sound =
      stored.isEmpty
      ? "1"
      : stored.map { index, known in
        "(NOT \(TableDesign.has(part: index)) OR \(Self.stored(index)) "
          + "= \(known.digest { SQLName.quoted($0) }))"
      }.joined(separator: " AND ")
    var filled = values.map { "\(SQLName.quoted($0)) IS NOT NULL" }
    // A part whose columns are all empty is there if the stream has filled it.
    filled += stored.filter { $0.element.name == part.name }.map {
      TableDesign.has(part: $0.offset)
    }
    return "CASE WHEN NOT (\(filled.joined(separator: " OR "))) THEN \(none) "
      + "WHEN \(sound) THEN \(anew) ELSE trawl_doubtful(\(anew)) END"
  }

  private static func stored(_ part: Int) -> String {
    "substr(\(TableDesign.digests), \(TableDesign.partBytes * (part + 1) + 1), \(TableDesign.partBytes))"
  }

  /// A wrong seal stays wrong.
  private func resealed(_ anew: String, _ old: OldTable) -> String {
    guard let seal = old.seal, old.column(TableDesign.digests) != nil else { return anew }
    let before = TableDesign.seal(
      "substr(\(TableDesign.digests), \(TableDesign.partBytes + 1))",
      seal.map { SQLName.quoted($0) })
    return "CASE WHEN \(TableDesign.digests) = \(before) "
      + "THEN \(anew) ELSE trawl_doubtful(\(anew)) END"
  }

  /// The file's description of itself in `trawl_tables` and `trawl_columns`.
  /// - Parameter isAnother: its rows are not those of before, so that earlier changes do not belong to them.
  private func record(
    _ table: TableDesign, _ volatile: [String], keeping kept: [TableDesign.Column],
    isAnew: Bool = false, isAnother: Bool = false
  ) throws {
    if isAnew { try connection.raiseGeneration(of: table.name, at: now) }
    var sealed = table
    sealed.kept = kept.map(\.name)
    let seal = TableDesign.Part(name: TableDesign.digests, columns: sealed.sealed)
    let number = try connection.integer(
      "SELECT max(number) + 1 FROM (SELECT max(table_number) AS number FROM trawl_tables "
        + "UNION ALL SELECT max(table_number) FROM trawl_changes)")
    try connection.put(
      Book.jobTables,
      [
        ("table_name", .text(table.name)), ("table_number", .integer(number ?? 1)),
        ("job", .text(design.job.name)),
        ("kind", .text(table.kind.rawValue)), ("key_columns", .text(table.key.jsonText)),
        ("searched", SQLValue(table.searched.isEmpty ? nil : table.searched.jsonText)),
        ("digests", .text(TableDesign.json(table.parts + [seal]))),
        ("volatile", SQLValue(volatile.isEmpty ? nil : volatile.jsonText)),
        ("forgotten", nil), ("forgotten_at", nil),
      ],
      changing: ["kind", "key_columns", "searched", "digests", "volatile"]
        + (isAnother ? ["table_number", "forgotten", "forgotten_at"] : []))
    let before = try connection.rows(
      "SELECT column_name, written_by, added_at, way, source FROM trawl_columns WHERE table_name = ?",
      [.text(table.name)]
    ) {
      (
        name: $0.text(0) ?? "", writers: $0.text(1) ?? "", addedAt: $0.text(2), way: $0.text(3),
        source: $0.text(4) ?? ""
      )
    }
    let finders = design.finders(of: table.name)
    try connection.delete(Book.columns, where: "table_name = ?", [.text(table.name)])
    for var column in table.columns + table.found + kept
    where !TableDesign.ownColumns.contains(where: { $0.name == column.name }) {
      let old = before.first { $0.name == column.name }
      // A column that was not written for a while counts as new.
      let isNew = !before.isEmpty && !column.writers.isEmpty && old?.writers.isEmpty != false
      // A column that is no longer written may be found again, but not one that only other streams wrote.
      if let old, column.comment.isEmpty {
        let isOfOthers = !old.writers.isEmpty && !finders.isEmpty
        column.comment = isOfOthers ? "\(old.writers): \(old.source)" : old.source
        column.way = isOfOthers ? nil : old.way.map(OldTable.names)
      }
      try connection.insert(
        Book.columns,
        column.row(of: table.name, addedAt: isNew ? now.description : old?.addedAt))
    }
  }
}
