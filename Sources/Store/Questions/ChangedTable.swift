internal import Base

/// A table of records, or of their memberships in lists, as the file describes it.
struct ChangedTable {
  let table: StoredTable
  /// Before this limit it is unknown what its records held.
  let forgotten: HistoryLimit?
  /// For records without a title and with numbers as keys: the column that names them.
  let nameColumn: String?
  /// For a list: the table of its records, and the columns that link them; nil: unknown.
  let records: Records?
  /// For a list: its columns that name a record to which it belongs.
  let owners: [(column: String, table: StoredTable)]
  private let connection: Connection

  struct Records {
    var table: StoredTable
    /// The list's columns, and for each of them the records' one.
    var own: [String]
    var theirs: [String]

    /// Condition that a row of the list names a row of the records.
    func areSame(_ list: String, _ record: String) -> String {
      TableDesign.same(own, of: list, theirs, of: record)
    }
  }

  static func all(
    of job: String, _ links: TableLinks, _ connection: Connection
  ) throws -> [ChangedTable] {
    let tables = try StoredTable.all(connection, where: "job = ?", [.text(job)])
    // Lists after the records that are in them.
    let rows = tables.filter { $0.kind != "list" } + tables.filter { $0.kind == "list" }
    var items: [String: StoredTable] = [:]
    for row in rows where row.kind == "records" { items[row.name] = row }
    return try rows.compactMap { row in
      switch row.kind {
      case "records":
        return ChangedTable(
          table: row, forgotten: try HistoryLimit.of(row.number, connection),
          nameColumn: try nameColumn(row, connection), records: nil, owners: [],
          connection: connection)
      case "list":
        // As the table itself declares it, else as the job says.
        let known = (links[row.name] ?? []).filter { items[$0.table] != nil }
        let declared = try connection.references(of: row.name).first
        let link = declared.flatMap { items[$0.table] == nil ? nil : $0 } ?? known.first
        let members = link.flatMap { link in
          items[link.table].map { Records(table: $0, own: link.columns, theirs: link.to) }
        }
        let owners = known.compactMap { link -> (column: String, table: StoredTable)? in
          guard link.columns.count == 1, let parent = items[link.table],
            members?.own.contains(link.columns[0]) != true
          else { return nil }
          return (link.columns[0], parent)
        }
        return ChangedTable(
          table: row, forgotten: nil,
          nameColumn: try members.flatMap { try nameColumn($0.table, connection) },
          records: members, owners: owners, connection: connection)
      default: return nil
      }
    }
  }

  /// A rank or an API number says nothing to people: the first text column is used instead.
  private static func nameColumn(
    _ table: StoredTable, _ connection: Connection
  ) throws(SQLiteError) -> String? {
    if table.item != nil { return nil }
    let columns = try connection.rows(
      "SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid", [.text(table.name)]
    ) { (name: $0.text(0) ?? "", type: $0.text(1) ?? "", isKey: $0.boolean(2)) }
    if columns.contains(where: { $0.isKey && $0.type != "INTEGER" }) { return nil }
    return columns.first {
      !$0.isKey && $0.type == "TEXT" && CanonicalRow.isOfJob($0.name)
    }?.name
  }

  private var key: [String] { table.key }
  var isList: Bool { table.kind == "list" }
  private var quoted: String { SQLName.quoted(table.name) }

  /// Since when changes are wanted.
  struct Start {
    var instant: Instant
    /// The first change that counts; nil: the rows' dates decide.
    var change: Int64?
    /// By table, what the runs since then have counted.
    var counts = RunCounts()
    /// Tables that were rebuilt or lost rows since: the runs' counts and row numbers no longer hold for them.
    var rebuilt: Set<String> = []
    /// How many of the last rows are searched for new ones; nil: all.
    var lastRows: Int?

    /// The instant as SQL.
    var at: String { SQLName.literal(instant.description) }
  }

  /// The condition by change numbers that preselects rows `r` of a kind.
  private func isCandidate(
    _ kind: RecordChange.Kind, _ row: String, _ start: Start
  ) -> String {
    guard let change = firstChange(start) else { return "1" }
    if isList { return "\(row).\(TableDesign.change) >= \(change)" }
    if kind == .new {
      guard let first = firstRow(of: table, start) else { return "0" }
      let last = start.lastRows.map {
        // cut: if the last rows lack some of the new ones, all are searched
        "(SELECT rowid FROM \(quoted) ORDER BY rowid DESC LIMIT 1 OFFSET \($0 - 1))"
      }
      return "\(row).rowid >= max(\(first), ifnull(\(last ?? "NULL"), \(first)))"
    }
    return
      "\(row).rowid IN (SELECT x.rowid FROM (SELECT DISTINCT record_key AS k FROM trawl_changes "
      + "WHERE change >= \(change) AND +table_number = \(table.number)) c "
      + "JOIN \(quoted) x ON \(isRecord("x", by: "c.k")))"
  }

  /// The changes of a record `r` that count.
  private func changes(of recordKey: String, _ start: Start) -> String {
    "trawl_changes c WHERE c.table_number = \(table.number) AND c.record_key = \(recordKey) AND "
      + (start.change.map { "c.change >= \($0)" }
        ?? "c.at >= CAST(strftime('%s', \(start.at)) AS INTEGER)")
  }

  /// The condition for a row `r` of a kind.
  private func condition(_ kind: RecordChange.Kind, _ row: String, _ start: Start) -> String {
    let isNew = isNew(row, of: table, start)
    let isChanged = "ifnull(\(row).changed_at >= \(start.at), 0)"
    let isThere = "\(row).vanished_at IS NULL AND NOT \(isNew)"
    func has(_ condition: String) -> String {
      "EXISTS (SELECT 1 FROM \(changes(of: ViewDesign.keyText(key, of: row), start)) AND \(condition))"
    }
    let holds: String
    switch kind {
    case .new: holds = "\(row).vanished_at IS NULL AND \(isNew)\(isNotByItsRecord(row, start))"
    case .changed: holds = isList ? "0" : "\(isThere) AND \(isChanged)"
    case .gone: holds = "\(row).vanished_at >= \(start.at)"
    case .moving, .back:
      let isBack = has("c.kind = \(SQLName.literal(ChangeKind.back.rawValue))")
      let logged = kind == .back ? isBack : "NOT \(isBack) AND \(has("c.kind IS NULL"))"
      holds = isList ? "0" : "\(isThere) AND NOT \(isChanged) AND \(logged)"
    }
    return "\(isCandidate(kind, row, start)) AND \(holds)"
  }

  /// No new row has a smaller number, unless its table was rebuilt, which numbers all rows anew; nil: none is new.
  private func firstRow(of table: StoredTable, _ start: Start) -> Int64? {
    let first = start.counts.tables[table.name]?.firstRow
    return start.rebuilt.contains(table.name) ? first.map { _ in Int64.min } : first
  }

  /// Two runs may share a second: of the rows dated in it, new ones are those that the later run wrote, from its first
  /// new row on.
  private func isNew(_ row: String, of table: StoredTable, _ start: Start) -> String {
    let isDated = "\(row).first_seen_at >= \(start.at)"
    guard let change = firstChange(start), table.kind != "list" else { return isDated }
    return firstRow(of: table, start).map { first in
      "(\(isDated) AND \(row).\(TableDesign.change) >= \(change) AND \(row).rowid >= \(first))"
    } ?? "0"
  }

  /// Leaves out a new record's entries in lists: the record itself is reported as new.
  private func isNotByItsRecord(_ row: String, _ start: Start) -> String {
    guard isList, let records else { return "" }
    return " AND NOT EXISTS (SELECT 1 FROM \(SQLName.quoted(records.table.name)) n WHERE "
      + "\(records.areSame(row, "n")) AND \(isNew("n", of: records.table, start)))"
  }

  /// The instant by which rows of a kind are ordered.
  private func instant(_ kind: RecordChange.Kind, _ row: String) -> String {
    switch kind {
    case .new, .moving, .back: "\(row).first_seen_at"
    case .changed: "\(row).changed_at"
    case .gone: "\(row).vanished_at"
    }
  }

  func changes(
    _ start: Start, _ most: Int, _ withMoving: Bool
  ) throws(SQLiteError) -> TableChanges {
    var found = TableChanges(table: table.name)
    found.isOfLists = isList
    if let forgotten, start.instant <= forgotten.at { found.knownSince = forgotten.at }
    if !isList {
      found.isFirst = try !connection.has("\(quoted) r WHERE NOT \(isNew("r", of: table, start))")
    }
    for kind in RecordChange.Kind.allCases where kind != .moving || withMoving {
      let count = try count(kind, start)
      switch kind {
      case .new: found.new = count
      case .changed: found.changed = count
      case .moving: found.moving = count
      case .gone: found.gone = count
      case .back: found.back = count
      }
      guard count > 0 else { continue }
      // The newest are the last rows, unless numbers of the API are keys: then they may be anywhere.
      var near = start
      near.lastRows = max(Self.lastRows, most)
      var newest = try some(kind, near, most)
      if kind == .new, !isList, newest.count < min(count, most) {
        newest = try some(kind, start, most)
      }
      found.records += newest
    }
    return found
  }

  private func count(_ kind: RecordChange.Kind, _ start: Start) throws(SQLiteError) -> Int {
    // The runs' own counts save reading a table of millions again after its first load, unless it was rebuilt or lost
    // rows since.
    if kind == .new, !isList, firstChange(start) != nil, !start.rebuilt.contains(table.name),
      let counts = start.counts.tables[table.name], counts.gone + counts.back == 0
    {
      return counts.new
    }
    return try connection.count(of: "\(quoted) r WHERE \(condition(kind, "r", start))")
  }

  /// Nil: the rows' dates decide.
  private func firstChange(_ start: Start) -> Int64? {
    start.change.flatMap { $0 > forgotten?.change ?? 0 ? $0 : nil }
  }

  private static let lastRows = 10_000

  private func some(
    _ kind: RecordChange.Kind, _ start: Start, _ most: Int
  ) throws(SQLiteError) -> [RecordChange] {
    let row = records == nil ? "t" : "l"
    let own = records.map { link in key.filter { !link.own.contains($0) } }
    let list = own.map { names in names.map(ownerText).joined(separator: " || ', ' || ") }
    let called = nameColumn.map { "CAST(t.\(SQLName.quoted($0)) AS TEXT)" } ?? "NULL"
    let owner = list.flatMap { $0.isEmpty ? nil : $0 } ?? "NULL"
    let more = "\(instant(kind, row)) AS at, \(owner), \(called)"
    let shown = records?.table ?? table
    var sql = ViewDesign.itemQuery(
      shown.item, table: shown.name, key: shown.key, adding: more)
    if let records {
      sql += " JOIN \(quoted) l ON \(records.areSame("l", "t"))"
    }
    sql += " WHERE \(condition(kind, row, start)) "
    // cut: the counts beside them are complete
    sql += "ORDER BY at DESC, \(isList ? "record_key" : "t.rowid") LIMIT ?"
    let rows = try connection.rows(sql, [SQLValue(most)]) { row in
      // The instant, the list, the name, six roles, the source, the table and the key.
      RecordChange(
        kind: kind, key: row.text(11) ?? "", title: row.text(3) ?? row.text(2), link: row.text(5),
        imagePath: row.text(7), list: row.text(1))
    }
    if records != nil, rows.count < most {
      return try rows + unknown(kind, start, most - rows.count, list)
    }
    guard kind != .new, kind != .gone else { return rows }
    var told: [RecordChange] = []
    for var one in rows {
      one.columns = try columns(of: one.key, start)
      told.append(one)
    }
    return told
  }

  /// The owner of a list as text: the title of that record, if it is one.
  private func ownerText(_ column: String) -> String {
    let value = "l.\(SQLName.quoted(column))"
    guard let owner = owners.first(where: { $0.column == column })?.table, owner.key.count == 1
    else { return "CAST(\(value) AS TEXT)" }
    let record = ViewDesign.itemQuery(
      owner.item, table: owner.name, key: owner.key, adding: "1 AS one")
    return "coalesce((SELECT o.title FROM (\(record) WHERE t.\(SQLName.quoted(owner.key[0])) = "
      + "\(value)) o), CAST(\(value) AS TEXT))"
  }

  /// Members of a list whose records are not stored.
  private func unknown(
    _ kind: RecordChange.Kind, _ start: Start, _ most: Int, _ list: String?
  ) throws(SQLiteError) -> [RecordChange] {
    guard let records else { return [] }
    let key = ViewDesign.keyText(records.own, of: "l")
    return try connection.rows(
      "SELECT \(instant(kind, "l")) AS at, \(list.flatMap { $0.isEmpty ? nil : $0 } ?? "NULL"), "
        + "\(key) FROM \(quoted) l WHERE \(condition(kind, "l", start)) AND NOT EXISTS (SELECT 1 "
        + "FROM \(SQLName.quoted(records.table.name)) t WHERE \(records.areSame("l", "t"))) "
        // cut: the counts beside them are whole
        + "ORDER BY at DESC, 3 LIMIT ?", [SQLValue(most)]
    ) { row in
      RecordChange(
        kind: kind, key: row.text(2) ?? "", title: nil, link: nil, imagePath: nil,
        list: row.text(1))
    }
  }

  /// The condition for a record's row, by its key as text.
  private func isRecord(_ row: String, by text: String) -> String {
    key.indices.map { index in
      let value = key.count == 1 ? text : "json_extract(\(text), '$[\(index)]')"
      return "\(row).\(SQLName.quoted(key[index])) = \(value)"
    }.joined(separator: " AND ")
  }

  /// Columns with the value that they had at the beginning, and the present one.
  private func columns(of recordKey: String, _ start: Start) throws(SQLiteError) -> [ColumnChange] {
    let olds = try connection.rows(
      "SELECT e.key, CAST(e.value AS TEXT) FROM (SELECT c.change, c.old FROM "
        + changes(of: "?", start) + ") c, json_each(c.old) e ORDER BY c.change", [.text(recordKey)]
    ) { (name: $0.text(0) ?? "", value: $0.text(1)) }
    // A column that the job no longer fills may be gone from the table.
    let known = try connection.columns(of: table.name)
    var changes: [ColumnChange] = []
    var seen: Set<String> = []
    for old in olds where known.contains(old.name) && seen.insert(old.name).inserted {
      let new = try connection.text(
        "SELECT CAST(\(SQLName.quoted(old.name)) AS TEXT) FROM \(quoted) r WHERE "
          + isRecord("r", by: "?1"), [.text(recordKey)])
      if SQLValue(new) != SQLValue(old.value) {
        changes.append(ColumnChange(name: old.name, old: old.value, new: new))
      }
    }
    return changes.sorted { $0.name < $1.name }
  }
}
