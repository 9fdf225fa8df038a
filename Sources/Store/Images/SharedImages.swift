internal import Base

/// The URLs of a job's images that records of other jobs have too. A row belongs to the job that
/// queued it; when that job is deleted, another one takes it over with its file.
struct SharedImages {
  /// A column of another job's table whose value is the identity of an image.
  private struct Column {
    var job: String
    var table: String
    var role: String
    /// Rows with the identity and the record's key.
    var rows: String

    func owner(_ key: String) -> Connection.Values {
      [
        ("job", .text(job)), ("table_name", .text(table)), ("role", .text(role)),
        ("record_key", .text(key)),
      ]
    }
  }

  private let job: String?
  private let connection: Connection
  private var columns: [Column] = []

  init(besides job: String?, _ connection: Connection) throws(SQLiteError) {
    (self.job, self.connection) = (job, connection)
    for table in try RecordStore.pictured(connection) {
      let found: [(String, String, String)] = try connection.rows(
        "SELECT job, column_name, media_sql FROM trawl_tables JOIN trawl_columns USING (table_name)"
          + " WHERE table_name = ? AND job IS NOT ? ORDER BY column_name",
        [.text(table.name), SQLValue(job)])
      for (owner, column, view) in found {
        for path in table.paths {
          let role = String(path.dropLast(ViewDesign.pathEnd.count))
          let identity = MediaPlan.urlSQL(column, table: table.name, role: role)
          let shown = ViewDesign.shown(identity: identity, path: path)
          guard try connection.integer("SELECT instr(?, ?)", [.text(view), .text(shown)]) != 0
          else { continue }
          columns.append(
            Column(
              job: owner, table: table.name, role: role,
              rows: "SELECT \(identity) AS identity, "
                + "\(ViewDesign.keyText(table.key)) AS record_key "
                + "FROM \(SQLName.quoted(table.name)) t "
                + "WHERE t.\(SQLName.quoted(column)) IS NOT NULL"))
        }
      }
    }
  }

  /// Digests of the identities that records of other jobs have, read table by table: one statement joins at most 500.
  func identities() throws(SQLiteError) -> KeySet {
    var found = KeySet()
    for column in columns {
      try connection.each("SELECT trawl_hash(identity) FROM (\(column.rows))") {
        _ = found.insert($0.bits(0))
      }
    }
    return found
  }

  /// How many URLs of the job no other job has.
  func othersCount() throws(SQLiteError) -> Int {
    let others = try identities()
    let own: [UInt64] = try connection.rows(
      "SELECT trawl_hash(identity) FROM trawl_media_urls WHERE job = ?", [SQLValue(job)])
    return own.count { !others.contains($0) }
  }

  func reassign() throws(SQLiteError) {
    for column in columns {
      let shown: [(String, String)] = try connection.rows(
        "SELECT u.identity, other.record_key FROM trawl_media_urls u JOIN (\(column.rows)) AS other "
          + "USING (identity) WHERE u.job = ?", [SQLValue(job)])
      for (identity, key) in shown {
        try connection.set(
          Book.mediaURLs, column.owner(key), where: "identity = ?", [.text(identity)])
      }
    }
  }

  /// The identities among these that a record of another job has, with the values for their rows' new owner.
  func shown(
    among identities: Set<ExactText>
  ) throws(SQLiteError) -> [ExactText: Connection.Values] {
    var shown: [ExactText: Connection.Values] = [:]
    for column in columns where !identities.isEmpty {
      try connection.each(column.rows) { rows in
        let identity = ExactText(rows.text(0) ?? "")
        if identities.contains(identity), shown[identity] == nil {
          shown[identity] = column.owner(rows.text(1) ?? "")
        }
      }
    }
    return shown
  }
}
