public import Base

/// What came of a wish to forget records.
public struct Erasure: Sendable {
  public var forgotten = Forgotten()
  public var records = 0
  /// Keys of which nothing is here.
  public var unknown: [String] = []
  /// Keys that were forgotten before, and when.
  public var before: [(key: String, at: Instant)] = []
}

/// Who wants records to be forgotten.
public enum ForgettingWish: Sendable, Equatable {
  /// A person: no run brings them back.
  case person
  /// A person who only wants to know what would go.
  case rehearsal
  /// A job that keeps nothing longer: what the API shows again is stored again.
  case retention
}

extension RecordStore {
  private struct Rehearsed: Error {}

  /// Takes the records with these keys out of the file, with all that it holds of them, in one transaction. Their
  /// bytes stay in the file until it is written anew: `unwiped` says so.
  /// - Parameter file: the job's file, where it is there.
  public func forget(
    _ keys: [[SQLValue]], of table: KeyedTable, _ file: Job?, _ wish: ForgettingWish
  ) throws(StoreError) -> Erasure {
    let moment = now
    let texts = try traces(of: keys, in: table, isThorough: wish != .retention).texts
    defer {
      for plan in plans.values { plan.forgotten.reload() }
      altered = [:]
    }
    return try guarded {
      var erasure = Erasure()
      do {
        try connection.transaction {
          erasure = try erase(keys, table, file, wish, at: moment)
          if erasure.records > 0 { try forgetMentions(texts) }
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
    var names: [RecordEraser.Name] = []
    let stones = try Tombstone.all(of: table.job, connection).filter { $0.table == table.name }
    for key in keys {
      let name = try eraser.name(key)
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
    let files = try eraser.conclude(names) { windows in
      if wish != .retention { try refuseWalked(windows, table.job) }
    }
    try forgetAnswers(with: table.name)
    try noteUnwiped(files, at: moment)
    erasure.forgotten = eraser.forgotten
    erasure.records = eraser.records
    return erasure
  }

  /// A run that is at work would go on with a walk whose evidence is gone.
  private func refuseWalked(_ windows: Set<Int64>, _ job: String) throws {
    guard !windows.isEmpty, JobLock.runner(of: job, in: folder) != nil else { return }
    throw StoreError(
      .busy, folder.databasePath,
      "a run of \(job) is under way, and addresses of its lists name the record; nothing was forgotten. Forget it "
        + "again when the run has ended")
  }

  /// Lets pages bring records back that were forgotten. Returns those of the keys that were.
  public func letReturn(
    _ keys: [[SQLValue]], of table: KeyedTable
  ) throws(StoreError) -> [String] {
    defer { for plan in plans.values { plan.forgotten.reload() } }
    return try writeDurably {
      let eraser = try RecordEraser(table, nil, connection, at: now)
      var letBack: [String] = []
      for key in keys {
        let name = try eraser.name(key)
        var stones = try Tombstone.all(of: table.job, connection).filter {
          $0.table == table.name && $0.digest == name.digest
        }
        guard !stones.isEmpty else { continue }
        stones[0].mayReturn = true
        try connection.note(stones[0].key(of: table.job), stones[0].fact)
        letBack.append(name.text)
      }
      // What a stored page stands for is read again.
      if !letBack.isEmpty { try forgetAnswers(with: table.name) }
      return letBack
    }
  }

  /// Forgets in a database that was restored what the one that it replaces had forgotten: persons asked for it.
  func forgetAgain(what other: String) throws(StoreError) {
    // One that cannot be read is set aside as it is.
    guard let former = try? Connection(other, .readOnly) else { return }
    defer { former.close() }
    let all = try? Tombstones.staying(former)  // the same
    try write {
      for (job, stone) in all ?? [] { try connection.note(stone.key(of: job), stone.fact) }
    }
    for table in try keyedTables() {
      let own = (all ?? []).map(\.stone).filter { $0.table == table.name }
      if own.isEmpty { continue }
      probe.keys = KeySet(own.map(\.digest))
      defer { probe.keys = KeySet() }
      let columns = TableDesign.list(table.key.map(\.name))
      let keys = try keys(of: table, where: "trawl_seen(\(columns))")
      if !keys.isEmpty { _ = try forget(keys, of: table, nil, .person) }
    }
  }

  /// - Parameter condition: of the table `p`.
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
