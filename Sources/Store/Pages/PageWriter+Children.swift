internal import Base

extension ChildPlan {
  /// Null if an entry has no value there; nil: the record has no such list.
  func entries(of record: JSONValue) -> [JSONValue]? {
    if records.hasWildcard { return records.entries(in: record)?.map { $0 ?? .nothing } }
    return records.first(in: record).map { found in
      found.isArray ? Array(found.elements) : found.isNull ? [] : [found]
    }
  }
}

/// Nested lists of a record, in their own tables.
extension PageWriter {
  mutating func store(
    _ child: ChildPlan, of record: JSONValue, _ parent: RowBuffer, mayMarkGone: Bool
  ) throws(SQLiteError) {
    guard !emptied.contains(child.part),
      let entries = child.entries(of: record)
        ?? (unit.acceptsEmpty.contains(child.name) ? [] : nil)
    else { return }
    var seen = KeySet()
    var spellings = KeySpellings()
    var isWhole = mayMarkGone && !hasNestedPart
    let position = request.position
    request.parent = parent
    defer {
      request.parent = nil
      request.position = position
    }
    for (index, entry) in entries.enumerated() {
      request.position = index + 1
      child.row.clear()
      reader.spelling = nil
      var failed: FieldMisfit?
      if entry.isNull {
        failed = FieldMisfit(
          column: child.table.key.last ?? "", origin: ".",
          reason: "an entry with nothing in it", raw: "null")
      }
      for (slot, field) in child.fields.enumerated() {
        let outcome = reader.read(field, of: entry, request, into: child.row, slot)
        switch outcome {
        case .stored: continue
        case .absent:
          if field.isNeeded { failed = failed ?? FieldMisfit(field, .absent, entry) }
        case .misfit(let misfit, let value):
          let told = FieldMisfit(field, misfit, value)
          if field.isNeeded { failed = failed ?? told } else { note(told, of: child) }
        }
      }
      let digest = child.row.digest(of: child.keySlots)
      if failed == nil,
        spellings.clashes(digest, reader.spelling?.digest, wasSeen: seen.contains(digest))
      {
        failed = clash(of: child, entry)
      }
      if let failed {
        note(failed, of: child)
        noteReject("\(child.table.name).\(failed.column): \(failed.reason)", at: position)
        isWhole = false
        continue
      }
      let outcome = try child.writer.write(child.row, at: now, readsAll: unit.readsAll)
      if outcome == .new { connection.pendingBook.count(1, of: child.table.name) }
      if ![.new, .unchanged].contains(outcome) {
        try child.changes.note(
          child.writer.change, of: StreamPlan.text(child.keySlots, of: child.row), at: now,
          child.names)
      }
      let isFirst = seen.insert(digest)
      guard outcome == .changed, !child.hasPosition else { continue }
      let change = child.writer.change
      if child.hasParent, !isFirst {
        clashes.onPage += 1
      } else if !child.hasParent, change.isAnother,
        try change.number == connection.pendingBook.change(connection)
      {
        // Another record of the answer has the entry otherwise: a few may have it as it once was.
        clashes.acrossPages += 1
        sharedClashes += 1
      } else {
        continue
      }
      clashes.example =
        clashes.example ?? "\(child.table.name) \(StreamPlan.json(child.keySlots, of: child.row))"
    }
    // A rejected entry may be a stored one, and a part may lack others: none counts as gone.
    guard isWhole else { return }
    probe.keys = seen
    try child.markGone(of: parent, plan.keySlots, seen: seen.count, at: now, connection)
  }

  /// Stored under the record's key, by the column's name, with a number from the second one on.
  private mutating func note(_ misfit: FieldMisfit, of child: ChildPlan) {
    var own = misfit
    own.column = "\(child.table.name).\(misfit.column)"
    own.origin = child.records.text + (misfit.origin == "." ? "" : ".\(misfit.origin)")
    let number = entryMisfits[own.column, default: 0] + 1
    entryMisfits[own.column] = number
    if number > 1 { own.column += " \(number)" }
    misfits.append(own)
  }

  private func clash(of child: ChildPlan, _ entry: JSONValue) -> FieldMisfit {
    FieldMisfit(
      column: child.table.key.last ?? "", origin: ".",
      reason: "its key reads as that of another entry, which is written otherwise",
      raw: String(decoding: entry.json, as: UTF8.self))
  }
}
