/// The columns that Trawl adds to the tables of records.
extension TableDesign {
  static let times = [
    Column(
      name: "first_seen_at", type: "TEXT", isNeeded: true, comment: "when Trawl stored it first"),
    Column(
      name: "changed_at", type: "TEXT", comment: "when a column that is not volatile changed last"),
    Column(
      name: "vanished_at", type: "TEXT", comment: "when it was no longer in any list"),
  ]

  static let digests = "trawl_hash"
  /// The number of the row's last change.
  static let change = "trawl_change"

  static let ownColumns = [
    Column(
      name: change, type: "INTEGER", isNeeded: true,
      comment: "the number of the last change of this row: see trawl_changes"),
    Column(
      name: digests, type: "BLOB", isNeeded: true,
      comment: "digests of the row's values, for trawl prove"),
  ]
}
