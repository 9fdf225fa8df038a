internal import Base

/// Deletes records of one table from the file, with everything that it holds of them. Inside a
/// transaction.
struct RecordEraser {
  let table: KeyedTable
  /// The job's file, if it is known: it shows which lists were requested for a record.
  let file: Job?
  let connection: Connection
  let now: Instant

  private let number: Int64
  /// The tables whose rows belong to a record, with their columns that name it.
  private let neighbours: [(table: StoredTable, columns: [String])]
  /// Columns by whose values child streams are requested.
  private let asked: [String]
  /// The streams that were requested by values of records.
  private let askers: [String]
  /// By stream and parameter (`name=value`), the lists that have it.
  private var listsByParameter: [String: [[UInt8]: [Int64]]] = [:]
  private var images: ForgottenImages
  /// Tables that lost rows.
  private var touched: Set<String> = []
  /// Lists that were requested for the records.
  private(set) var lists: Set<Int64> = []
  private(set) var records = 0
  /// Rows of child streams that were requested for the records, and name them in a column.
  private(set) var naming: [Erasure.Naming] = []
  private var counts: [String: Int] = [:]

  init(
    _ table: KeyedTable, _ file: Job?, _ connection: Connection, at now: Instant
  ) throws(SQLiteError) {
    (self.table, self.file, self.connection, self.now) = (table, file, connection, now)
    number = try ChangeLog.number(of: table.name, connection)
    images = try ForgottenImages(of: table.name, connection)
    let name = table.name
    var found: [(table: StoredTable, columns: [String])] = []
    let others = try StoredTable.all(
      connection, where: "job = ? AND kind <> 'records'", [.text(table.job)])
    for other in others {
      let named = try connection.references(of: other.name).filter { $0.table == name }.map(
        \.columns)
      let listed: [[String]] = try connection.rows(
        "SELECT DISTINCT list_key FROM trawl_lists WHERE table_name = ? AND list_table = ?",
        [.text(name), .text(other.name)])
      for columns in Set(named + listed) { found.append((other, columns)) }
    }
    neighbours = found
    let indexes = try connection.texts(
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?", [.text(name)])
    let indexed = try connection.columns(of: name).filter { indexes.contains("\(name)_by_\($0)") }
    asked =
      (table.key.count == 1 ? [table.key[0].name] : [])
      + indexed.filter { $0 != TableDesign.change }
    askers = try connection.texts(
      "SELECT DISTINCT stream FROM trawl_due WHERE job = ?", [.text(table.job)])
  }

  // MARK: one record

  private var isThis: String { TableDesign.isThis(table.key.map(\.name)) }

  /// Returns false if nothing of such a record is stored.
  /// - Parameter mayReturn: whether it may return; then a user's favorites stay too.
  mutating func erase(
    _ key: [SQLValue], _ name: KeyName, mayReturn: Bool
  ) throws -> Bool {
    let before = counts.values.reduce(0, +)
    let row = SQLName.quoted(table.name)
    let isGone: Bool? = try connection.row(
      "SELECT vanished_at IS NOT NULL FROM \(row) WHERE \(isThis)", key)
    if let isGone {
      try images.note(key, name.text, isThis)
      try eraseAsked(key)
      try eraseNeighbours(key)
      try connection.run("DELETE FROM \(row) WHERE \(isThis)", key)
      try eraseFirst(key)
      touched.insert(table.name)
      records += 1
      // No effect on a table without such a count.
      if !isGone { try connection.add(-1, to: FactKey(.present, table.name)) }
    }
    try eraseChanges(of: number, name.text)
    counts["rejects", default: 0] += try connection.delete(
      Book.rejects, where: "job = ? AND table_name = ? AND (key_digest = ? OR record_key = ?)",
      [.text(table.job), .text(table.name), SQLValue(bits: name.digest), .text(name.json)])
    if !mayReturn {
      counts["favorites", default: 0] += try connection.delete(
        Book.favorites, where: "table_name = ? AND record_key = ?",
        [.text(table.name), .text(name.text)])
    }
    guard isGone != nil || counts.values.reduce(0, +) > before else { return false }
    let stone = Tombstone(
      job: table.job, table: table.name, digest: name.digest, at: now, mayReturn: mayReturn)
    try connection.note(stone.key, stone.fact)
    return true
  }

  /// A run's counts name its first new row by its number, which may be the key.
  private func eraseFirst(_ key: [SQLValue]) throws(SQLiteError) {
    guard key.count == 1, case .integer(let row) = key[0] else { return }
    let path = SQLValue.text("$.\"\(table.name)\".first_row")
    try connection.update(
      Book.runs, [("counts", "json_set(counts, ?, ?)")],
      where: "job = ? AND json_valid(counts) AND counts ->> ? = ?",
      [path, .integer(row + 1), .text(table.job), path, .integer(row)])
  }

  private mutating func eraseNeighbours(_ key: [SQLValue]) throws {
    for other in neighbours {
      let (name, isThese) = (other.table.name, TableDesign.isThis(other.columns))
      // No changes are recorded for lists.
      if other.table.kind == "child" {
        let own = try connection.texts(
          "SELECT \(ViewDesign.keyText(other.table.key)) FROM \(SQLName.quoted(name)) t WHERE \(isThese)",
          key)
        for one in own { try eraseChanges(of: other.table.number, one) }
      }
      try eraseRows(of: name, isThese, key)
    }
  }

  private mutating func eraseChanges(of number: Int64, _ key: String) throws(SQLiteError) {
    counts["changes", default: 0] += try connection.delete(
      Book.changes, where: "table_number = ? AND record_key = ?", [.integer(number), .text(key)])
  }

  private mutating func eraseRows(
    of name: String, _ condition: String, _ values: [SQLValue] = []
  ) throws(SQLiteError) {
    try connection.run("DELETE FROM \(SQLName.quoted(name)) AS m WHERE \(condition)", values)
    guard connection.changedRows > 0 else { return }
    counts[name, default: 0] += connection.changedRows
    // No effect on a table without such a count.
    connection.pendingBook.count(-connection.changedRows, of: name)
    touched.insert(name)
  }

  /// What child streams requested for this record alone: their marks, and the lists that were
  /// requested for it.
  private mutating func eraseAsked(_ key: [SQLValue]) throws {
    for column in asked {
      let quoted = SQLName.quoted(column)
      let value = try connection.text(
        "SELECT CAST(\(quoted) AS TEXT) FROM \(SQLName.quoted(table.name)) WHERE \(isThis)", key)
      guard let value else { continue }
      // Another record may have the same value.
      let isShared = try connection.integer(
        "SELECT count(*) > 1 FROM \(SQLName.quoted(table.name)) WHERE \(quoted) = ?",
        [.text(value)])
      if isShared == 1 { continue }
      for stream in askers {
        try connection.delete(
          Book.due, where: "job = ? AND stream = ? AND value = ?",
          [.text(table.job), .text(stream), .text(value)])
      }
      for stream in file?.streams ?? [] {
        guard let feed = stream.parent, feed.column == column,
          let parent = file?.stream(feed.stream),
          "\(file?.tablePrefix ?? "")_\(parent.table)" == table.name
        else { continue }
        try noteNaming(value, stream, column)
        if stream.isAskedInBatches { continue }
        let own = try ownLists(of: stream.name)
        lists.formUnion(own[ListChoice.parameter(column, value)] ?? [])
      }
    }
  }

  private mutating func ownLists(of stream: String) throws(SQLiteError) -> [[UInt8]: [Int64]] {
    if let known = listsByParameter[stream] { return known }
    var own: [[UInt8]: [Int64]] = [:]
    try connection.each(
      "SELECT list_number, parameters FROM trawl_lists WHERE job = ? AND stream = ?",
      [.text(table.job), .text(stream)]
    ) { row in
      for parameter in ListChoice.parameters(row.text(1) ?? "") {
        own[parameter, default: []].append(row.integer(0))
      }
    }
    listsByParameter[stream] = own
    return own
  }

  /// Adds lists with a key of the records as a parameter: requested by hand, or the job's file is unknown.
  mutating func noteLists(with texts: NamedTexts) throws(SQLiteError) {
    let all: [(Int64, String?)] = try connection.rows(
      "SELECT list_number, parameters FROM trawl_lists WHERE job = ?", [.text(table.job)])
    lists.formUnion(all.filter { texts.areHeld(by: $0.1) }.map { $0.0 })
  }

  private mutating func noteNaming(_ value: String, _ stream: Stream, _ hole: String)
    throws(SQLiteError)
  {
    let name = "\(file?.tablePrefix ?? "")_\(stream.table)"
    guard name != table.name, let column = stream.columnOfRequest(hole),
      try connection.has("sqlite_schema WHERE type = 'table' AND name = ?", [.text(name)])
    else { return }
    let isThese = "CAST(\(SQLName.quoted(column)) AS TEXT) = \(SQLName.literal(value))"
    let count = try connection.count(of: "\(SQLName.quoted(name)) WHERE \(isThese)")
    if count > 0 {
      naming.append(.init(table: name, column: column, value: value, count: count))
    }
  }

  // MARK: all records

  /// Finishes the work for all of them: deletes what names them in shared places.
  /// - Parameter refusing: throws if a run is reading one of these windows.
  mutating func conclude(
    _ names: [KeyName], refusing: (Set<Int64>) throws -> Void
  ) throws -> [StoredImageRow] {
    for list in lists { try eraseMembers(of: list) }
    let own = file?.wordsOfAddresses ?? []
    let texts = names.flatMap { Self.parts($0) }.filter { !own.contains($0) }
    let evidence = try NamingEvidence(table.job, NamedTexts(texts), connection)
    let isThese = "list_number IN (\(lists.map { "\($0)" }.joined(separator: ", ")))"
    let ofLists: [Int64] = try connection.rows(
      "SELECT window FROM trawl_windows WHERE \(isThese)")
    try refusing(evidence.windows.union(ofLists))
    // Their parameters name the record.
    try BookReset(job: table.job, lists: Array(lists), streams: nil, connection: connection)
      .perform(.resetCoverage)
    for book in [Book.facts, Book.lists] { try connection.delete(book, where: isThese) }
    counts["walks"] = try evidence.erase()
    for name in touched.sorted() { try connection.raiseGeneration(of: name, at: now) }
    let files = try images.release(of: Set(names.map { ExactText($0.text) }))
    counts["urls"] = images.released
    counts["files"] = files.count
    return files
  }

  private static func parts(_ name: KeyName) -> [String] {
    let document = try? JSONDocument.read(Array(name.json.utf8))  // SQLite wrote it
    let parts = document?.root.elements.map {
      $0.string ?? String(decoding: $0.json, as: UTF8.self)
    }
    return parts ?? []
  }

  private mutating func eraseMembers(of list: Int64) throws {
    let places: [(String, ListPlace)] = try connection.rows(
      "SELECT l.table_name, \(ListPlace.columns) FROM trawl_lists l WHERE list_number = ? "
        + "AND list_table <> table_name AND list_where <> '{}'", [.integer(list)])
    for (records, place) in places {
      try ListedRecords.noteErased(
        place.key,
        "\(SQLName.quoted(place.table)) m WHERE m.vanished_at IS NULL AND \(place.condition("m"))",
        of: records, table.job, connection)
      try eraseRows(of: place.table, place.condition("m"))
    }
  }

  var forgotten: Forgotten {
    var told = Forgotten()
    told.add(records, "record of \(table.name)", "records of \(table.name)")
    for name in touched.sorted() where name != table.name {
      told.add(counts[name] ?? 0, "row of \(name)", "rows of \(name)")
    }
    for (name, one, many) in [
      ("changes", "earlier value", "earlier values"), ("rejects", "kept reject", "kept rejects"),
      ("favorites", "favorite", "favorites"), ("urls", "image address", "image addresses"),
      ("files", "picture that nobody else shows", "pictures that nobody else shows"),
      (
        "walks", "walk whose addresses name it: the next run reads the list again",
        "walks whose addresses name it: the next run reads the lists again"
      ),
    ] { told.add(counts[name] ?? 0, one, many) }
    told.add(lists.count, "list that was requested for it", "lists that were requested for it")
    return told
  }
}

extension Job {
  /// Words that all addresses contain: an address does not name a key that is one of them.
  fileprivate var wordsOfAddresses: Set<String> {
    var words = base.path.split(separator: "/").map(String.init)
    for stream in streams {
      for case .text(let text) in stream.path.parts + stream.query.flatMap(\.value.parts) {
        words += text.split(separator: "/").map(String.init)
      }
    }
    return Set(words)
  }
}
