internal import Base

/// What came, changed and went in a list, minute by minute, for the two days that people ask about. It is
/// counted where rows are written: certificates of earlier walks are folded, and a walk that was killed
/// or begun anew has none of what it stored.
struct Tally {
  static let kept = Duration.seconds(2 * 86_400)

  private static let columns = "trawl_tallies (list_number, minute, new, changed, vanished)"

  private static let adding =
    "ON CONFLICT DO UPDATE SET new = new + excluded.new, changed = changed + excluded.changed, "
    + "vanished = vanished + excluded.vanished"

  let list: Int64
  let connection: Connection

  /// `2026-11-24T05:12`: the order of the text is the order of time.
  static func minute(_ instant: String) -> String {
    String(instant.prefix(16))  // cut: seconds are not told apart
  }

  func add(
    new: Int = 0, changed: Int = 0, vanished: Int = 0, at now: String
  ) throws(SQLiteError) {
    // What did not fit and fits now may have outlived its list, which then has no number.
    guard list > 0, new + changed + vanished > 0 else { return }
    try connection.run(
      "INSERT INTO \(Self.columns) VALUES (?, ?, ?, ?, ?) \(Self.adding)",
      [
        .integer(list), .text(Self.minute(now)), SQLValue(new), SQLValue(changed),
        SQLValue(vanished),
      ])
  }

  /// What nobody asks about any more, of all lists: looked for once a run, and not for each list.
  static func forgetOld(_ now: Instant, _ connection: Connection) throws(SQLiteError) {
    try connection.run(
      "DELETE FROM trawl_tallies WHERE minute < ?",
      [.text(minute((now - kept).description))])
  }
}
