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
    let content = Digest64.of(record.identity)
    try save(whole, own(digest == content ? unnamed(content) : digest, content), key: key)
  }

  /// Equal records without a key are one only if the same values were requested.
  private func unnamed(_ content: UInt64) -> UInt64 {
    let values = request.parameters.filter { $0.name != "host" }.map { "\($0.name)=\($0.value)" }
    return values.isEmpty
      ? content : KeyBlob.digest([content] + Set(values).sorted().map { Digest64.of($0.utf8) })
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
  /// a row that another list wrote in this run, it was another record: the key is unique only within one list. Of a row
  /// from an earlier run the other list decides: it is read again, and holds what came now if the record has changed.
  mutating func noteClash(
    _ read: ReadRecord, _ outcome: RowWriter.Outcome
  ) throws(SQLiteError) {
    guard !plan.variesByPlace else { return }
    let isOther = outcome == .changed || outcome == .moved
    let change = plan.writer.change
    // With positions as keys, another record at a position that was already read is not a change of its own: the list
    // moved, or there are two.
    if !read.isUnseen, isOther && plan.hasPosition || isTwin(read, isOther) {
      clashes.onPage += 1
    } else if outcome != .changed {
      return
    } else if !read.isUnseen, !plan.stream.isAskedInBatches {
      clashes.acrossPages += 1
    } else if plan.hasLists, !isOwn(change), isAnother(change) || namesThisList(read, change) {
      guard try noteOther(read, change) else { return }
    } else {
      return
    }
    clashes.example = clashes.example ?? plan.keyText(read.row)
  }

  /// Each of two lists may show a record at a different instant, but not its values of before again. Returns whether it
  /// is a clash.
  private mutating func noteOther(
    _ read: ReadRecord, _ change: RowWriter.Change
  ) throws(SQLiteError) -> Bool {
    let isSingle = plan.stream.isAskedInBatches
    let isReturn = try change.isAnother ? isReturn(read, change) : false
    if change.number > plan.began || isReturn && isSingle && !read.isUnseen {
      var isAgain = false
      if isSingle, !isReturn { isAgain = try askedAgain().count == answered.asked.count }
      if !isAgain, asksAgain { _ = try askHolders(of: read, change, isOfRun: true) }
      // The answers of another stream may be older.
      if isReturn, !plan.isShared { returns += 1 } else { clashes.acrossPages += 1 }
    } else if isReturn, !isSingle, try askHolders(of: read, change, isOfRun: true) {
      clashes.acrossPages += 1
    } else {
      if hasHolders == nil, asksAgain, try isFirstAnswer() {
        _ = try askHolders(of: read, change, isOfRun: false)
      }
      return false
    }
    return true
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

  /// The row had these very values before the last write: two lists take it from each other. Counters, flags and times
  /// may go back in one record, as an answer from a cache is older.
  private func isReturn(
    _ read: ReadRecord, _ change: RowWriter.Change
  ) throws(SQLiteError) -> Bool {
    let old = try plan.changes.old(of: plan.keyText(read.row), at: change.number)
    let before = KeptRow.read(old).filter { plan.stream.column($0.name)?.isVolatile != true }
    let now = change.earlier.map(\.slot)
      .filter { plan.stream.column(plan.names[$0])?.isVolatile != true }
    let hasWords = before.contains { old in
      old.value.text.map { Instant(stored: $0) == nil } ?? false
    }
    return hasWords && before.count == now.count
      && before.allSatisfy { old in
        now.contains { plan.names[$0] == old.name && read.row.value($0) == old.value }
      }
  }

  /// Not each run requests every one of its lists.
  private var asksAgain: Bool { plan.stream.parent?.when.isEachTime == false }

  /// Which of its values are requested again since other answers have the same records. If these have new values once
  /// more, and not those of before, they are records that change.
  mutating func askedAgain() throws(SQLiteError) -> [String] {
    if let again { return again }
    let found = try asked(
      where: "changed_run IS NOT NULL AND reason = 'failed' AND missed_run < \(unit.run)")
    again = found
    return found
  }

  /// Those of its values whose row in trawl_due meets the condition.
  private func asked(where condition: String) throws(SQLiteError) -> [String] {
    var found: [String] = []
    for value in answered.asked {
      let isMeant = try connection.has(
        "trawl_due WHERE job = ? AND stream = ? AND value = ? AND \(condition)",
        plan.ofStream + [.text(value)])
      if isMeant { found.append(value) }
    }
    return found
  }

  /// Nothing was stored for its values before.
  private func isFirstAnswer() throws(SQLiteError) -> Bool {
    plan.stream.isAskedInBatches
      ? try asked(where: "asked_run IS NOT NULL").isEmpty : !unit.hasCertificates
  }

  /// This list wrote it in this run, in another walk or window: the record has changed since.
  private func isOwn(_ change: RowWriter.Change) -> Bool {
    !plan.stream.isAskedInBatches && plan.fresh.list(of: change.number) == unit.list
  }

  /// Where two streams, or parameters, may well give one record, it takes words: counters, flags and times move on.
  private func isAnother(_ change: RowWriter.Change) -> Bool {
    guard change.isAnother else { return false }
    if !plan.isShared, plan.stream.parent != nil || plan.list != nil { return true }
    return change.earlier.contains { slot, old in
      plan.stream.column(plan.names[slot])?.isVolatile != true
        && old.text.map { Instant(stored: $0) == nil } ?? false
    }
  }

  /// The record named another list in this run, and now it names this one: little else need differ.
  private func namesThisList(_ read: ReadRecord, _ change: RowWriter.Change) -> Bool {
    guard change.number > plan.began else { return false }
    let own = answered.asked + unit.unit.values.map(\.value)
    return change.earlier.contains { slot, old in
      old != .null && plan.stream.column(plan.names[slot])?.paths.isEmpty == false
        && read.row.text(slot).map(own.contains) == true
    }
  }

  /// Whether another list, or answer, wrote a row last or has shown it in this run, and their parents' values; this
  /// one's are left out.
  private func holders(
    of read: ReadRecord, _ change: RowWriter.Change
  ) throws(SQLiteError) -> (isHeld: Bool, values: [String]) {
    guard plan.looksLeft > 0 else { return (false, []) }
    plan.looksLeft -= 1
    let streams = plan.streams.map { SQLName.literal($0) }.joined(separator: ", ")
    let pages: [(list: Int64, parameters: String, at: String, address: String, holds: Bool)] =
      try connection.rows(
        "SELECT list_number, iif(stream = ?2, parameters, ''), committed_at, address, keys FROM trawl_pages "
          + "JOIN trawl_windows USING (window) JOIN trawl_lists USING (list_number) "
          // Later pages that changed nothing have the same number.
          + "WHERE job = ?1 AND stream IN (\(streams)) "
          + "AND (change = ?3 AND new + changed + repeated > 0 OR run = ?4)",
        plan.ofStream + [.integer(change.number), .integer(unit.run)]
      ) {
        (
          $0.integer(0), $0.text(1) ?? "", $0.text(2) ?? "", $0.text(3) ?? "",
          $0.keys(4).contains(read.digest)
        )
      }
    let shown = pages.filter(\.holds)
    let others = shown.filter { $0.list != unit.list }
    guard let feed = plan.stream.parent else { return (!others.isEmpty, []) }
    if plan.stream.isAskedInBatches {
      let times = Set(shown.map(\.at) + [change.writtenAt]).map { SQLName.literal($0) }
      let asked = try connection.texts(
        "SELECT value FROM trawl_due WHERE job = ? AND stream = ? "
          + "AND asked_at IN (\(times.joined(separator: ", "))) ORDER BY value", plan.ofStream
      ).filter { !answered.asked.contains($0) }
      // Of those that were answered in one second, the addresses behind the host name the right ones.
      let places = shown.map { page in
        let place = page.address.split(separator: "/", maxSplits: 2).last ?? ""
        return String(decoding: PercentEncoding.decoded(place), as: UTF8.self)
      }
      let named = asked.filter { value in places.contains { $0.contains(value) } }
      // cut: if no address names it, any of them may show it
      let values = Array((named.isEmpty ? asked : named).prefix(max(8, feed.batch)))
      return (!values.isEmpty || !others.isEmpty, values)
    }
    let values = others.flatMap { RecordStore.values($0.parameters) }
      .filter { $0.name == feed.column && $0.value != unit.unit.value(feed.column) }.map(\.value)
    return (!others.isEmpty, values)
  }

  /// Requests the lists again that hold a row, once for each page: in this run if the row is older, else in the next
  /// one, together with this list. Returns whether there are any.
  private mutating func askHolders(
    of read: ReadRecord, _ change: RowWriter.Change, isOfRun: Bool
  ) throws(SQLiteError) -> Bool {
    if let hasHolders { return hasHolders }
    let (isHeld, values) = try holders(of: read, change)
    hasHolders = isHeld
    guard asksAgain else { return isHeld }
    let isMissed = isOfRun && plan.stream.isAskedInBatches
    // The walk of a list that is still open ends in this run, and answers nothing of the next.
    let due = unit.run + (isOfRun && !isMissed ? 1 : 0)
    var changes: Connection.Changes = [("changed_run", "\(due)")]
    if isMissed {
      changes += [
        ("missed_run", "\(unit.run)"), ("missed_at", "ifnull(missed_at, ?4)"),
        ("reason", "'failed'"), ("tries", "max(tries, 1)"), ("next_attempt_at", "NULL"),
      ]
    }
    for value in values {
      try connection.insertIfNew(
        Book.due,
        [("job", .text(plan.job)), ("stream", .text(plan.stream.name)), ("value", .text(value))])
      let times: [SQLValue] = isMissed ? [.text(now)] : []
      try connection.update(
        Book.due, changes, where: "job = ?1 AND stream = ?2 AND value = ?3",
        plan.ofStream + [.text(value)] + times)
    }
    return isHeld
  }
}
