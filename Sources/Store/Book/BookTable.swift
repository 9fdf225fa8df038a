internal import Base

/// One bookkeeping table. Everything that the program does with the book as a whole derives from
/// these values: creation, upgrades, resets, seals, `prove --job`, and the check of the file's
/// structure.
struct BookTable: Sendable {
  /// How a row names the job and the list that it belongs to.
  enum Owner: Sendable, Equatable {
    /// By its column `job`; a stream as well by `stream`.
    case job, stream
    /// By `list_number`, by `window`, by `table_name`, by `table_number`.
    case list, window, table, tableNumber
    case nobody
  }

  /// An occasion on which rows of a job are deleted or changed.
  enum Occasion: Sendable, Hashable {
    case resetRecords, resetCoverage, resetPlaces, resetWaits
    /// `--refill` requests again everything that a child stream has requested.
    case refill
  }

  enum Effect: Sendable, Equatable {
    case deletes
    case deletesWhere(String)
    case sets([String], to: String, where: String)
  }

  struct Column: Sendable {
    let name: String
    /// As SQL: the value of a row that is written without one.
    let initial: String
    /// The table that this column refers to, under the same name: deleting a row there deletes this one.
    let parent: String?
  }

  let name: String
  let owner: Owner
  /// Occasions that are not listed leave the rows alone.
  let effects: [Occasion: Effect]
  let sql: String
  let indexes: [(name: String, sql: String)]
  /// In order, without the seal.
  let columns: [Column]
  let key: [String]
  /// The column that numbers the rows, if there is one.
  let number: String?
  /// Returns the number of the next row. Only a list's number is never used again, so that facts
  /// about one list are not taken for another's.
  let nextNumber: String
  /// Updating a row with a bad seal keeps the seal bad.
  let keepsDoubt: Bool

  /// - Parameters:
  ///   - columns: one per line, ending in a comma; a comment says what the column holds.
  ///   - key: its primary key, unless that is a single column.
  ///   - constraints: what follows the columns.
  ///   - indexed: the column lists of its indexes, by the last part of their names.
  init(
    _ name: String, of owner: Owner, on effects: [Occasion: Effect] = [:],
    _ text: String, key: [String] = [], _ constraints: [String] = [], isWithoutRowid: Bool = false,
    indexed: [(name: String, columns: String)] = [], keepsDoubt: Bool = false
  ) {
    self.name = name
    self.owner = owner
    self.effects = effects
    self.keepsDoubt = keepsDoubt
    // By bytes: splitting by characters took a tenth of the time to open a database.
    let given = text.utf8.split(separator: UInt8(ascii: "\n")).map(Substring.init)
    let declared = given.filter {
      $0.utf8.first.map { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") } ?? false
    }
    .map { $0.utf8.split(separator: UInt8(ascii: " ")).map(Substring.init) }
    columns = declared.map(Self.column)
    let own = declared.first { $0.contains("PRIMARY") }?.first.map { String($0) }
    number = declared.first?.contains("PRIMARY") == true && declared[0][1] == "INTEGER" ? own : nil
    let used =
      declared.first?.contains("AUTOINCREMENT,") == true
      ? "(SELECT seq FROM sqlite_sequence WHERE name = '\(name)')"
      : "(SELECT max(\(own ?? "rowid")) FROM \(name))"
    nextNumber = "SELECT ifnull(\(used), 0) + 1"
    self.key = key.isEmpty ? [own].compactMap { $0 } : key
    var lines = given.map { "  \($0)" }
    let rules =
      (key.isEmpty ? [] : ["PRIMARY KEY (\(key.joined(separator: ", ")))"]) + constraints
    lines.append(
      "  \(Seals.column) INTEGER\(rules.isEmpty ? "" : ",") -- digest of the row's other values")
    lines += rules.enumerated().map { "  \($1)\($0 + 1 < rules.count ? "," : "")" }
    sql =
      "CREATE TABLE \(name) (\n\(lines.joined(separator: "\n"))\n"
      + ") STRICT\(isWithoutRowid ? ", WITHOUT ROWID" : "")"
    indexes = indexed.map { part in
      ("\(name)_by_\(part.name)", "CREATE INDEX \(name)_by_\(part.name) ON \(name) \(part.columns)")
    }
  }

  private static func column(_ words: [Substring]) -> Column {
    func after(_ word: Substring) -> String? {
      guard let place = words.firstIndex(of: word), place + 1 < words.count else { return nil }
      let next = words[place + 1]
      return String(next.utf8.last == UInt8(ascii: ",") ? next.dropLast() : next)
    }
    return Column(
      name: String(words[0]), initial: after("DEFAULT") ?? "NULL",
      parent: words.contains("CASCADE,") || words.contains("CASCADE") ? after("REFERENCES") : nil)
  }

  /// The seal of a row, as SQL over the values of its columns.
  func seal(_ value: (Column) -> String) -> String {
    "trawl_hash(\(columns.map(value).joined(separator: ", ")))"
  }

  /// Job and stream of the row `t`, as SQL; empty names for rows without an owner.
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
    case .tableNumber:
      "(SELECT l.job FROM trawl_tables l WHERE l.table_number = t.table_number), NULL"
    case .nobody: "'', NULL"
    }
  }
}
