internal import Base

/// The SQL of a `RowWriter`.
struct RowText {
  private let table: String
  private let columns: [String]
  private let design: TableDesign

  /// The row's own dates, which an update sets.
  static let dates = ["changed_at", "vanished_at"]

  init(_ design: TableDesign, columns: [String]) {
    self.design = design
    table = SQLName.quoted(design.name)
    self.columns = columns
  }

  /// All statements for a row.
  func all(inserts: Bool) -> String { inserts ? insert + update : update }

  private var others: [String] { columns.filter { !design.key.contains($0) } }

  /// Finds a row by its key: its number, its digests, and whether it is marked as gone.
  var look: String {
    let keys = design.key.enumerated().map { "\(SQLName.quoted($1)) = ?\($0 + 1)" }
    return "SELECT rowid, \(TableDesign.digests), vanished_at IS NOT NULL FROM \(table) "
      + "WHERE \(keys.joined(separator: " AND "))"
  }

  /// Reads a row by its number: its digests, what the seal covers besides them, and the columns
  /// outside the key.
  var detail: String {
    "SELECT \(([TableDesign.digests] + (design.sealed + others).map { SQLName.quoted($0) }).joined(separator: ", ")) "
      + "FROM \(table) WHERE rowid = ?1"
  }

  /// Parameters: the columns, the instant, the change number, the digests.
  var insert: String {
    let names = columns + ["first_seen_at", TableDesign.change, TableDesign.digests]
    let values = names.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    return "INSERT INTO \(table) (\(TableDesign.list(names))) VALUES (\(values)) "
      + "ON CONFLICT (\(TableDesign.list(design.key))) DO NOTHING"
  }

  /// Parameters: the columns outside the key, the dates, the change number, the digests, the row's
  /// number.
  var update: String {
    let names = others + Self.dates + [TableDesign.change, TableDesign.digests]
    let sets = names.enumerated().map { "\(SQLName.quoted($1)) = ?\($0 + 1)" }
    return "UPDATE \(table) SET \(sets.joined(separator: ", ")) WHERE rowid = ?\(names.count + 1)"
  }
}

/// Columns that were added to a table after some of its rows were stored.
enum AddedColumns {
  static func of(
    _ table: String, _ connection: Connection
  ) throws(SQLiteError) -> [String: String] {
    try connection.dictionary(
      "SELECT column_name, added_at FROM trawl_columns "
        + "WHERE table_name = ? AND added_at IS NOT NULL", [.text(table)]
    ) { ($0.text(0) ?? "", $0.text(1) ?? "") }
  }
}
