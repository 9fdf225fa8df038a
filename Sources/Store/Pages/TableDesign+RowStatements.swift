internal import Base

/// The SQL of a `RowWriter`.
/// - Parameter columns: those that its stream writes.
extension TableDesign {
  /// The row's own dates that an update sets.
  static let dates = ["changed_at", "vanished_at"]

  private func others(_ columns: [String]) -> [String] { columns.filter { !key.contains($0) } }

  /// Finds a row by its key: its number, its digests, and whether it is marked as gone.
  var look: String {
    "SELECT rowid, \(Self.digests), vanished_at IS NOT NULL FROM \(SQLName.quoted(name)) "
      + "WHERE \(Self.isThis(key))"
  }

  /// Reads a row by its number: its digests, what else the seal covers, and the columns outside the key.
  func detail(_ columns: [String]) -> String {
    let read = ([Self.digests] + (sealed + others(columns)).map { SQLName.quoted($0) })
    return "SELECT \(read.joined(separator: ", ")) FROM \(SQLName.quoted(name)) WHERE rowid = ?1"
  }

  /// Parameters: the columns, the instant, the change number, the digests.
  func insert(_ columns: [String]) -> String {
    let names = columns + ["first_seen_at", Self.change, Self.digests]
    let values = names.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    return "INSERT INTO \(SQLName.quoted(name)) (\(Self.list(names))) VALUES (\(values)) "
      + "ON CONFLICT (\(Self.list(key))) DO NOTHING"
  }

  /// Parameters: the columns outside the key, the dates, the change number, the digests, the row's number.
  func update(_ columns: [String]) -> String {
    let names = others(columns) + Self.dates + [Self.change, Self.digests]
    let sets = names.enumerated().map { "\(SQLName.quoted($1)) = ?\($0 + 1)" }
    return "UPDATE \(SQLName.quoted(name)) SET \(sets.joined(separator: ", ")) "
      + "WHERE rowid = ?\(names.count + 1)"
  }
}
