internal import Base

/// A record that was read from a page and is to be written.
struct ReadRecord {
  let record: JSONValue
  let row: RowBuffer
  /// The row's digests, if they were taken while reading.
  var digests: [UInt64]?
  /// Its position in the list, and among the keys of its page.
  let position: Int
  let place: Int
  let digest: UInt64
  /// New in this walk.
  let isUnseen: Bool
  let trouble: RecordTrouble?
}

extension PageWriter {
  /// Writing keys in ascending order fills a tree from left to right; a list that is newest first
  /// has them descending, which leaves every leaf half empty. Of two records with one key, the last
  /// in the list is still written last, and everything reported of them stays the same.
  mutating func write(_ ready: [ReadRecord]) throws(SQLiteError) {
    var outcomes = [RowWriter.Outcome?](repeating: nil, count: ready.count)
    for index in order(of: ready) {
      let read = ready[index]
      request.position = read.position
      misfits = read.trouble?.misfits ?? []
      entryMisfits.removeAll(keepingCapacity: true)
      let before = connection.allChangedRows
      if let trouble = read.trouble, let misfit = trouble.failed ?? trouble.clash {
        let key = trouble.clash == nil ? nil : StreamPlan.json(plan.keySlots, of: read.row)
        try reject(read.record, read.digest, misfit, key: key)
      } else if let misfit = try misfitOfOther(read.row) {
        try reject(read.record, read.digest, misfit)
      } else {
        outcomes[index] = try keep(read)
      }
      if outcomes[index] != .new, connection.allChangedRows != before {
        altered.append(read.digest)
      }
    }
    for index in ready.indices {
      if outcomes[index] != nil { noteTime(ready[index].row) }
    }
  }

  /// The times of kept records, in the list's order.
  mutating func noteTime(_ row: RowBuffer) {
    guard let slot = plan.timeSlot, !row.isNull(slot) else { return }
    guard let time = row.text(slot).flatMap({ Instant(stored: $0) }) else { return }
    if let oldest, time > oldest { isNewestFirst = false }
    oldest = time
    newest = max(newest ?? time, time)
  }

  /// Rows without their own key cannot be sorted: they stay where they are.
  private func order(of ready: [ReadRecord]) -> [Int] {
    guard plan.keySlots.count == 1, let slot = plan.keySlots.first,
      ready.allSatisfy({ $0.row.kind(slot) == .integer })
    else { return Array(ready.indices) }
    let keys = ready.map { $0.row.integer(slot) }
    return ready.indices.sorted { (keys[$0], $0) < (keys[$1], $1) }
  }

  /// Why a record is not one of those that were requested; nil: it is, or nothing shows it.
  private mutating func misfitOfOther(_ row: RowBuffer) throws(SQLiteError) -> FieldMisfit? {
    guard let column = answered.column, !answered.asked.isEmpty, !answered.holds(row) else {
      return nil
    }
    if column.isCertain {
      guard let source = column.ownSource, try isAnothers(row, source) else { return nil }
    } else {
      guard answered.areOthers, try areNamed() else { return nil }
    }
    answered.isRefused = true
    let asked = answered.asked.count == 1 ? answered.asked[0] : "\(answered.asked.count) others"
    return FieldMisfit(
      origin: column.name,
      reason: "the request was for \(asked), and this is the record of \(plan.keyText(row))")
  }

  /// Whether the row of this key was made for a value that was not requested.
  private func isAnothers(_ row: RowBuffer, _ source: String) throws(SQLiteError) -> Bool {
    let asked = answered.asked.indices.map { "?\(plan.keySlots.count + $0 + 1)" }
    return try connection.has(
      "\(SQLName.quoted(plan.table.name)) WHERE \(TableDesign.isThis(plan.stream.key)) "
        + "AND CAST(\(SQLName.quoted(source)) AS TEXT) NOT IN (\(asked.joined(separator: ", ")))",
      plan.keySlots.map { row.value($0) } + answered.asked.map { .text($0) })
  }

  /// Whether stored rows name the value that they were requested for.
  private func areNamed() throws(SQLiteError) -> Bool {
    if answered.isRefused { return true }
    return try AskedRows(unit)?.nameValues(connection) ?? false
  }
}
