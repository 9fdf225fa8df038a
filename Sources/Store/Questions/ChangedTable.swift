internal import Base

/// A table of records, or of their places in lists, as the file describes it.
struct ChangedTable {
  let name: String
  let key: [String]
  /// The records' part of `items`.
  let item: String?
  /// The rows in which earlier values of volatile columns are.
  let history: String?
  let isList: Bool
  /// Of a list: whose records stand in it, and by which columns; nil where that is not known.
  let records: Records?
  /// Of a list: whose it is, where that is a record.
  let owners: [Owner]

  /// A column of a list that names a record.
  struct Owner {
    var column: String
    var table: String
    var key: [String]
    var item: String?
  }

  struct Records {
    var table: String
    var key: [String]
    /// Pairs of the list's column and the records' one.
    var columns: [(own: String, theirs: String)]

    init(table: String, key: [String], columns: [(own: String, theirs: String)]) {
      self.table = table
      self.key = key
      self.columns = columns
    }

    init(_ link: TableLink, _ key: [String]) {
      self.init(
        table: link.parent, key: key, columns: Array(zip(link.columns, link.parentKey)))
    }
  }

  static func all(
    of job: String, _ links: [TableLink], _ connection: Connection
  ) throws -> [ChangedTable] {
    let rows = try connection.rows(
      "SELECT table_name, kind, key_columns, item_sql FROM trawl_tables WHERE job = ? "
        + "ORDER BY kind = 'list', table_name", [.text(job)]
    ) {
      (
        name: $0.text(0) ?? "", kind: $0.text(1) ?? "",
        key: OldTable.names($0.text(2) ?? "[]"), item: $0.text(3)
      )
    }
    let names = Set(rows.map(\.name))
    var items: [String: (key: [String], item: String?)] = [:]
    for row in rows where row.kind == "records" { items[row.name] = (row.key, row.item) }
    return try rows.compactMap { row in
      switch row.kind {
      case "records":
        let history = row.name + HistoryDesign.rowsEnd
        return ChangedTable(
          name: row.name, key: row.key, item: row.item,
          history: names.contains(history) ? history : nil, isList: false,
          records: nil, owners: [])
      case "list":
        let known = links.filter { $0.table == row.name && items[$0.parent] != nil }
        let declared = try declared(row.name, items.mapValues(\.key), connection)
        let members =
          declared
          ?? known.first.flatMap { link in
            Records(link, items[link.parent]?.key ?? [])
          }
        let owners = known.compactMap { link -> Owner? in
          guard link.columns.count == 1, let parent = items[link.parent],
            members?.columns.contains(where: { $0.own == link.columns[0] }) != true
          else { return nil }
          return Owner(
            column: link.columns[0], table: link.parent, key: parent.key, item: parent.item)
        }
        return ChangedTable(
          name: row.name, key: row.key, item: members.flatMap { items[$0.table]?.item },
          history: nil, isList: true, records: members, owners: owners)
      default: return nil
      }
    }
  }

  /// Whose records stand in a list, as the table itself declares it.
  private static func declared(
    _ name: String, _ keys: [String: [String]], _ connection: Connection
  ) throws(SQLiteError) -> Records? {
    let links = try connection.rows(
      "SELECT \"table\", \"from\", \"to\", id FROM pragma_foreign_key_list(?) ORDER BY id, seq",
      [.text(name)]
    ) { (table: $0.text(0) ?? "", own: $0.text(1) ?? "", theirs: $0.text(2), id: $0.int(3)) }
    guard let first = links.first, let key = keys[first.table] else { return nil }
    let columns = links.filter { $0.id == first.id }
    return Records(
      table: first.table, key: key,
      columns: columns.enumerated().map { ($1.own, $1.theirs ?? key[$0]) })
  }

  private var quoted: String { SQLName.quoted(name) }

  /// Which of its rows this run wrote; nil: nobody knows. Rows of lists have no number.
  func touched(_ connection: Connection) -> TouchedRows? {
    isList ? nil : connection.changes.noted(in: name)
  }

  /// Rows by their numbers, where the parameter lists them as JSON; else all of them.
  private func isAmong(_ isListed: Bool, _ row: String, _ parameter: String) -> String {
    !isListed ? "1" : "\(row).rowid IN (SELECT value FROM json_each(\(parameter)))"
  }

  /// What holds of a row `r` of a kind; `?1` is the instant.
  private func condition(_ kind: RecordChange.Kind, _ row: String) -> String {
    let isNew = "\(row).first_seen_at >= ?1"
    let isChanged = "ifnull(\(row).changed_at >= ?1, 0)"
    switch kind {
    case .new: return "\(row).vanished_at IS NULL AND \(isNew)"
    case .changed:
      return !isList ? "\(row).vanished_at IS NULL AND NOT \(isNew) AND \(isChanged)" : "0"
    case .gone: return "\(row).vanished_at >= ?1"
    case .moving:
      guard let history else { return "0" }
      let same = key.map { "h.\(SQLName.quoted($0)) = \(row).\(SQLName.quoted($0))" }
      return "\(row).vanished_at IS NULL AND NOT \(isNew) AND NOT \(isChanged) AND EXISTS "
        + "(SELECT 1 FROM \(SQLName.quoted(history)) h WHERE \(same.joined(separator: " AND ")) "
        + "AND h.at >= \(HistoryDesign.seconds("?1")))"
    }
  }

  /// What orders rows of a kind.
  private func instant(_ kind: RecordChange.Kind, _ row: String) -> String {
    switch kind {
    case .new: "\(row).first_seen_at"
    case .changed: "\(row).changed_at"
    case .gone: "\(row).vanished_at"
    case .moving: "\(row).first_seen_at"
    }
  }

  func changes(
    _ since: String, _ most: Int, _ withMoving: Bool, _ touched: TouchedRows?,
    _ connection: Connection
  ) throws(SQLiteError) -> TableChanges {
    let all = touched?.all.map { "\($0.sorted())" }
    var found = TableChanges(table: name)
    if all == nil, let touched, let inserted = touched.inserted {
      found = try counts(since, withMoving, "\(touched.updated.sorted())", connection)
      // Of those that were inserted and updated, what was counted says how they are now.
      found.new += inserted - (try insertedAndUpdated(since, touched, connection))
    } else {
      found = try counts(since, withMoving, all, connection)
    }
    for kind in RecordChange.Kind.allCases where found.count(kind) > 0 {
      found.records += try some(kind, since, most, touched, found.count(kind), connection)
    }
    return found
  }

  /// - Parameter rows: only these; nil: all of the table.
  private func counts(
    _ since: String, _ withMoving: Bool, _ rows: String?, _ connection: Connection
  ) throws(SQLiteError) -> TableChanges {
    let kinds = RecordChange.Kind.allCases.filter { $0 != .moving || withMoving }
    let counts = kinds.map { "count(*) FILTER (WHERE \(condition($0, "r")))" }
    let sums = try connection.row(
      "SELECT \(counts.joined(separator: ", ")) FROM \(quoted) r WHERE \(isAmong(rows != nil, "r", "?2"))",
      [.text(since)] + (rows.map { [.text($0)] } ?? [])
    ) { row in kinds.indices.map { row.int($0) } }
    var found = TableChanges(table: name)
    for (kind, count) in zip(kinds, sums ?? []) {
      switch kind {
      case .new: found.new = count
      case .changed: found.changed = count
      case .moving: found.moving = count
      case .gone: found.gone = count
      }
    }
    return found
  }

  private func insertedAndUpdated(
    _ since: String, _ touched: TouchedRows, _ connection: Connection
  ) throws(SQLiteError) -> Int {
    Int(
      try connection.integer(
        "SELECT count(*) FROM \(quoted) r WHERE r.first_seen_at >= ?1 AND \(isAmong(true, "r", "?2"))",
        [.text(since), .text("\(touched.updated.sorted())")]) ?? 0)
  }

  /// Some rows of a kind of which there are so many.
  private func some(
    _ kind: RecordChange.Kind, _ since: String, _ most: Int, _ touched: TouchedRows?, _ count: Int,
    _ connection: Connection
  ) throws(SQLiteError) -> [RecordChange] {
    if touched?.all == nil, let touched, touched.inserted != nil {
      let rows = kind == .new ? touched.latest : touched.updated.sorted()
      let found = try some(kind, since, most, "\(rows)", connection)
      if found.count == min(most, count) { return found }
    }
    return try some(kind, since, most, touched?.all.map { "\($0.sorted())" }, connection)
  }

  private func some(
    _ kind: RecordChange.Kind, _ since: String, _ most: Int, _ among: String?,
    _ connection: Connection
  ) throws(SQLiteError) -> [RecordChange] {
    let row = records == nil ? "t" : "l"
    let own = records.map { link in key.filter { name in !link.columns.contains { $0.own == name } }
    }
    let list = own.map { names in names.map(ownerText).joined(separator: " || ', ' || ") }
    let more = "\(instant(kind, row)) AS at, \(list.flatMap { $0.isEmpty ? nil : $0 } ?? "NULL")"
    var sql = ViewDesign.itemQuery(
      item, table: records?.table ?? name, key: records?.key ?? key, adding: more)
    if let records {
      let same = records.columns.map {
        "l.\(SQLName.quoted($0.own)) = t.\(SQLName.quoted($0.theirs))"
      }
      sql += " JOIN \(quoted) l ON \(same.joined(separator: " AND "))"
    }
    sql += " WHERE \(condition(kind, row)) AND \(isAmong(among != nil, row, "?3")) "
    // cut: the counts beside them are whole
    sql += "ORDER BY at DESC, \(isList ? "record_key" : "t.rowid") LIMIT ?2"
    let values = [.text(since), SQLValue(most)] + (among.map { [.text($0)] } ?? [])
    let rows = try connection.rows(sql, values) { row in
      // The instant, the list, six roles, the source, the table and the key.
      RecordChange(
        kind: kind, key: row.text(10) ?? "", title: row.text(2), link: row.text(4),
        imagePath: row.text(6), list: row.text(1),
        at: row.text(0).flatMap { Instant(stored: $0) } ?? Instant(seconds: 0))
    }
    if records != nil, rows.count < most {
      return try rows + unknown(kind, since, most - rows.count, list, connection)
    }
    guard kind == .changed || kind == .moving else { return rows }
    var told: [RecordChange] = []
    for var one in rows {
      if kind == .changed { one.columns = try earlier(of: one.key, since, connection) }
      if let history { one.columns += try columns(of: one.key, in: history, since, connection) }
      told.append(one)
    }
    return told
  }

  /// Whose list it is: the title of that record, where it is one.
  private func ownerText(_ column: String) -> String {
    let value = "l.\(SQLName.quoted(column))"
    guard let owner = owners.first(where: { $0.column == column }), owner.key.count == 1 else {
      return "CAST(\(value) AS TEXT)"
    }
    let record = ViewDesign.itemQuery(
      owner.item, table: owner.table, key: owner.key, adding: "1 AS one")
    return "coalesce((SELECT o.title FROM (\(record) WHERE t.\(SQLName.quoted(owner.key[0])) = "
      + "\(value)) o), CAST(\(value) AS TEXT))"
  }

  /// Members of a list whose records are not stored.
  private func unknown(
    _ kind: RecordChange.Kind, _ since: String, _ most: Int, _ list: String?,
    _ connection: Connection
  ) throws(SQLiteError) -> [RecordChange] {
    guard let records else { return [] }
    let same = records.columns.map {
      "l.\(SQLName.quoted($0.own)) = t.\(SQLName.quoted($0.theirs))"
    }
    let own = records.columns.map { "l.\(SQLName.quoted($0.own))" }
    let key =
      own.count == 1 ? "CAST(\(own[0]) AS TEXT)" : "json_array(\(own.joined(separator: ", ")))"
    return try connection.rows(
      "SELECT \(instant(kind, "l")) AS at, \(list.flatMap { $0.isEmpty ? nil : $0 } ?? "NULL"), "
        + "\(key) FROM \(quoted) l WHERE \(condition(kind, "l")) AND NOT EXISTS (SELECT 1 FROM "
        + "\(SQLName.quoted(records.table)) t WHERE \(same.joined(separator: " AND "))) "
        // cut: the counts beside them are whole
        + "ORDER BY at DESC, 3 LIMIT ?2", [.text(since), SQLValue(most)]
    ) { row in
      RecordChange(
        kind: kind, key: row.text(2) ?? "", title: nil, link: nil, imagePath: nil,
        list: row.text(1), at: row.text(0).flatMap { Instant(stored: $0) } ?? Instant(seconds: 0))
    }
  }

  /// The row of a record, by its key as people write it.
  private var isRecord: String {
    key.indices.map { index in
      let value = key.count == 1 ? "?1" : "json_extract(?1, '$[\(index)]')"
      return "\(SQLName.quoted(key[index])) = \(value)"
    }.joined(separator: " AND ")
  }

  /// Columns with the value that they had at the beginning, and the one they have now. What changed so
  /// often since that its first value is not kept is left out.
  private func earlier(
    of recordKey: String, _ since: String, _ connection: Connection
  ) throws(SQLiteError) -> [ColumnChange] {
    // Beside min() SQLite takes the other columns from the row that has it.
    let olds = try connection.rows(
      "SELECT column_name, CAST(value AS TEXT), min(at) FROM trawl_earlier WHERE table_name = ?1 "
        + "AND record_key = ?2 AND at >= ?3 GROUP BY column_name "
        + "HAVING count(*) < \(EarlierValues.most) ORDER BY column_name",
      [.text(name), .text(recordKey), .text(since)]
    ) { (name: $0.text(0) ?? "", value: $0.text(1)) }
    // One that the job fills no more may be gone from the table.
    let known = try connection.columns(of: name)
    var changes: [ColumnChange] = []
    for old in olds where known.contains(old.name) {
      let new = try connection.text(
        "SELECT CAST(\(SQLName.quoted(old.name)) AS TEXT) FROM \(quoted) WHERE \(isRecord)",
        [.text(recordKey)])
      if new != old.value { changes.append(ColumnChange(name: old.name, old: old.value, new: new)) }
    }
    return changes
  }

  /// Volatile columns with the value that they had before, and the one they have now.
  private func columns(
    of recordKey: String, in history: String, _ since: String, _ connection: Connection
  ) throws(SQLiteError) -> [ColumnChange] {
    let view = HistoryDesign.view(ofRows: history)
    // Beside max() SQLite takes the other columns from the row that has it.
    func last(_ condition: String) throws(SQLiteError) -> [(name: String, value: String?)] {
      try connection.rows(
        "SELECT column_name, CAST(value AS TEXT), max(at) FROM \(SQLName.quoted(view)) "
          + "WHERE \(isRecord) AND \(condition) GROUP BY column_name",
        [.text(recordKey), .text(since)]
      ) { ($0.text(0) ?? "", $0.text(1)) }
    }
    let before = Dictionary(try last("at < ?2").map { ($0.name, $0.value) }) { one, _ in one }
    return try last("at >= ?2").compactMap { column in
      guard let old = before[column.name] else { return nil }
      return ColumnChange(name: column.name, old: old, new: column.value)
    }
  }
}
