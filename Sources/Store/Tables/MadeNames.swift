public import Base

/// One table, view or index that a job has made in the file. All of them share one set of names
/// with those of other jobs and of the user.
struct MadeName {
  enum Kind: Equatable {
    case table, mediaView, historyView, index
  }

  let name: String
  let kind: Kind
  /// The table that it is made for.
  let table: String

  /// `the view gh_users_media`
  var words: String {
    switch kind {
    case .table: "the table \(name)"
    case .mediaView: "the view \(name), which shows the images of \(table),"
    case .historyView: "the view \(name), which shows what \(table) held,"
    case .index: "the index \(name) of \(table)"
    }
  }

  /// Whether the object with this name is this one, from an earlier run.
  func isThis(_ type: String, of target: String, isOwnTable: Bool) -> Bool {
    switch kind {
    case .table: type == "table" && isOwnTable
    case .mediaView, .historyView: type == "view" && isOwnTable
    case .index: type == "index" && target == table
    }
  }
}

extension JobDesign {
  /// Every name that the job uses in the file.
  var names: [MadeName] {
    var all = tables.map { MadeName(name: $0.name, kind: .table, table: $0.name) }
    for (table, _, media) in ViewDesign.parts(of: self) where media != nil {
      all.append(
        MadeName(name: ViewDesign.mediaName(of: table), kind: .mediaView, table: table))
    }
    for table in tables where !volatileColumns(of: table.name).isEmpty {
      all.append(
        MadeName(name: HistoryView.view(of: table.name), kind: .historyView, table: table.name))
    }
    for table in tables {
      all += table.indexes.map { MadeName(name: $0.name, kind: .index, table: table.name) }
    }
    return all
  }

  /// Throws if two objects of the job have the same name.
  func checkOwnNames() throws(StoreError) {
    var taken: [String: MadeName] = [:]
    for one in names {
      guard let other = taken[one.name] else {
        taken[one.name] = one
        continue
      }
      // The name that the job file gives can be changed, so that one is reported: tables come first.
      throw other.kind == .table
        ? clash(
          other.table, "Trawl itself makes \(one.words): another table must be called otherwise")
        : clash(
          one.table,
          "Trawl would make \(one.name) twice, for the tables \(other.table) and \(one.table): one of "
            + "them must be called otherwise")
    }
  }

  /// Objects that other jobs or the user made in the file stay as they are: the job's names must be
  /// free, or its own already.
  func checkNames(in connection: Connection) throws {
    for one in names {
      let found = try connection.row(
        "SELECT type, tbl_name FROM sqlite_schema WHERE name = ?", [.text(one.name)]
      ) { (type: $0.text(0) ?? "", target: $0.text(1) ?? "") }
      guard let found else { continue }
      let owner = try owner(of: one.name, on: found.target, connection)
      if one.isThis(found.type, of: found.target, isOwnTable: owner == job.name) { continue }
      let what = found.type == "index" ? "an index" : "a \(found.type)"
      let whose = owner.map { "of the job \($0)" } ?? "that Trawl did not make"
      throw clash(
        one.table,
        "\(one.words) cannot be made: the database holds \(what) of that name \(whose). Call "
          + "the table otherwise, or use another --data for this job"
          + (owner == nil ? ", or rename what is there" : ""))
    }
  }

  /// The job whose table it is, or for whose table it was made.
  private func owner(
    of name: String, on target: String, _ connection: Connection
  ) throws(SQLiteError) -> String? {
    try connection.text(
      "SELECT job FROM trawl_tables WHERE table_name IN (?1, ?2) "
        + "OR (table_name || '\(ViewDesign.mediaEnd)' = ?1 AND media_sql IS NOT NULL) "
        + "OR (table_name || '\(HistoryView.end)' = ?1 AND volatile IS NOT NULL) ORDER BY table_name = ?1 DESC",
      [.text(name), .text(target)])
  }

  private func clash(_ table: String, _ message: String) -> StoreError {
    var error = StoreError(.job, "job \(job.name)", message)
    // As the job file calls it.
    error.table = String(table.dropFirst(job.tablePrefix.count + 1))
    return error
  }
}

extension RecordStore {
  /// Checks that the names of a job's tables are free, without making any.
  public func checkNames(of job: Job) throws(StoreError) {
    let design = try JobDesign(job)
    try guarded { try design.checkNames(in: connection) }
  }
}
