internal import Base

/// What did not fit: stored raw, each record and each value once.
extension PageWriter {
  /// - Parameter key: the key that it shares with another record, if that is the problem.
  mutating func reject(
    _ record: JSONValue, _ digest: UInt64, _ misfit: FieldMisfit, key: String? = nil
  ) throws(SQLiteError) {
    var whole = misfit
    whole.raw = String(decoding: record.json, as: UTF8.self)
    whole.reason = misfit.column.isEmpty ? misfit.reason : "\(misfit.column): \(misfit.reason)"
    whole.column = ""
    counts.rejected += 1
    noteReject(whole.reason, at: request.position)
    try save(whole, own(digest, Digest64.of(record.identity)), key: key)
  }

  /// A part of the answer that is not JSON: only its bytes identify it.
  mutating func reject(_ damage: DamagedRecord) throws(SQLiteError) {
    let digest = Digest64.of(damage.bytes)
    keys.append(digest)
    if unit.seen.insert(digest) { unseen += 1 }
    counts.rejected += 1
    noteReject(damage.reason, at: request.position)
    let misfit = FieldMisfit(
      origin: plan.stream.records.text, reason: damage.reason,
      raw: String(decoding: damage.bytes, as: UTF8.self))
    try save(misfit, digest, key: nil)
  }

  mutating func noteReject(_ reason: String, at position: Int) {
    guard position < firstReject?.position ?? .max else { return }
    firstReject = (position, reason)
  }

  /// The key of a reject: the digest of its record's key, so that the same record replaces itself from night to night;
  /// if this walk has stored another record under it, a digest of its own.
  private func own(_ digest: UInt64, _ content: UInt64) -> UInt64 {
    guard let other = unit.rejected[digest] else {
      unit.rejected[digest] = content
      return digest
    }
    return other == content ? digest : KeyBlob.digest([digest, content])
  }

  /// Values that now fit are removed from the rejects; those that do not are stored there.
  mutating func settleRejects(_ row: RowBuffer, _ digest: UInt64) throws(SQLiteError) {
    // Another record with this key, which this walk rejected, stays rejected.
    if plan.openRejects.contains(digest), unit.rejected[digest] == nil {
      let open: [(Int64, String)] = try connection.rows(
        "SELECT reject, column_name FROM trawl_rejects "
          + "WHERE job = ? AND stream = ? AND key_digest = ?",
        [.text(plan.job), .text(plan.stream.name), SQLValue(bits: digest)])
      let columns = Set(misfits.map(\.column))
      for (reject, column) in open where !columns.contains(column) {
        try connection.delete(Book.rejects, where: "reject = ?", [.integer(reject)])
      }
      if misfits.isEmpty { plan.openRejects.remove(digest) }
    }
    guard !misfits.isEmpty else { return }
    fieldRejects += misfits.count
    let key = StreamPlan.json(plan.keySlots, of: row)
    for misfit in misfits { try save(misfit, digest, key: key) }
  }

  /// The same reject again writes nothing.
  private mutating func save(
    _ misfit: FieldMisfit, _ digest: UInt64, key: String?
  ) throws(SQLiteError) {
    plan.openRejects.insert(digest)
    try connection.put(
      Book.rejects, by: ["job", "stream", "key_digest", "column_name"],
      [
        ("job", .text(plan.job)), ("stream", .text(plan.stream.name)),
        ("table_name", .text(plan.table.name)), ("key_digest", SQLValue(bits: digest)),
        ("record_key", SQLValue(key)), ("column_name", .text(misfit.column)),
        ("path", .text(misfit.origin)), ("reason", .text(misfit.reason)),
        ("raw", .text(misfit.raw)),
        ("request", .text(JSONObject(request.parameters.map { ($0.name, $0.value) }).jsonText)),
        ("window", .integer(unit.id)), ("run", .integer(unit.run)), ("first_seen_at", .text(now)),
      ], changing: ["raw", "reason", "path"], ifOther: ["raw", "reason"])
  }
}

/// Records that share a key.
extension PageWriter {
  /// Counts a record if this walk wrote other values to its row. Volatile values change from page to page, but not
  /// within one answer: there, two records with one key differ, whatever is stored of them. If hardly anything stays of
  /// a row that another list wrote in this run, it was another record: the key is unique only within one list.
  mutating func noteClash(_ read: ReadRecord, _ outcome: RowWriter.Outcome) {
    guard !plan.variesByPlace else { return }
    let isOther = outcome == .changed || outcome == .moved
    // With positions as keys, another record at a position that was already read is not a change of its own: the list
    // moved, or there are two.
    if !read.isUnseen, isOther && plan.hasPosition || isTwin(read, isOther) {
      clashes.onPage += 1
    } else if !isOther {
      return
    } else if outcome == .changed,
      // Each of two lists may show a record at a different instant.
      !read.isUnseen && !plan.stream.isAskedInBatches || isAnothers(plan.writer.change)
    {
      clashes.acrossPages += 1
    } else {
      return
    }
    clashes.example = clashes.example ?? plan.keyText(read.row)
  }

  /// Whether another record of the answer has its key. Some answers repeat a record: a search under several ranks, a
  /// list with columns of its own once for each of their values, records nested in others (or with a nested key) once
  /// in each; and an expression may make one key of several spellings.
  private func isTwin(_ read: ReadRecord, _ isOther: Bool) -> Bool {
    guard let place = kept[read.digest], place < read.place else { return false }
    if isOther { return true }
    let stream = plan.stream
    return !stream.isSearch && !stream.records.hasWildcard && plan.list?.isOfRecords != true
      && stream.key.allSatisfy { name in
        stream.column(name).map {
          $0.expression == nil && $0.paths.allSatisfy { $0.steps.count < 2 }
        }
          ?? true
      }
      && place < records.count && records[place].identity != read.record.identity
  }

  private func isAnothers(_ change: RowWriter.Change) -> Bool {
    plan.hasLists && change.isAnother && change.number > plan.began
  }
}
