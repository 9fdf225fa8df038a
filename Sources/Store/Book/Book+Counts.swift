internal import Base

/// The counts of rows: their first values, and whether they agree.
struct RowCounts {
  let connection: Connection

  private static let bytes = "coalesce(sum(size), 0)"

  // MARK: beginning

  /// Counts the rows of tables that have no count yet.
  func begin(_ tables: [String]) throws(SQLiteError) {
    try connection.pendingBook.flush(connection)
    // The table of facts last, since the other counts add rows to it.
    for name in tables.filter({ $0 != Book.facts.name }) + tables.filter({ $0 == Book.facts.name })
    {
      try connection.pendingBook.flush(connection)
      guard try connection.fact(FactKey(.rows, name)) == nil else { continue }
      let rows = try connection.integer("SELECT count(*) FROM \(SQLName.quoted(name))") ?? 0
      try connection.note(FactKey(.rows, name), .integer(rows))
      guard name == Book.media.name else { continue }
      let bytes = try connection.integer("SELECT \(Self.bytes) FROM \(name)") ?? 0
      try connection.note(FactKey(.bytes), .integer(bytes))
    }
  }

  func forget(_ name: String) throws(SQLiteError) {
    try connection.forget(FactKey(.rows, name))
    try connection.forget(FactKey(.present, name))
  }

  // MARK: proof

  /// - Parameter present: rows of the jobs' tables that are not marked as gone, as they were read.
  func prove(
    _ choice: ProofChoice, present: [String: Int], _ proof: inout Proof
  ) throws {
    let owners: [String: String] = try connection.dictionary(
      "SELECT table_name, job FROM trawl_tables")
    func counts(_ kind: FactKind) throws -> [(name: String, rows: Int64)] {
      try connection.facts(FactKey(kind)).compactMap { name, fact in
        fact.integer.map { (name, $0) }
      }
    }
    for count in try counts(.present) {
      if let job = owners[count.name], !choice.takes(job: job) { continue }
      // A table that could not be read to its end has already been reported.
      guard let there = present[count.name], there != Int(count.rows) else { continue }
      proof.add(
        count.name, nil,
        "it has \(Wording.count(there, "row")) without vanished_at, and "
          + "\(Wording.number(Int(count.rows))) should be there")
    }
    let found = try connection.definitions(of: "table")
    let known = try counts(.rows)
    for count in known where found[count.name] != nil {
      if let job = owners[count.name], !choice.takes(job: job) { continue }
      try prove(count.name, count.rows, &proof)
    }
    for name in Book.tables.map(\.name) where !known.contains(where: { $0.name == name }) {
      proof.add(name, nil, "the count of its rows is gone")
    }
  }

  private func prove(_ name: String, _ expected: Int64, _ proof: inout Proof) throws {
    var rows: Int64 = 0
    try RecordStore.damaged(name, &proof) { _ in
      rows =
        try connection.integer("SELECT count(*) FROM \(SQLName.quoted(name)) NOT INDEXED") ?? 0
    }
    guard rows == expected else {
      return proof.add(
        name, nil,
        "it has \(Wording.count(Int(rows), "row")), and \(Wording.number(Int(expected))) "
          + "should be there")
    }
    guard name == Book.media.name, let bytes = try connection.fact(FactKey(.bytes))?.integer
    else { return }
    var sum: Int64?
    try RecordStore.damaged(name, &proof) { _ in
      sum = try connection.integer("SELECT \(Self.bytes) FROM \(name) NOT INDEXED")
    }
    if let sum, sum != bytes {
      proof.add(
        name, nil,
        "its files have \(Wording.number(Int(sum))) bytes, and "
          + "\(Wording.number(Int(bytes))) should be there")
    }
  }
}
