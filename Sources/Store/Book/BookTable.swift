/// One bookkeeping table. Whatever the program does to bookkeeping as a whole derives from these
/// values: creation, upgrades, resets, seals, `prove --job`, and the check of the file's structure.
struct BookTable: Sendable {
  /// How a row names the job and the list that it belongs to.
  enum Owner: Sendable, Equatable {
    /// By its column `job`; a stream as well by `stream`.
    case job, stream
    /// By `list_number`, by `window`, by `table_name`.
    case list, window, table
    case nobody
  }

  /// An occasion on which rows of a job are forgotten.
  enum Occasion: Sendable, Hashable {
    case resetRecords, resetCoverage, resetPlaces, resetWaits
    /// `--refill` asks again for everything that a child stream was asked for.
    case refill
  }

  enum Effect: Sendable, Equatable {
    case deletes
    case deletesWhere(String)
    case sets(String, where: String = "1")
  }

  let name: String
  let owner: Owner
  /// Occasions that are not named leave the rows alone.
  let effects: [Occasion: Effect]
  let sql: String
  let indexes: [(name: String, sql: String)]
  /// What a new table begins with.
  let firstRows: String?
  /// A row that was damaged stays so when the program itself changes it.
  let keepsDoubt: Bool

  /// - Parameters:
  ///   - columns: a line each, ending in a comma; a comment says what the column holds.
  ///   - constraints: what follows the columns.
  ///   - indexed: the column lists of its indexes, by the last part of their names.
  init(
    _ name: String, of owner: Owner, on effects: [Occasion: Effect] = [:],
    _ columns: String, _ constraints: [String] = [], isWithoutRowid: Bool = false,
    indexed: [(name: String, columns: String)] = [], firstRows: String? = nil,
    keepsDoubt: Bool = false
  ) {
    self.name = name
    self.owner = owner
    self.effects = effects
    self.firstRows = firstRows
    self.keepsDoubt = keepsDoubt
    // By bytes: looking for whole characters took a tenth of the opening of a database.
    var lines = columns.utf8.split(separator: UInt8(ascii: "\n")).map { "  \(Substring($0))" }
    let comma = constraints.isEmpty ? "" : ","
    lines.append("  \(Seals.column) INTEGER\(comma) -- digest of the row's other values")
    lines += constraints.enumerated().map {
      "  \($1)\($0 + 1 < constraints.count ? "," : "")"
    }
    sql =
      "CREATE TABLE \(name) (\n\(lines.joined(separator: "\n"))\n"
      + ") STRICT\(isWithoutRowid ? ", WITHOUT ROWID" : "")"
    indexes = indexed.map { part in
      ("\(name)_by_\(part.name)", "CREATE INDEX \(name)_by_\(part.name) ON \(name) \(part.columns)")
    }
  }

  /// Job and stream of the row `t`, as SQL; empty names for rows that belong to nobody.
  var ownerSQL: String {
    func from(_ tables: String, _ condition: String) -> String {
      ["job", "stream"].map { "(SELECT l.\($0) FROM \(tables) WHERE \(condition))" }
        .joined(separator: ", ")
    }
    return switch owner {
    case .job: "t.job, NULL"
    case .stream: "t.job, t.stream"
    case .list: from("trawl_lists l", "l.list_number = t.list_number")
    case .window:
      from("trawl_windows w JOIN trawl_lists l USING (list_number)", "w.window = t.window")
    case .table:
      "(SELECT l.job FROM trawl_tables l WHERE l.table_name = t.table_name), NULL"
    case .nobody: "'', NULL"
    }
  }
}
