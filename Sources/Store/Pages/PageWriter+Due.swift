internal import Base

extension PageWriter {
  /// Makes values due again in child streams: when the parent or what it carries has changed, and as if for the first
  /// time when it came back. Absent values become due too, since they may exist now.
  func markDue(_ row: RowBuffer, isBack: Bool, isNew: Bool) throws(SQLiteError) {
    let changed = isNew ? [] : plan.writer.change.earlier.map(\.slot)
    for mark in plan.dueMarks {
      // A changed value counts like a record that came back.
      let isBack = isBack || changed.contains(mark.slot)
      let isDue =
        isBack || (isNew ? mark.isOfNew : mark.isOfChange)
        || mark.carried.contains(where: changed.contains)
      guard isDue, let value = row.text(mark.slot) else { continue }
      // The value's first list may be half read.
      if !isBack, !isNew {
        try connection.insertIfNew(
          Book.due,
          [("job", .text(plan.job)), ("stream", .text(mark.stream)), ("value", .text(value))])
      }
      let again = ("next_attempt_at", "iif(next_attempt_at IS NULL, NULL, ?4)")
      try connection.update(
        Book.due,
        isBack || isNew
          ? [("asked_run", "NULL"), again] : [("changed_run", "\(unit.run)"), again],
        where: "job = ? AND stream = ? AND value = ?",
        [.text(plan.job), .text(mark.stream), .text(value), .text(now)])
    }
  }
}
