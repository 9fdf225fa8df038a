internal import JSON
internal import Model
internal import SQLite

/// Nested lists of a record, in tables of their own.
extension PageWriter {
  mutating func store(
    _ child: ChildPlan, of record: JSONValue, _ parent: RowBuffer
  ) throws(SQLiteError) {
    guard let found = child.records.first(in: record) else { return }
    var seen = KeySet()
    var isWhole = true
    let entries = found.isArray ? Array(found.elements) : found.isNull ? [] : [found]
    let position = request.position
    request.parent = parent
    defer {
      request.parent = nil
      request.position = position
    }
    for (index, entry) in entries.enumerated() {
      request.position = index + 1
      child.row.clear()
      var failed: FieldMisfit?
      for (slot, field) in child.fields.enumerated() {
        let outcome = reader.read(field, of: entry, request, into: child.row, slot)
        switch outcome {
        case .stored: continue
        case .absent:
          if field.isNeeded { failed = failed ?? Self.told(field, .absent, entry) }
        case .misfit(let misfit, let value):
          let told = Self.told(field, misfit, value)
          if field.isNeeded { failed = failed ?? told } else { misfits.append(told) }
        }
      }
      if var failed {
        failed.column = "\(child.table.name).\(failed.column)"
        misfits.append(failed)
        isWhole = false
        continue
      }
      let outcome = try child.writer.write(child.row, at: now)
      let isFirst = seen.insert(child.row.digest(of: child.keySlots))
      if !isFirst, outcome == .changed, child.hasParent, !child.hasPosition {
        clashes.onPage += 1
        clashes.example =
          clashes.example ?? "\(child.table.name) \(StreamPlan.json(child.keySlots, of: child.row))"
      }
    }
    // An entry that did not fit may be one of those that are stored: nobody is taken for gone.
    guard isWhole else { return }
    probe.keys = seen
    try child.markGone(of: parent, plan.keySlots, seen: seen.count, at: now)
  }
}
