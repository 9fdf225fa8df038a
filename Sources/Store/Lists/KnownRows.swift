internal import Model
internal import SQLite

/// How many rows of a table are there and not gone, where that is known without reading the table: as the
/// last run left it, and what this one has added since.
struct KnownRows {
  /// By table; nil: nobody knows before they are counted.
  private var counts: [String: Int?] = [:]

  func hasBegun(_ table: String) -> Bool { counts[table] != nil }

  subscript(table: String) -> Int? {
    get { counts[table] ?? nil }
    set { counts[table] = .some(newValue) }
  }

  mutating func add(_ rows: Int, to table: String) {
    if let known = self[table] { self[table] = known + rows }
  }

  /// After a transaction that was rolled back, and where rows were marked as gone.
  mutating func lose(_ table: String) { self[table] = nil }
}

extension OpenUnit {
  /// Before the first page of the run, where it may be told: of a table that one stream alone fills.
  func rowsLeft(
    wasOpen: Bool, after last: StoredCertificate?, _ connection: Connection
  ) throws(SQLiteError) -> Int? {
    guard plan.isAlone else { return nil }
    let table = SQLName.quoted(plan.table.name)
    if try connection.integer("SELECT 1 FROM \(table) LIMIT 1") == nil { return 0 }
    guard !wasOpen, unit.values.isEmpty, unit.window == nil, let last else { return nil }
    // What a walk of the whole list has received is all that there is, if it marked what did not come and
    // the job leaves out nothing that it once took.
    let certificate = last.certificate
    let isAll =
      RecordStore.seesAll(certificate, self) && certificate.counts.dropped == 0
      && last.withheld == 0
    guard isAll || certificate.rule == .lastCompleteRange else { return nil }
    // Nothing was stored since.
    return try connection.integer(
      "SELECT l.rows FROM trawl_certificates c JOIN trawl_windows w USING (window) "
        + "JOIN trawl_lists l USING (list_number) JOIN trawl_runs r ON r.run = c.run "
        + "WHERE c.certificate = (SELECT max(certificate) FROM trawl_certificates WHERE window = ?1) "
        + "AND r.exit_code = 0 "
        + "AND r.run = (SELECT max(run) FROM trawl_runs WHERE job = ?2 AND run < ?3)",
      [.integer(id), .text(plan.job), .integer(run)]
    ).map(Int.init)
  }
}
