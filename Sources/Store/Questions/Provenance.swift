public import Base

/// Where a record and its values come from; for a missing one, what happened to it.
public struct Provenance: Sendable {
  public var table: String
  public var job: String
  /// As text.
  public var key: String
  public var isThere = false
  /// It is not as Trawl stored it.
  public var isAltered = false
  public var firstSeenAt: String?
  public var vanishedAt: String?
  /// When a person, or the job's `retain`, removed it; nil: neither did.
  public var forgottenAt: Instant?
  /// A run that finds it again stores it.
  public var mayReturn = false
  /// Of the table, in the same snapshot.
  public fileprivate(set) var trust = ReadTrust(lists: [])
  /// The table's columns that the job fills.
  public var columnNames: [String] = []
  /// `columns`: each value with its source, and since when and by which run it holds. `earlier`:
  /// earlier values. `answers`: for each list the newest stored one that holds the record. `lists`,
  /// `rejects`, `misses`.
  public fileprivate(set) var parts: [(name: String, rows: [NamedRow])] = []

  public func rows(of part: String) -> [NamedRow] {
    parts.first { $0.name == part }?.rows ?? []
  }

  /// One value of each row, as text.
  public func texts(_ column: String, of part: String) -> [String] {
    rows(of: part).compactMap { row in row.first { $0.name == column }?.value.text }
  }

  /// Why the record itself did not fit; nil: no problem is known.
  public var rejection: String? {
    zip(texts("column", of: "rejects"), texts("reason", of: "rejects")).first { $0.0.isEmpty }?.1
  }

  /// An answer has it, it fits, and yet it has no row: the job's own rule left it out.
  public var isDropped: Bool {
    !isThere && rejection == nil && forgottenAt == nil && !rows(of: "answers").isEmpty
  }
}

extension RecordStore {
  /// - Parameter column: nil: all of them.
  public func provenance(
    of table: KeyedTable, key: [SQLValue], column: String?
  ) throws(StoreError) -> Provenance {
    try snapshot {
      try ProvenanceQuestion(
        table: table, key: key, name: KeyName(key, connection), connection: connection
      ).answer(column)
    }
  }
}

/// A question about one record.
private struct ProvenanceQuestion {
  let table: KeyedTable
  let key: [SQLValue]
  let name: KeyName
  let connection: Connection

  func answer(_ column: String?) throws -> Provenance {
    var found = Provenance(table: table.name, job: table.job, key: name.text)
    let row = try rows(of: table.name, named: table.key.map(\.name)).first
    found.isThere = row != nil
    found.isAltered = try row != nil && isAltered()
    found.firstSeenAt = row?["first_seen_at"]?.text
    found.vanishedAt = row?["vanished_at"]?.text
    found.columnNames = try connection.columns(of: table.name).filter(CanonicalRow.isOfJob)
    found.trust = try ReadTrust.of([table.name.lowercased()], connection)
    let stones = try Tombstone.all(of: table.job, connection)
    if row == nil,
      let stone = stones.first(where: { $0.table == table.name && $0.digest == name.digest })
    {
      (found.forgottenAt, found.mayReturn) = (stone.at, stone.mayReturn)
    }
    found.parts = [
      ("columns", try row.map { try columns(of: $0, column) } ?? []),
      ("earlier", try earlier(column)), ("answers", try answers(column)),
      ("lists", try lists(row)), ("rejects", try rejects(column)), ("misses", try misses()),
    ]
    return found
  }

  private func isAltered() throws(SQLiteError) -> Bool {
    let digests = try OldTable.parts(of: table.name, connection)
    let columns = try connection.columns(of: table.name)
    let needed = digests.flatMap(\.columns) + [TableDesign.digests]
    guard needed.allSatisfy(columns.contains) else { return true }
    let names = table.key.map(\.name)
    let check = RowCheck("trawl_why", digests, key: names, lists: [], isMarked: false)
    try check.define(on: connection)
    return try connection.has(
      "\(SQLName.quoted(table.name)) t WHERE \(TableDesign.isThis(names)) AND \(check.damage)", key)
  }

  private func rows(
    of table: String, named key: [String]
  ) throws(SQLiteError) -> [[String: SQLValue]] {
    let same = TableDesign.isThis(key)
    return try connection.named("SELECT * FROM \(SQLName.quoted(table)) WHERE \(same)", self.key)
      .map { row in Dictionary(row.map { ($0.name, $0.value) }) { one, _ in one } }
  }

  /// The run that wrote a change; if unknown, the one that was active then.
  private func run(at: String, change: String = "NULL") -> String {
    let ofJob = "SELECT r.name FROM trawl_runs r WHERE r.job = \(SQLName.literal(table.job)) AND "
    return "coalesce((\(ofJob)\(change) BETWEEN r.first_change AND r.last_change), "
      + "(\(ofJob)r.began_at <= \(at) AND ifnull(r.ended_at, \(at)) >= \(at) "
      + "ORDER BY r.run DESC LIMIT 1))"
  }

  // MARK: Values

  /// Each column whose value a change has replaced.
  private var changes: String {
    "SELECT h.change, \(HistoryView.time("h.at")) AS at, e.key AS name, e.value FROM trawl_tables t JOIN trawl_changes h USING (table_number), json_each(h.old) e "
      + "WHERE t.table_name = ?1 AND h.record_key = ?2 AND (?3 IS NULL OR e.key = ?3)"
  }

  private func earlier(_ column: String?) throws(SQLiteError) -> [NamedRow] {
    try connection.named(
      "SELECT name AS \"column\", value, at AS until, \(run(at: "at", change: "change")) AS run "
        // cut: the newest; trawl_changes has all
        + "FROM (\(changes)) ORDER BY change DESC LIMIT 100",
      [.text(table.name), .text(name.text), SQLValue(column)])
  }

  /// For a record from before the last forgotten change it is unknown since when.
  private func columns(
    of row: [String: SQLValue], _ column: String?
  ) throws(SQLiteError) -> [NamedRow] {
    let since =
      "coalesce(m.at, iif(?4 <= ifnull((SELECT \(HistoryView.time("forgotten_at")) "
      + "FROM trawl_tables WHERE table_name = ?1), ''), NULL, ?4))"
    let rows = try connection.named(
      "SELECT c.column_name AS \"column\", NULL AS value, c.source, c.written_by AS streams, "
        + "\(since) AS since, \(run(at: since, change: "m.change")) AS run FROM trawl_columns c "
        + "JOIN pragma_table_info(c.table_name) i ON i.name = c.column_name LEFT JOIN "
        + "(SELECT name, at, max(change) AS change FROM (\(changes)) GROUP BY name) m ON m.name = i.name "
        + "WHERE c.table_name = ?1 AND (?3 IS NULL OR i.name = ?3) ORDER BY i.cid",
      [
        .text(table.name), .text(name.text), SQLValue(column), row["first_seen_at"] ?? .null,
      ])
    return rows.compactMap { found in
      var found = found
      guard let name = found[0].value.text, CanonicalRow.isOfJob(name) else { return nil }
      found[1].value = row[name] ?? .null
      return found
    }
  }

  // MARK: Answers and lists

  /// Answers of the streams that write the column; pages that no later walk has replaced.
  private func answers(_ column: String?) throws(SQLiteError) -> [NamedRow] {
    try connection.named(
      "SELECT list, stream, page, place, address, status, read_at, run FROM (SELECT l.list, l.stream, "
        + "p.ordinal AS page, (instr(p.keys, ?2) + 7) / 8 AS place, p.address, p.status, "
        + "p.committed_at AS read_at, (SELECT name FROM trawl_runs r WHERE r.run = p.run) AS run, p.page AS number, "
        + "row_number() OVER (PARTITION BY l.list_number ORDER BY p.page DESC) AS nth "
        + "FROM trawl_lists l JOIN trawl_windows w USING (list_number) JOIN trawl_pages p USING (window) "
        + "WHERE l.table_name = ?1 AND p.trouble IS NULL AND p.\(StoredPages.ofTheList) "
        // Digests have eight bytes each.
        + "AND instr(p.keys, ?2) % 8 = 1 AND (?3 IS NULL OR EXISTS (SELECT 1 FROM trawl_columns c "
        + "WHERE c.table_name = ?1 AND c.column_name = ?3 "
        + "AND instr(' ' || c.written_by || ' ', ' ' || l.stream || ' ')))) WHERE nth = 1 "
        // cut: the newest of each list, for a limited number of lists
        + "ORDER BY number DESC LIMIT 20",
      [.text(table.name), .blob(KeyBlob.bytes([name.digest])), SQLValue(column)])
  }

  /// Lists that have the record first, then the worst.
  private func lists(_ row: [String: SQLValue]?) throws -> [NamedRow] {
    let own = [table.name] + table.key.map(\.name)
    var members: [[String]: [[String: SQLValue]]] = [own: row.map { [$0] } ?? []]
    var found: [(rank: Int, row: NamedRow)] = []
    let others = try listsOfOthers()
    for list in try TrustedList.rows(where: "l.table_name = ?", [.text(table.name)], connection) {
      // Two lists may use one table with different columns.
      let columns = [list.place.table] + list.place.key
      if members[columns] == nil {
        members[columns] = try rows(of: list.place.table, named: list.place.key)
      }
      let member = members[columns]?.first { row in
        list.place.own.allSatisfy { row[$0.name] ?? .null == $0.value } && isOf(list, row)
          && !others.contains(list.number)
      }
      let rank = member == nil ? 2 : member?["vanished_at"] == .null ? 0 : 1
      found.append(
        (
          rank,
          [
            ("standing", .text(["in", "gone", "not in"][rank])), ("list", .text(list.name)),
            ("verdict", .text(list.verdict)), ("proof", SQLValue(list.proof)),
            ("cause", SQLValue(list.cause)), ("rows", SQLValue(list.rows)),
            ("as_of", SQLValue(list.asOf)), ("read_from", SQLValue(list.readFrom)),
            ("read_to", SQLValue(list.readTo)), ("position", member?["position"] ?? .null),
            ("first_seen_at", member?["first_seen_at"] ?? .null),
            ("vanished_at", member?["vanished_at"] ?? .null),
          ]
        ))
    }
    return found.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
      .map(\.element.row)
  }

  /// A list without its own table has the rows whose part of the digests its stream has filled.
  private func isOf(_ list: TrustedList, _ row: [String: SQLValue]) -> Bool {
    guard let part = list.place.part, case .blob(let digests)? = row[TableDesign.digests] else {
      return true
    }
    // cut: one part of several
    let filled = digests.dropFirst(TableDesign.partBytes * (part + 1)).prefix(TableDesign.partBytes)
    return filled.contains { $0 != 0 }
  }

  /// Of the lists without their own table, those whose requests had another value than the record's key.
  private func listsOfOthers() throws(SQLiteError) -> Set<Int64> {
    let lists: [(Int64, String, String, String)] = try connection.rows(
      "SELECT l.list_number, l.parameters, c.column_name, c.source FROM trawl_lists l "
        + "JOIN trawl_columns c ON c.table_name = l.table_name AND c.written_by = l.stream "
        + "WHERE l.table_name = ?1 AND l.list_table = ?1 AND c.source GLOB '{*}'",
      [.text(table.name)])
    let own = Dictionary(zip(table.key.map(\.name), key)) { one, _ in one }
    let compared = lists.compactMap {
      number, parameters, column, source -> (list: Int64, column: String, isOther: Bool)? in
      let given = RecordStore.values(parameters).first { "{\($0.name)}" == source }
      return switch (own[column], given?.value) {
      case (.text(let text)?, let value?):
        (number, column, !text.utf8.elementsEqual(value.utf8))
      case (.integer(let integer)?, let value?):
        (number, column, Int64(value).map { $0 != integer } ?? false)
      default: nil
      }
    }
    // If no list has the value itself, it is stored in another form.
    let shown = Set(compared.filter { !$0.isOther }.map(\.column))
    return Set(compared.filter { $0.isOther && shown.contains($0.column) }.map(\.list))
  }

  // MARK: What did not come

  private func rejects(_ column: String?) throws(SQLiteError) -> [NamedRow] {
    try connection.named(
      "SELECT column_name AS \"column\", stream, path, reason, substr(raw, 1, 300) AS raw, "
        + "first_seen_at AS met_at, (SELECT name FROM trawl_runs r WHERE r.run = j.run) AS run "
        + "FROM trawl_rejects j WHERE table_name = ?1 AND (key_digest = ?2 OR record_key = ?4) "
        + "AND (?3 IS NULL OR column_name IN ('', ?3)) ORDER BY column_name <> '', reject",
      [
        .text(table.name), SQLValue(bits: name.digest), SQLValue(column), .text(name.json),
      ])
  }

  /// If a stream requests records by this very value.
  private func misses() throws(SQLiteError) -> [NamedRow] {
    try connection.named(
      "SELECT stream, reason, missed_at AS since, tries, next_attempt_at FROM trawl_due "
        + "WHERE job = ?1 AND value = ?2 AND missed_at IS NOT NULL AND stream IN "
        + "(SELECT stream FROM trawl_lists WHERE job = ?1 AND table_name = ?3) ORDER BY stream",
      [.text(table.job), .text(name.text), .text(table.name)])
  }
}
