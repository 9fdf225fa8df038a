internal import Base

/// The seal of a row: a digest over whatever no other digest of the row covers (dates, positions,
/// columns of an older job file) and over those digests themselves. It says nothing of what changed,
/// so that a position or a date makes no row new; it finds damage in every column of every row.
extension TableDesign {
  static let seal = "trawl_hash_row"

  static func sealColumn(_ comment: String) -> Column {
    Column(name: seal, type: "INTEGER", isNeeded: true, comment: comment)
  }

  /// What the seal is taken over, in order.
  var sealed: [String] {
    let covered = Set(hashes.flatMap(\.columns))
    return columns.map(\.name).filter { $0 != Self.seal && !covered.contains($0) } + kept
  }

  /// The seal as SQL: of the row that is there, with these columns set to other values.
  func sealSQL(_ values: [String: String] = [:], others: (String) -> String) -> String {
    let list = sealed.map { values[$0] ?? others($0) }
    return "trawl_hash(\(list.joined(separator: ", ")))"
  }

  /// For `UPDATE … SET`: unnamed columns keep what they hold.
  func sealing(_ values: [String: String]) -> String {
    "\(Self.seal) = " + sealSQL(values) { "\(SQLName.quoted(name)).\(SQLName.quoted($0))" }
  }

  /// For `INSERT … VALUES`: unnamed columns are NULL.
  func sealOfNew(_ values: [String: String]) -> String { sealSQL(values) { _ in "NULL" } }
}
