public import Base

/// How far a program has followed a table: which table it was, and the last change that it has.
public struct FollowCursor: Sendable, Equatable {
  fileprivate var table: Int64
  fileprivate var generation: Int64
  fileprivate var change: Int64
  /// The run that wrote the change, and when it began; zeros if none did. A power cut takes the
  /// last commits: then another run writes other changes under the same numbers.
  fileprivate var run: Int64
  fileprivate var runBegan: Int64

  /// - Parameter change: nil: the last one.
  fileprivate init(
    of followed: Followed, at change: Int64? = nil, _ connection: Connection
  ) throws(SQLiteError) {
    (self.table, generation) = (followed.table.number, followed.generation)
    if let change { self.change = change } else { self.change = try PendingBook.last(connection) }
    let run = try connection.row(
      "SELECT run, began_at FROM trawl_runs WHERE ? BETWEEN first_change AND last_change "
        + "ORDER BY run DESC LIMIT 1", [.integer(self.change)]
    ) { ($0.integer(0), Instant(stored: $0.text(1) ?? "")?.seconds ?? 0) }
    (self.run, runBegan) = run ?? (0, 0)
  }

  /// Nil: not a string that `text` gave.
  public init?(_ text: String) {
    let numbers = text.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
    let found = numbers.compactMap(\.self)
    guard numbers.count == 5, found.count == 5 else { return nil }
    (table, generation, change) = (found[0], found[1], found[2])
    (run, runBegan) = (found[3], found[4])
  }

  public var text: String { "\(table)-\(generation)-\(change)-\(run)-\(runBegan)" }

  /// Whether the changes after it are all that a copy lacks.
  fileprivate func holds(
    beside next: FollowCursor, _ connection: Connection
  ) throws(SQLiteError) -> Bool {
    guard table == next.table, generation == next.generation, change <= next.change else {
      return false
    }
    if run == 0 { return true }
    let wrote = try connection.row(
      "SELECT began_at, ? <= last_change FROM trawl_runs WHERE run = ?",
      [.integer(change), .integer(run)]
    ) { Instant(stored: $0.text(0) ?? "")?.seconds == runBegan && $0.boolean(1) }
    if let wrote { return wrote }
    // Old runs are not kept.
    return try connection.integer("SELECT max(run) > ? FROM trawl_runs", [.integer(run)]) == 1
  }
}

/// What happened to a table after a cursor.
public struct Following: Sendable {
  /// The cursor was for another table under this name: everything was read, and the reader's copy
  /// is void.
  public var isAnother: Bool
  /// Only what came after a cursor, not the whole table.
  public var isBehind: Bool
  public var next: FollowCursor
  /// More changes follow.
  public var hasMore = false
}

extension ReadingQuery {
  /// The cursor after which changes count from now on.
  public func cursor(of word: String) throws -> FollowCursor {
    try reading { try FollowCursor(of: Followed(word, $0), $0) }
  }

  /// Each record of a table that came, changed, went or came back after a cursor, once, as it is now. Without a cursor,
  /// or with one of another generation, all present records. A row begins with an operation (`put`, `gone`; first `all`
  /// if everything follows, last `end`), the next cursor (in the last row), and what shows that a record is gone; then
  /// follow the table's columns.
  ///
  /// The position in a list is left out: it moves without a change of the row.
  /// - Parameter some: about how many rows at a time, the earliest changes first; a change is never split.
  public func follow(
    _ word: String, after cursor: FollowCursor?, some: Int? = nil,
    columns: ([String]) throws -> Void, take: ([SQLValue]) throws -> Bool
  ) throws -> Following {
    try reading { connection in
      try connection.snapshot {
        let table = try Followed(word, connection)
        let now = try FollowCursor(of: table, connection)
        let isKnown = try cursor?.holds(beside: now, connection) ?? false
        let known = isKnown ? cursor?.change : nil
        var following = Following(
          isAnother: cursor != nil && known == nil, isBehind: known != nil, next: now)
        try columns(["trawl_op", "trawl_cursor", "trawl_proof"] + table.columns)
        let empty = table.columns.map { _ in SQLValue.null }
        if known == nil, try !take([.text("all"), .null, .null] + empty) { return following }
        let rows = try connection.statement(
          table.sql(isWhole: known == nil, isInOrder: known != nil || some != nil))
        defer { rows.clear() }
        if let known { try rows.bind([.integer(known)]) }
        let proofs = try GoneProofs(table, connection)
        var (count, last) = (0, known ?? 0)
        while try rows.step() {
          let change = rows.integer(1)
          // cut: the cursor leads to the rest
          if let some, count >= some, change != last {
            following.next = try FollowCursor(of: table, at: last, connection)
            following.hasMore = true
            break
          }
          (count, last) = (count + 1, change)
          let values = table.columns.indices.map { rows.value($0 + 2) }
          let goneAt = rows.text(0)
          let proof = try goneAt.flatMap { try proofs.text(of: values, goneAt: $0) }
          guard try take([.text(goneAt == nil ? "put" : "gone"), .null, SQLValue(proof)] + values)
          else { return following }
        }
        _ = try take([.text("end"), .text(following.next.text), .null] + empty)
        return following
      }
    }
  }
}

/// A table of a job that can be followed.
private struct Followed {
  let table: StoredTable
  let generation: Int64
  let columns: [String]

  init(_ word: String, _ connection: Connection) throws {
    let tables = try StoredTable.all(connection)
    guard let table = tables.first(where: { $0.name.lowercased() == word.lowercased() }) else {
      throw QueryProblem(
        sentence: "no job has a table \"\(word)\""
          + Suggestion.clauseOrList(for: word, in: tables.map(\.name)))
    }
    self.table = table
    generation = try connection.fact(FactKey(.generation, table.name))?.integer ?? 0
    let shown = try ReadingQuery.shownColumns(of: table.name, connection)
    // For a damaged table SQLite says what is missing.
    columns = try (shown ?? connection.columns(of: table.name))
      .filter { table.kind != "list" || $0 != "position" }
  }

  /// When it went, its last change, and its columns. A reader without a copy has no use for gone
  /// records.
  func sql(isWhole: Bool, isInOrder: Bool) -> String {
    "SELECT vanished_at, \(TableDesign.change), \(TableDesign.list(columns)) "
      + "FROM \(SQLName.quoted(table.name)) WHERE "
      + (isWhole ? "vanished_at IS NULL" : "\(TableDesign.change) > ?")
      + (isInOrder ? " ORDER BY \(TableDesign.change), \(TableDesign.list(table.key))" : "")
  }
}

/// What shows that a record went: whole walks, since it left, of the lists that may hold it.
private struct GoneProofs {
  private typealias WholeList = (text: String, at: String)

  private let followed: Followed
  private let connection: Connection
  /// For lists whose rows the table holds, by the columns that distinguish them.
  private var own: [[String]: [[SQLValue]: [WholeList]]] = [:]
  /// For lists whose members are its records, by their table and its columns that name a record.
  private var others: [[String]: [WholeList]] = [:]

  init(_ followed: Followed, _ connection: Connection) throws(SQLiteError) {
    (self.followed, self.connection) = (followed, connection)
    let rows = try connection.rows(
      "SELECT \(ListPlace.columns), l.list, ifnull(c.proof, ''), c.issued_at FROM trawl_lists l "
        + "JOIN trawl_certificates c ON c.certificate = (SELECT max(x.certificate) FROM trawl_windows w "
        + "JOIN trawl_certificates x USING (window) WHERE w.list_number = l.list_number "
        + "AND x.verdict = 'complete') WHERE ? IN (l.table_name, l.list_table) ORDER BY l.list_number",
      [.text(followed.table.name)]
    ) { (place: ListPlace, list: String, proof: String, at: String) in
      (place, (text: "\(list): complete (\(proof)) as of \(at)", at: at))
    }
    for (place, list) in rows {
      if place.table == followed.table.name {
        own[place.own.map(\.name), default: [:]][place.own.map(\.value), default: []].append(list)
      } else {
        others[[place.table] + place.key, default: []].append(list)
      }
    }
  }

  /// The proof as text; nil: the API was asked for this record and does not have it.
  func text(of values: [SQLValue], goneAt: String) throws(SQLiteError) -> String? {
    func named(_ names: [String]) -> [SQLValue] {
      names.map { name in followed.columns.firstIndex(of: name).map { values[$0] } ?? .null }
    }
    var lists = own.flatMap { columns, found in found[named(columns)] ?? [] }
      .filter { $0.at >= goneAt }
    for (members, found) in others {
      // It left its lists before it counted as gone.
      let same = TableDesign.isThis(Array(members.dropFirst()))
      let left = try connection.text(
        "SELECT max(vanished_at) FROM \(SQLName.quoted(members[0])) WHERE \(same)",
        named(followed.table.key))
      lists += found.filter { $0.at >= left ?? goneAt }
    }
    guard let oldest = lists.min(by: { $0.at < $1.at }) else { return nil }
    return lists.count == 1
      ? oldest.text : "\(Wording.count(lists.count, "list")), the oldest: \(oldest.text)"
  }
}
