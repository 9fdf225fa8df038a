internal import Base

/// A record of a page that was read, and waits to be written.
struct ReadRecord {
  let record: JSONValue
  let row: RowBuffer
  /// Of the row, where they were taken as it was read.
  var digests: [UInt64]?
  /// Where it stands in the list, and among the keys of its page.
  let position: Int
  let place: Int
  let digest: UInt64
  /// New to the walk.
  let isUnseen: Bool
  let trouble: RecordTrouble?
}

extension PageWriter {
  /// Rising keys fill a tree from left to right; a list that is newest first has them falling, which
  /// leaves every leaf half empty. Which of two records with one key is written last stays as the list
  /// has it, and so does all that is told of them.
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

  /// Of rows without a key of their own nothing is known: they stay where they are.
  private func order(of ready: [ReadRecord]) -> [Int] {
    guard plan.keySlots.count == 1, let slot = plan.keySlots.first,
      ready.allSatisfy({ $0.row.kind(slot) == .integer })
    else { return Array(ready.indices) }
    let keys = ready.map { $0.row.integer(slot) }
    return ready.indices.sorted { (keys[$0], $0) < (keys[$1], $1) }
  }
}
