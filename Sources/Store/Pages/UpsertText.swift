internal import Base

/// The SQL of a `RowWriter`. Parameters: the columns, then the instant, then the digests, then the seal of a
/// row that is new.
struct UpsertText {
  let design: TableDesign
  let columns: [String]
  let volatile: [Int]
  /// Columns whose values before a change are told: volatile ones, and as many others as a function
  /// may have arguments.
  let watched: [Int]
  /// SQLite's functions have 127 arguments at most.
  private static let watchedMax = 60
  /// The digests that this stream's columns fill.
  let hashes: [TableDesign.Hash]
  private let steady: [TableDesign.Hash]
  /// Columns that the table did not have from the beginning, and since when it has them.
  private let added: [String: String]

  init(_ design: TableDesign, columns: [String], volatile: [Int], added: [String: String]) {
    self.design = design
    self.added = added
    self.columns = columns
    self.volatile = volatile
    hashes = design.hashes.filter { hash in hash.columns.allSatisfy(columns.contains) }
    let moving = Set(volatile.map { columns[$0] })
    steady = hashes.filter { hash in !hash.columns.contains(where: moving.contains) }
    let others = columns.indices.filter {
      !volatile.contains($0) && !design.key.contains(columns[$0])
    }
    // cut: of more columns a change is known by its time
    watched = volatile + others.prefix(max(0, Self.watchedMax - volatile.count))
  }

  private var table: String { SQLName.quoted(design.name) }
  private var now: String { "?\(columns.count + 1)" }
  private func hash(_ index: Int) -> String { "?\(columns.count + 2 + index)" }
  private var others: [Int] {
    columns.indices.filter { !design.key.contains(columns[$0]) }
  }

  var upsert: String {
    let names =
      columns.map { SQLName.quoted($0) } + ["first_seen_at"] + hashes.map(\.column)
      + [TableDesign.seal]
    let values =
      columns.indices.map { "?\($0 + 1)" } + [now]
      + (hashes.indices + [hashes.count]).map { hash($0) }
    let guards = hashes.map { different($0.column, "excluded.\($0.column)") }
    let changed = changedAt("\(table).vanished_at IS NOT NULL") { "excluded.\(SQLName.quoted($0))" }
    var sealed = ["changed_at": changed]
    for index in hashes.indices { sealed[hashes[index].column] = hash(index) }
    sealed["vanished_at"] = "NULL"
    let sets =
      others.map { index in
        "\(SQLName.quoted(columns[index])) = excluded.\(SQLName.quoted(columns[index]))"
      } + hashes.map { "\($0.column) = excluded.\($0.column)" }
      + ["vanished_at = NULL", "changed_at = \(changed)", design.sealing(sealed)]
    return "INSERT INTO \(table) (\(names.joined(separator: ", "))) "
      + "VALUES (\(values.joined(separator: ", "))) "
      + "ON CONFLICT (\(TableDesign.list(design.key))) DO UPDATE SET "
      + sets.joined(separator: ", ") + " WHERE "
      + (guards + ["\(table).vanished_at IS NOT NULL"]).joined(separator: " OR ")
  }

  var update: String {
    let sets =
      others.map { "\(SQLName.quoted(columns[$0])) = ?\($0 + 1)" }
      + hashes.indices.map { "\(hashes[$0].column) = \(hash($0))" }
    let guards = hashes.indices.map { different(hashes[$0].column, hash($0)) }
    let keys = design.key.map { key in
      "\(SQLName.quoted(key)) = ?\((columns.firstIndex(of: key) ?? 0) + 1)"
    }
    let changed = changedAt("0") { name in
      if let index = hashes.firstIndex(where: { $0.column == name }) { return hash(index) }
      return "?\((columns.firstIndex(of: name) ?? 0) + 1)"
    }
    var sealed = ["changed_at": changed]
    for index in hashes.indices { sealed[hashes[index].column] = hash(index) }
    return "UPDATE \(table) SET "
      + (sets + ["changed_at = \(changed)", design.sealing(sealed)]).joined(separator: ", ")
      + " WHERE " + keys.joined(separator: " AND ")
      + " AND (" + (guards.isEmpty ? ["0"] : guards).joined(separator: " OR ") + ")"
  }

  /// Of a row by its key, which the parameters are, whether it is there.
  var existence: String {
    let keys = design.key.enumerated().map { "\(SQLName.quoted($1)) = ?\($0 + 1)" }
    return "SELECT 1 FROM \(table) WHERE \(keys.joined(separator: " AND "))"
  }

  /// Whether it is there and the upsert would leave it alone. Parameters: the key, then the digests.
  var sameness: String {
    let same = hashes.enumerated().map { "\($1.column) IS ?\(design.key.count + 1 + $0)" }
    return ([existence] + same + ["vanished_at IS NULL"]).joined(separator: " AND ")
  }

  private func different(_ column: String, _ value: String) -> String {
    "\(table).\(column) IS NOT \(value)"
  }

  /// The value of `changed_at`: volatile columns leave it alone, and so do a row that comes back and
  /// the first value of a column that the row could not have. It stands in the statement twice, once
  /// within the seal, and gives the same both times.
  private func changedAt(_ isBack: String, _ new: (String) -> String) -> String {
    let touched = steady.map { different($0.column, new($0.column)) }
    let named = Set(steady.flatMap(\.columns)).subtracting(design.key)
    var changed = touched
    if named.contains(where: { added[$0] != nil }) {
      changed = named.sorted().map { name in
        let column = "\(table).\(SQLName.quoted(name))"
        let isOther = "\(column) IS NOT \(new(name))"
        guard let since = added[name] else { return isOther }
        return "(\(isOther) AND NOT (\(column) IS NULL "
          + "AND \(table).first_seen_at <= \(SQLName.literal(since))))"
      }
    }
    let pairs = watched.map { index in
      "\(table).\(SQLName.quoted(columns[index])), \(new(columns[index]))"
    }
    let arguments = [any(changed), any(touched + [isBack]), isBack] + pairs
    return "CASE WHEN trawl_moved(\(arguments.joined(separator: ", "))) "
      + "THEN \(now) ELSE \(table).changed_at END"
  }

  private func any(_ conditions: [String]) -> String {
    conditions.isEmpty ? "0" : "(" + conditions.joined(separator: " OR ") + ")"
  }
}

/// Columns of a table that rows stored before them could not have.
enum AddedColumns {
  static func of(
    _ table: String, _ connection: Connection
  ) throws(SQLiteError) -> [String: String] {
    let rows = try connection.rows(
      "SELECT column_name, added_at FROM trawl_columns "
        + "WHERE table_name = ? AND added_at IS NOT NULL", [.text(table)]
    ) { ($0.text(0) ?? "", $0.text(1) ?? "") }
    return Dictionary(rows) { one, _ in one }
  }
}
