internal import Base

/// How many rows the other tables have, kept by triggers of our own connections in the transaction that
/// adds or removes them: a seal shows that a row was changed, and nothing else shows that it is gone.
extension Book {
  static let rowCounts = BookTable(
    "trawl_row_counts", of: .nobody,
    """
    table_name TEXT PRIMARY KEY NOT NULL, -- of the book, a history, or records that one stream fills
    rows INTEGER NOT NULL, -- of records: those that are not marked as gone
    bytes INTEGER, -- of trawl_media: the sum of the sizes
    """, isWithoutRowid: true)
}

/// The counts of rows: where they begin, who keeps them, and whether they agree.
struct RowCounts {
  let connection: Connection

  private static let table = Book.rowCounts.name
  private static let bytes = "coalesce(sum(size), 0)"

  /// The tables of the book that are counted.
  static var ofBook: [String] {
    [Book.rowCounts.name, Book.verdicts.name].reduce(Book.tables.map(\.name)) { names, own in
      names.filter { $0 != own }
    }
  }

  /// The histories of the jobs' records.
  func histories() throws(SQLiteError) -> [String] {
    let found = try connection.definitions(of: "table")
    return try connection.rows("SELECT table_name FROM trawl_tables WHERE kind = 'history'") {
      $0.text(0) ?? ""
    }.filter { found[$0] != nil }
  }

  // MARK: beginning

  /// What has no count yet is counted as it is.
  func begin(_ tables: [String], seal: String? = nil) throws(SQLiteError) {
    for name in tables {
      let known = try connection.integer(
        "SELECT 1 FROM \(Self.table) WHERE table_name = ?", [.text(name)])
      if known != nil { continue }
      try connection.run(
        "INSERT INTO \(Self.table) (table_name, rows, bytes, \(Seals.column)) "
          + "SELECT ?, count(*), \(name == Book.media.name ? Self.bytes : "NULL"), "
          + "\(seal ?? "NULL") FROM \(SQLName.quoted(name))", [.text(name)])
    }
  }

  func forget(_ name: String) throws(SQLiteError) {
    try connection.run("DELETE FROM \(Self.table) WHERE table_name = ?", [.text(name)])
  }

  // MARK: keeping

  /// What counts a row that is added or removed, in a trigger.
  static func step(_ kind: TableWrite.Kind, _ name: String) -> String {
    let (sign, row) = kind == .insert ? ("+", "new") : ("-", "old")
    let size = name == Book.media.name ? ", bytes = bytes \(sign) \(row).size" : ""
    return "UPDATE \(table) SET rows = rows \(sign) 1\(size) "
      + "WHERE table_name = \(SQLName.literal(name))"
  }

  /// From now on each row that this connection adds to the history, or removes, is counted. Of the
  /// tables of the book see `Seals.keep`.
  func keep(_ name: String) throws(SQLiteError) {
    for (event, kind) in Self.events {
      try connection.execute(
        "CREATE TEMP TRIGGER IF NOT EXISTS \(Self.trigger(name, event)) AFTER \(event) "
          + "ON main.\(SQLName.quoted(name)) BEGIN \(Self.step(kind, name)); END")
    }
  }

  /// Before a table is made anew.
  func release(_ name: String) throws(SQLiteError) {
    for (event, _) in Self.events {
      try connection.execute("DROP TRIGGER IF EXISTS temp.\(Self.trigger(name, event))")
    }
  }

  private static let events: [(String, TableWrite.Kind)] = [
    ("INSERT", .insert), ("DELETE", .delete),
  ]

  private static func trigger(_ name: String, _ event: String) -> String {
    SQLName.quoted("\(name)_count_\(event.lowercased())")
  }

  // MARK: proof

  /// - Parameter present: rows of the jobs' tables that are not marked as gone, as they were read.
  func prove(
    _ choice: ProofChoice, present: [String: Int], _ proof: inout Proof
  ) throws {
    let counts = try connection.rows(
      "SELECT c.table_name, c.rows, t.job, c.bytes, ifnull(t.kind, '') FROM \(Self.table) c "
        + "LEFT JOIN trawl_tables t USING (table_name) ORDER BY 1"
    ) {
      (
        name: $0.text(0) ?? "", rows: $0.integer(1), job: $0.text(2),
        bytes: $0.optionalInteger(3), kind: $0.text(4) ?? ""
      )
    }
    let found = try connection.definitions(of: "table")
    for count in counts where found[count.name] != nil {
      if let job = count.job, !choice.takes(job: job) { continue }
      if count.kind == TableDesign.Kind.records.rawValue {
        // What could not be read to its end has been told.
        guard let there = present[count.name], there != Int(count.rows) else { continue }
        proof.add(
          count.name, nil,
          "it has \(Wording.count(there, "row")) without vanished_at, and "
            + "\(Wording.number(Int(count.rows))) should be there")
        continue
      }
      // Of a history they were counted when its rows were read.
      let known = proof.tables.first { $0.name == count.name }
      var rows = Int64(known?.rows ?? 0)
      if known == nil {
        try RecordStore.damaged(count.name, &proof) { _ in
          rows =
            try connection.integer(
              "SELECT count(*) FROM \(SQLName.quoted(count.name)) NOT INDEXED") ?? 0
        }
      }
      if rows != count.rows {
        proof.add(
          count.name, nil,
          "it has \(Wording.count(Int(rows), "row")), and \(Wording.number(Int(count.rows))) "
            + "should be there")
      }
      if let bytes = count.bytes, rows == count.rows {
        var sum: Int64?
        try RecordStore.damaged(count.name, &proof) { _ in
          sum = try connection.integer("SELECT \(Self.bytes) FROM \(count.name) NOT INDEXED")
        }
        if let sum, sum != bytes {
          proof.add(
            count.name, nil,
            "its files have \(Wording.number(Int(sum))) bytes, and "
              + "\(Wording.number(Int(bytes))) should be there")
        }
      }
    }
    for name in try Self.ofBook + histories() where !counts.contains(where: { $0.name == name }) {
      proof.add(name, nil, "the count of its rows is gone")
    }
  }
}
