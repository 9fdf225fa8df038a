internal import Base

extension PageWriter {
  /// Child streams request again when their parent has changed, or what it carries has, and as if for the first time
  /// when it came back; whatever was missing before may be there now.
  func markDue(_ row: RowBuffer, isBack: Bool, isNew: Bool) throws(SQLiteError) {
    let changed = isNew ? [] : plan.writer.change.earlier.map(\.slot)
    for mark in plan.dueMarks {
      // A value that comes back is one of a record that comes back.
      let isBack = isBack || changed.contains(mark.slot)
      let isDue =
        isBack || (isNew ? mark.isOfNew : mark.isOfChange)
        || mark.carried.contains(where: changed.contains)
      guard isDue, let value = row.text(mark.slot) else { continue }
      // Its first list may be half read.
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
