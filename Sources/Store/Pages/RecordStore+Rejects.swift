public import Base

/// What happened to rejects that were mapped again.
public struct RetryResult: Sendable, Equatable {
  public var fitted = 0
  public var left = 0
  /// Records that were not in their list any more when it was last read: they stay as they are.
  public var gone = 0
}

extension RecordStore {
  /// Rejects that a run added, newest first, shortened for a report.
  public func rejects(
    of job: String, run: RunID, limit: Int
  ) throws(StoreError) -> [RejectSample] {
    try rejects("run = ?2", [.text(job), SQLValue(run.number)], "reject DESC", limit)
  }

  /// The rejects of one stream, newest last; whole records before values of others.
  public func rejects(
    of stream: String, in job: String, limit: Int
  ) throws(StoreError) -> [RejectSample] {
    try rejects("stream = ?2", [.text(job), .text(stream)], "column_name <> '', reject", limit)
  }

  private func rejects(
    _ condition: String, _ values: [SQLValue], _ order: String, _ limit: Int
  ) throws(StoreError) -> [RejectSample] {
    try guarded {
      try connection.rows(
        "SELECT table_name, path, reason, substr(raw, 1, 300) FROM trawl_rejects "
          // cut: samples; rejectCount says how many there are, and the table keeps all of each
          + "WHERE job = ?1 AND \(condition) ORDER BY \(order) LIMIT ?3",
        values + [SQLValue(limit)], as: RejectSample.init(table:path:reason:raw:))
    }
  }

  /// How many rejects a job has, or one of its runs added.
  public func rejectCount(job: String, run: RunID? = nil) throws(StoreError) -> Int {
    try guarded {
      try connection.count(
        of: "trawl_rejects WHERE job = ?1 AND (?2 IS NULL OR run = ?2)",
        [.text(job), SQLValue(run?.number)])
    }
  }

  private struct Kept {
    var reject: Int64
    var stream: String
    var column: String
    var key: String?
    var raw: String
    var request: String
    var unit: Int64
  }

  /// Maps the stored rejects again, by the present columns; sends no request. At most 100,000 in
  /// one go, in transactions of 1,000.
  public func retryRejects(job: String, run: RunID) throws(StoreError) -> RetryResult {
    var result = RetryResult()
    var after: Int64 = 0
    for _ in 0..<100 {
      let last = after
      let batch = try guarded {
        try connection.rows(
          "SELECT reject, stream, column_name, record_key, raw, request, window FROM trawl_rejects "
            // cut: the caller continues after the last one
            + "WHERE job = ? AND reject > ? ORDER BY reject LIMIT 1000",
          [.text(job), .integer(last)], as: Kept.init)
      }
      guard let end = batch.last else { break }
      after = end.reject
      let (fitted, gone) = try write {
        var (fitted, gone) = (0, 0)
        for kept in batch {
          if try hasLeft(kept, job) {
            gone += 1
          } else if try retry(kept, job, run) {
            try connection.delete(Book.rejects, where: "reject = ?", [.integer(kept.reject)])
            fitted += 1
          }
        }
        return (fitted, gone)
      }
      result.fitted += fitted
      result.gone += gone
      result.left += batch.count - fitted - gone
    }
    return result
  }

  /// Whether the list has lost the record since: a whole walk that had met it would not be complete.
  private func hasLeft(_ kept: Kept, _ job: String) throws(SQLiteError) -> Bool {
    guard kept.column.isEmpty, let stream = plans[planName(job, kept.stream)]?.stream,
      stream.marksVanished, !stream.isAskedInBatches
    else { return false }
    let last = try StoredCertificate.all(of: kept.unit, connection).first?.certificate
    guard let last else { return false }
    return last.verdict == .complete && last.rule != .lastCompleteRange
      && last.proofs.contains(where: \.holdsInEachGap)
  }

  private func retry(_ kept: Kept, _ job: String, _ run: RunID) throws -> Bool {
    // If the job no longer has the stream, it cannot be mapped: its rejects stay.
    guard let plan = plans[planName(job, kept.stream)],
      // Cut or damaged text is not JSON any more; it stays as it is.
      let record = JSONValue(text: kept.raw)
    else { return false }
    if !kept.column.isEmpty { return try fill(kept, record, plan) }
    // We wrote this text; without it the columns from the request are absent.
    let request = JSONValue(text: kept.request) ?? .nothing
    let parameters = request.members.map {
      ParameterValue($0.key.string ?? "", $0.value.string ?? "")
    }
    // An artificial window: a record without its page has no position.
    let nowhere = TimeWindow(from: Instant(seconds: 0), to: Instant(seconds: 0))
    let list = try connection.integer(
      "SELECT list_number FROM trawl_windows WHERE window = ?", [.integer(kept.unit)])
    let unit = OpenUnit(
      id: kept.unit, list: list ?? 0,
      unit: Unit(stream: kept.stream, values: parameters, window: nowhere), plan: plan,
      run: run.number, prints: Fingerprints(request: 0, mapping: 0), parameters: parameters,
      traversal: 0, beganAt: now.description)
    var writer = PageWriter(
      unit: unit, connection: connection, probe: probe, wanted: wanted, now: now.description,
      reader: FieldReader(zones), parameters: parameters, base: 0)
    // It shares its key with another record, and would overwrite that one.
    if let key = kept.key, try writer.key(of: record) == key { return false }
    writer.keepsOthers = true
    try writer.store([record])
    return writer.counts.rejected == 0
  }

  /// A single value: fills the column of the row if that is still empty.
  private func fill(
    _ kept: Kept, _ value: JSONValue, _ plan: StreamPlan
  ) throws(SQLiteError) -> Bool {
    guard let slot = plan.fields.firstIndex(where: { $0.name == kept.column }),
      plan.stream.columns[slot].expression == nil, let key = kept.key,
      // We wrote the key ourselves.
      let keys = JSONValue(text: key)
    else { return false }
    try plan.follow(connection)
    let row = plan.row
    row.clear()
    var reader = FieldReader(zones)
    for (place, element) in zip(plan.keySlots, keys.elements) {
      let isText = element.withUTF8 { row.setText(place, $0) } != nil
      if !isText { _ = reader.read(element, plan.fields[place], row, place) }
    }
    guard try plan.recall(Array(plan.names.indices), of: row, connection) else { return false }
    guard row.isNull(slot) else { return true }
    guard case .stored = reader.read(value, plan.fields[slot], row, slot) else { return false }
    connection.pendingBook.beginChange()
    let outcome = try plan.writer.write(row, of: now.description, at: now.description)
    if outcome != .unchanged {
      try plan.changes.note(
        plan.writer.change, of: plan.keyText(row), at: now.description, plan.names)
    }
    try plan.altered?.note([row.digest(of: plan.keySlots)], connection)
    return true
  }
}
