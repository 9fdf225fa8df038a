internal import Base

/// Where the rows of one list are: stored in the file itself, so that any reader can select them,
/// and the proof needs no job file.
struct ListPlace: StoredValue {
  /// A membership table, or the table of the records.
  var table: String
  /// Its columns that name the record, in the order of the record's key.
  var key: [String]
  var own: NamedRow
  /// Without a membership table: the part of the digests that only this stream fills.
  var part: Int?

  init(_ plan: StreamPlan, _ parameters: [ParameterValue]) {
    if let list = plan.list {
      table = list.table.name
      key = list.keyNames
      // One request of a batch may return several lists: then no single value distinguishes them.
      own = list.own(parameters).filter { $0.value != .null }
    } else {
      table = plan.table.name
      key = plan.table.key
      own = []
      part = plan.table.part(of: plan.stream.name)
    }
  }

  /// Columns of `trawl_lists`, as `l`.
  static let columns = "l.list_table, l.list_key, l.list_where, l.list_part"

  init(_ row: inout ColumnReader) {
    (table, key) = (row.next(), row.next())
    own = KeptRow.read(row.next())
    // A damaged one may be any number, and no place in a digest.
    part = row.next(Int?.self).flatMap { $0 < 0 ? nil : $0 }
  }

  /// Joins the membership table, as `m`, to the records, as `t`.
  func join(_ recordKey: [String]) -> String {
    " JOIN \(SQLName.quoted(table)) m ON " + TableDesign.same(recordKey, of: "t", key, of: "m")
  }

  /// How many of its rows are not marked as gone.
  func present(_ connection: Connection) throws(SQLiteError) -> Int {
    try connection.count(
      of: "\(SQLName.quoted(table)) m WHERE m.vanished_at IS NULL AND \(condition("m"))")
  }

  /// Corrects the row counts of lists after rows were marked or deleted.
  /// - Parameter condition: on `trawl_lists`, as `l`.
  static func recount(
    where condition: String, _ values: [SQLValue], _ connection: Connection
  ) throws(SQLiteError) {
    let lists: [(Int64, Int, ListPlace)] = try connection.rows(
      "SELECT l.list_number, l.rows, \(columns) FROM trawl_lists l WHERE l.rows > 0 "
        + "AND \(condition)", values)
    // All lists of a stream without a membership table have the same rows.
    var counts: [String: Int] = [:]
    for (number, rows, place) in lists {
      let name = "\(place.table) \(place.condition("m"))"
      if counts[name] == nil { counts[name] = try place.present(connection) }
      guard let left = counts[name], left < rows else { continue }
      try connection.set(
        Book.lists, [("rows", SQLValue(left))], where: "list_number = ?", [.integer(number)])
    }
  }

  /// Corrects those of lists whose rows are a table's records: rows are marked by streams other than their own.
  static func recount(
    ofRecords table: String, _ connection: Connection
  ) throws(SQLiteError) {
    try recount(where: "l.list_table = ?", [.text(table)], connection)
  }

  var whereJSON: String { KeptRow.text(own) }

  /// Selects all rows of the list, gone ones too, from the table with this alias.
  func condition(_ alias: String) -> String {
    var parts = own.map { "\(alias).\(SQLName.quoted($0.name)) IS \(Self.literal($0.value))" }
    if let part { parts.append(TableDesign.has(part: part, "\(alias).")) }
    return parts.isEmpty ? "1" : parts.joined(separator: " AND ")
  }

  /// Any value as SQL text; a text with a NUL byte as its bytes.
  static func literal(_ value: SQLValue) -> String {
    switch value {
    case .null, .blob: "NULL"
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text) where text.utf8.contains(0):
      "CAST(x'\(Hexadecimal.text(text.utf8))' AS TEXT)"
    case .text(let text): SQLName.literal(text)
    }
  }
}
