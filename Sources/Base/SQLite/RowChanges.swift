internal import CSQLite

/// Counts the rows of ordinary tables that a connection inserted, updated and deleted, as
/// SQLite's update hook tells them. Tables WITHOUT ROWID are not seen by the hook.
public final class RowChanges {
  public private(set) var inserted = 0
  public private(set) var updated = 0
  private(set) var deleted = 0

  /// So many rows of a table are noted one by one.
  var allMax = 20_000

  /// Nil: nothing is noted.
  private var notes: [TouchedRows]?
  /// Of the row before: so is the next one, as a rule.
  private var latest: TouchedRows?
  private var moment = Moment()
  /// Nothing was rolled back, and no time came before an earlier one: what was counted is there.
  private var countsInserted = true
  var onRollback: () -> Void = {}

  /// When rows are written, as they tell it.
  struct Moment {
    var number = 0
    var stamp = ""
  }

  /// From here on it is noted which rows are touched, and what was noted before is forgotten. False: rows
  /// that were touched before may say that it was then, so that all stay noted.
  public func note(from stamp: String) -> Bool {
    if notes != nil, stamp <= moment.stamp { return false }
    notes = []
    latest = nil
    moment = Moment(stamp: stamp)
    countsInserted = true
    return true
  }

  /// The rows that are inserted from here on say that it was then.
  public func begin(_ stamp: String) {
    guard notes != nil, stamp != moment.stamp else { return }
    if stamp < moment.stamp { forgetInserted() }
    moment = Moment(number: moment.number + 1, stamp: stamp)
  }

  /// The rows of an ordinary table that were touched since `note()`. Nil: nobody knows.
  public func noted(in table: String) -> TouchedRows? {
    guard let notes else { return nil }
    guard let note = notes.first(where: { $0.isOf(table) }) else { return touched(table) }
    return note.all == nil && note.inserted == nil ? nil : note
  }

  /// The connection keeps this object alive for as long as SQLite may call it.
  func install(on handle: OpaquePointer) {
    let own = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_update_hook(handle, countRow, own)
    sqlite3_rollback_hook(handle, rolledBack, own)
  }

  fileprivate func count(_ action: Int32) {
    switch action {
    case SQLITE_INSERT: inserted &+= 1
    case SQLITE_UPDATE: updated &+= 1
    default: deleted &+= 1
    }
  }

  fileprivate func note(_ action: Int32, _ row: Int64, in table: UnsafePointer<CChar>) {
    guard notes != nil else { return }
    if latest?.isOf(table) != true {
      latest = notes?.first { $0.isOf(table) }
    }
    if latest == nil {
      let new = touched(table)
      notes?.append(new)
      latest = new
    }
    latest?.add(
      row, isInserted: action == SQLITE_INSERT, isDeleted: action == SQLITE_DELETE, moment)
  }

  private func touched(_ table: UnsafePointer<CChar>) -> TouchedRows {
    let new = TouchedRows(table, allMax: allMax)
    if !countsInserted { new.forgetInserted() }
    return new
  }

  fileprivate func forgetInserted() {
    countsInserted = false
    for note in notes ?? [] { note.forgetInserted() }
  }
}

private func countRow(
  _ context: UnsafeMutableRawPointer?, _ action: Int32, _ database: UnsafePointer<CChar>?,
  _ table: UnsafePointer<CChar>?, _ row: sqlite3_int64
) {
  guard let context, let table else { return }
  let changes = Unmanaged<RowChanges>.fromOpaque(context).takeUnretainedValue()
  changes.count(action)
  changes.note(action, row, in: table)
}

private func rolledBack(_ context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  let changes = Unmanaged<RowChanges>.fromOpaque(context).takeUnretainedValue()
  changes.forgetInserted()
  changes.onRollback()
}
