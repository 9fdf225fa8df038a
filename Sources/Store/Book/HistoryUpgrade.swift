internal import Model
internal import SQLite

/// Puts the histories of an older file into shorter rows, inside the transaction of its upgrade.
struct HistoryUpgrade {
  let connection: Connection
  let faults: FaultPoint

  /// Gives a sentence for each thing of a person's own that does not fit any more.
  func run() throws -> [String] {
    let histories = try connection.rows(
      "SELECT table_name, key_columns FROM trawl_tables WHERE kind = 'history' ORDER BY table_name"
    ) { (name: $0.text(0) ?? "", key: OldTable.names($0.text(1) ?? "[]")) }
    var notes: [String] = []
    for (name, key) in histories {
      let table = try design(name, Array(key.dropLast(2)))
      // One that a person has removed is missed as before.
      if try !connection.columns(of: name).isEmpty {
        let additions = try Additions(of: name, connection)
        try move(name, to: table)
        faults.reach(.duringUpgrade)
        try connection.execute(HistoryDesign.viewSQL(of: table.name, key: table.key))
        notes += try additions.restore()
        // It is made again with the other views.
        try connection.execute("DROP VIEW \(SQLName.quoted(name))")
      }
      try rename(name, to: table)
      faults.reach(.duringUpgrade)
    }
    return notes
  }

  /// What the job file will ask for, as far as the file knows it.
  private func design(_ name: String, _ key: [String]) throws(SQLiteError) -> TableDesign {
    let columns = try connection.rows(
      "SELECT column_name, type, source FROM trawl_columns WHERE table_name = ?", [.text(name)]
    ) {
      TableDesign.Column(
        name: $0.text(0) ?? "", type: $0.text(1) ?? "", isNeeded: true, comment: $0.text(2) ?? "")
    }
    return HistoryDesign.table(
      of: String(name.dropLast(HistoryDesign.end.count)),
      key: key.map { name in
        columns.first { $0.name == name }
          ?? TableDesign.Column(name: name, type: "ANY", isNeeded: true, comment: "")
      })
  }

  private func move(_ name: String, to table: TableDesign) throws {
    let old = SQLName.quoted(name)
    let taken = try connection.integer(
      "SELECT 1 FROM sqlite_schema WHERE name = ?", [.text(table.name)])
    guard taken == nil else {
      throw StoreError(
        .damaged, connection.path,
        "\(name) cannot be made shorter: \(table.name) is there already, and Trawl did not make it. "
          + "Rename it and run again; left as it is")
    }
    // Marked as sound, as all seals are between here and the end of the upgrade.
    try connection.run(
      "INSERT INTO trawl_history_columns (table_name, column_number, column_name, seal) "
        + "SELECT ?, row_number() OVER (ORDER BY column_name), column_name, 1 "
        + "FROM (SELECT DISTINCT column_name FROM \(old))", [.text(table.name)])
    try connection.execute(table.sql())
    let key = HistoryDesign.recordKey(table.key)
    let seconds = HistoryDesign.seconds("h.at")
    let number =
      "ifnull((SELECT c.column_number FROM trawl_history_columns c WHERE c.table_name = "
      + "\(SQLName.literal(table.name)) AND c.column_name = h.column_name), 0)"
    let before = (key + ["column_name", "at", "value"]).map { "h.\(SQLName.quoted($0))" }
    let isSound = "h.\(TableDesign.seal) = trawl_hash(\(before.joined(separator: ", ")))"
    func copy(_ instant: String, _ isSound: String, where condition: String) throws {
      var values = Dictionary(uniqueKeysWithValues: key.map { ($0, "h.\(SQLName.quoted($0))") })
      values[HistoryDesign.number] = number
      values["at"] = instant
      values["value"] = "h.value"
      let seal = table.sealOfNew(values)
      let names = table.key + ["value"]
      // A row that did not hold before does not hold afterwards.
      try connection.execute(
        "INSERT INTO \(SQLName.quoted(table.name)) (\(TableDesign.list(names + [TableDesign.seal]))) "
          + "SELECT \(names.map { values[$0] ?? "NULL" }.joined(separator: ", ")), "
          + "CASE WHEN \(isSound) THEN \(seal) ELSE ~\(seal) END FROM \(old) h WHERE \(condition)")
    }
    let isInstant = "h.at IS \(HistoryDesign.instant(seconds))"
    try copy(seconds, isSound, where: isInstant)
    // What is no instant was damaged, and has no seal that holds. Each of them keeps a place.
    try copy("-row_number() OVER ()", "0", where: "NOT (\(isInstant))")
    try connection.execute("DROP TABLE \(old)")
  }

  /// What the book says of it.
  private func rename(_ name: String, to table: TableDesign) throws(SQLiteError) {
    let names = [SQLValue.text(name), .text(table.name)]
    try connection.run(
      "UPDATE trawl_tables SET table_name = ?2, key_columns = ?3 WHERE table_name = ?1",
      names + [.text(TableDesign.json(table.key))])
    try connection.run(
      "UPDATE trawl_hashes SET table_name = ?2, columns = ?3 WHERE table_name = ?1",
      names + [.text(TableDesign.json(table.sealed))])
    try connection.run("UPDATE trawl_columns SET table_name = ?2 WHERE table_name = ?1", names)
    for column in table.columns
    where ["at", "value", HistoryDesign.number].contains(column.name) {
      try connection.run(
        "UPDATE trawl_columns SET column_name = ?2, type = ?3, source = ?4 WHERE table_name = ?1 "
          + "AND column_name = ?5",
        [
          names[1], .text(column.name), .text(column.type), .text(column.comment),
          .text(column.name == HistoryDesign.number ? "column_name" : column.name),
        ])
    }
    let isCounted = try connection.columns(of: Book.rowCounts.name)
    guard !isCounted.isEmpty else { return }
    try connection.run(
      "UPDATE trawl_row_counts SET table_name = ?2 WHERE table_name = ?1", names)
  }
}
