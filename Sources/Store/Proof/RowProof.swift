internal import Base

/// Recomputes the digests of every row: records, memberships and nested lists.
final class RowProof {
  private let connection: Connection
  /// By table, the SQL that is true for a row, `t`, that is not as it was stored.
  private(set) var damage: [String: String] = [:]
  /// Tables with such rows.
  private(set) var damaged: Set<String> = []
  /// The rows of lists that only a stream's digest distinguishes from the rest of their table.
  private(set) var whole: [WholeList: ListedRows] = [:]

  /// Rows that are not marked as gone, by table.
  private(set) var present: [String: Int] = [:]

  init(_ connection: Connection) { self.connection = connection }

  func prove(_ choice: ProofChoice, _ proof: inout Proof) throws {
    let tables = try StoredTable.all(connection)
    // A scan reads each page once, so a large cache finds nothing again and only has to be filled: 5 ms
    // of the 120 that 100,000 records took.
    try connection.setCache(kilobytes: 512)
    defer {
      // Only speed depends on it.
      try? connection.setCache(kilobytes: ConnectionSettings.cacheKilobytes)
    }
    for (number, table) in tables.enumerated() where choice.takes(job: table.job) {
      try RecordStore.damaged(table.name, &proof) { try prove(table, number, &$0) }
    }
  }

  private func prove(_ table: StoredTable, _ number: Int, _ proof: inout Proof) throws {
    let digests = try OldTable.parts(of: table.name, connection)
    // A missing table is a finding about the file.
    let columns = try connection.columns(of: table.name)
    guard !columns.isEmpty, !digests.isEmpty else { return }
    let lists = try WholeList.all(in: table.name, columns: columns, connection)
    let check = RowCheck(
      "trawl_row_\(number)", digests, key: table.key, lists: lists,
      isMarked: columns.contains("vanished_at"))
    try check.define(on: connection)
    damage[table.name] = check.damage
    // Not by an index: the table itself is checked.
    var count = 0
    try connection.each(
      "SELECT \(ViewDesign.keyText(table.key)) FROM \(SQLName.quoted(table.name)) t NOT INDEXED "
        + "WHERE \(check.damage)"
    ) { row in
      count += 1
      damaged.insert(table.name)
      proof.add(table.name, row.text(0), Self.sentence(check.failed))
    }
    proof.tables.append(
      ProvedTable(name: table.name, kind: table.kind, rows: check.rows, damaged: count))
    present[table.name] = check.present
    check.isRead = true
    for (list, rows) in check.whole { whole[list] = rows }
  }

  /// Damage in the values shows in their digest; otherwise it is in what only the seal covers.
  private static func sentence(_ failed: [RowCheck.Test]) -> String {
    let own = failed.filter { !$0.isSeal }
    let names = (own.isEmpty ? failed : own).flatMap(\.names).eachOnce
    let list = names.count > 1 ? "one of \(names.joined(separator: ", "))" : names.joined()
    return "the row is not as it was stored: \(list)"
  }
}

/// What a list holds: its keys, including gone ones, and how many are not marked as gone.
struct ListedRows {
  private(set) var keys = KeySet()
  private(set) var present = 0
  var damaged = 0

  mutating func note(_ key: UInt64, isPresent: Bool) {
    _ = keys.insert(key)
    if isPresent { present += 1 }
  }
}

/// A list whose rows no value distinguishes from others of its table: all of them, or all that its
/// stream fills.
struct WholeList: Hashable {
  let table: String
  let key: [String]
  /// The part of the digests that only its stream fills.
  let part: Int?

  /// Nil: values select its rows.
  init?(_ place: ListPlace) {
    guard place.own.isEmpty else { return nil }
    (table, key, part) = (place.table, place.key, place.part)
  }

  /// The lists of a table that has their key columns.
  static func all(
    in table: String, columns: [String], _ connection: Connection
  ) throws(SQLiteError) -> [WholeList] {
    guard columns.contains("vanished_at") else { return [] }
    return try connection.rows(
      "SELECT DISTINCT \(ListPlace.columns) FROM trawl_lists l WHERE list_table = ? "
        + "ORDER BY list_key, list_where, list_part", [.text(table)], as: WholeList.init
    ).compactMap(\.self).filter { list in
      !list.key.isEmpty && list.key.allSatisfy(columns.contains)
    }
  }
}
