public import Base

/// The result of a request to forget records.
public struct Erasure: Sendable {
  public var forgotten = Forgotten()
  public var records = 0
  /// Keys that are not stored.
  public var unknown: [String] = []
  /// Rows of child streams that name the records; they stay.
  public var naming: [Naming] = []

  public struct Naming: Sendable, Equatable {
    public let table, column, value: String
    public let count: Int
  }

  /// Keys that were forgotten before, and when.
  public var before: [(key: String, at: Instant)] = []
}

/// Why records are forgotten.
public enum ForgettingWish: Sendable, Equatable {
  /// A user asked for it: no run stores them again.
  case person
  /// A user only wants to see what would be deleted.
  case rehearsal
  /// Their retention time is over; if the API returns them again, they are stored again.
  case retention
  /// A user asked for it earlier; the database is being restored, so no run uses it.
  case restore
}

extension RecordStore {
  private struct Rehearsed: Error {}

  /// Deletes the records with these keys from the file, with everything that it holds of them, in
  /// one transaction. Their bytes stay in the file until it is rewritten: `unwiped` says so.
  /// - Parameters:
  ///   - file: the job's file, if it is known.
  ///   - traces: of these records, if they were collected before.
  public func forget(
    _ keys: [[SQLValue]], of table: KeyedTable, _ file: Job?, _ wish: ForgettingWish,
    _ traces: RecordTraces? = nil
  ) throws(StoreError) -> Erasure {
    let moment = now
    let found: RecordTraces
    if let traces {
      found = traces
    } else {
      found = try self.traces(of: keys, in: table, isThorough: wish != .retention, withPaths: false)
    }
    defer {
      for plan in plans.values { plan.forgotten.reload() }
      altered = [:]
    }
    return try guarded {
      var erasure = Erasure()
      do {
        try connection.transaction {
          erasure = try erase(keys, table, file, wish, at: moment)
          if erasure.records > 0 { try forgetMentions(found.texts, of: keys) }
          if wish == .rehearsal { throw Rehearsed() }
          try checkPlace()
          settings.faults.reach(.beforeForgetting)
        }
        settings.faults.reach(.afterForgetting)
      } catch is Rehearsed {}  // rolled back
      return erasure
    }
  }

  private func erase(
    _ keys: [[SQLValue]], _ table: KeyedTable, _ file: Job?, _ wish: ForgettingWish,
    at moment: Instant
  ) throws -> Erasure {
    var erasure = Erasure()
    var eraser = try RecordEraser(table, file, connection, at: moment)
    var names: [KeyName] = []
    let stones = try Tombstone.all(of: table.job, connection).filter { $0.table == table.name }
    for key in keys {
      let name = try KeyName(key, connection)
      let isHere = try eraser.erase(
        key, name, mayReturn: wish == .retention)
      if isHere {
        names.append(name)
      } else if let stone = stones.first(where: { $0.digest == name.digest }) {
        erasure.before.append((name.text, stone.at))
      } else {
        erasure.unknown.append(name.text)
      }
    }
    guard !names.isEmpty else { return erasure }
    if wish != .retention { try eraser.noteLists(with: NamedTexts(names.map(\.text))) }
    let files = try eraser.conclude(names) { windows in
      if wish == .person || wish == .rehearsal { try refuseWalked(windows, table.job) }
    }
    try forgetAnswers(with: table.name)
    try ListPlace.recount(
      where: "l.job = ? AND l.table_name = ?", [.text(table.job), .text(table.name)], connection)
    try noteUnwiped(files)
    erasure.forgotten = eraser.forgotten
    erasure.records = eraser.records
    erasure.naming = eraser.naming
    return erasure
  }

  /// Throws during a run, which would continue a walk whose evidence is gone.
  private func refuseWalked(_ windows: Set<Int64>, _ job: String) throws {
    guard !windows.isEmpty, JobLock.runner(of: job, in: folder) != nil else { return }
    throw StoreError(
      .busy, folder.databasePath,
      "a run of \(job) is under way, and addresses of its lists name the record; nothing was forgotten. Forget it "
        + "again when the run has ended")
  }

  /// Lets pages store forgotten records again. Returns the keys that had been forgotten.
  public func letReturn(
    _ keys: [[SQLValue]], of table: KeyedTable
  ) throws(StoreError) -> [String] {
    defer { for plan in plans.values { plan.forgotten.reload() } }
    return try writeDurably {
      var letBack: [String] = []
      let stones = try Tombstone.all(of: table.job, connection).filter { $0.table == table.name }
      for key in keys {
        let name = try KeyName(key, connection)
        guard var stone = stones.first(where: { $0.digest == name.digest }) else { continue }
        stone.mayReturn = true
        try connection.note(stone.key, stone.fact)
        letBack.append(name.text)
      }
      // Answers identical to a stored page's are read again.
      if !letBack.isEmpty { try forgetAnswers(with: table.name) }
      return letBack
    }
  }

  /// Forgets in a restored database what was forgotten in the one that it replaces, and notes the copies of that.
  func forgetAgain(
    _ stones: [Tombstone], copies: [(subject: String, fact: SQLValue)]
  ) throws(StoreError) {
    try write {
      for stone in stones { try connection.note(stone.key, stone.fact) }
      for copy in copies { try connection.note(FactKey(.copy, copy.subject), copy.fact) }
    }
    try forgetAgain()
  }

  /// Forgets again what users have forgotten: a backup may still hold it, even under an earlier table name.
  func forgetAgain(of job: String? = nil) throws(StoreError) {
    let all = try guarded { try Tombstone.all(connection).filter { !$0.mayReturn } }
    for table in try keyedTables() where job.map({ $0 == table.job }) ?? true {
      let own = all.filter { $0.table == table.name }
      if own.isEmpty { continue }
      probe.keys = KeySet(own.map(\.digest))
      defer { probe.keys = KeySet() }
      let columns = TableDesign.list(table.key.map(\.name))
      let keys = try keys(of: table, where: "trawl_seen(\(columns))")
      if !keys.isEmpty { _ = try forget(keys, of: table, nil, .restore) }
    }
  }

  /// Whether any record was forgotten.
  public func hasForgotten() throws(StoreError) -> Bool {
    try guarded { try connection.has("trawl_facts WHERE kind = 'forgotten'") }
  }

  public func hasForgotten(of job: String, since moment: Instant) throws(StoreError) -> Bool {
    try guarded {
      // Stored times have no fraction.
      try Tombstone.all(of: job, connection).contains {
        !$0.mayReturn && $0.at.description >= moment.description
      }
    }
  }

  /// - Parameter condition: on the table `p`.
  func keys(
    of table: KeyedTable, where condition: String, _ values: [SQLValue] = []
  ) throws(StoreError) -> [[SQLValue]] {
    let columns = table.key.map { SQLName.quoted($0.name) }.joined(separator: ", ")
    return try guarded {
      try connection.rows(
        "SELECT \(columns) FROM \(SQLName.quoted(table.name)) p WHERE \(condition) ORDER BY rowid",
        values
      ) { row in
        table.key.indices.map { index in
          table.key[index].isInteger ? .integer(row.integer(index)) : .text(row.text(index) ?? "")
        }
      }
    }
  }
}
