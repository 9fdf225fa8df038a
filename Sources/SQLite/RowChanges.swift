internal import CSQLite
internal import Glibc

/// Counts the rows of ordinary tables that a connection inserted, updated and deleted, as
/// SQLite's update hook tells them. Tables WITHOUT ROWID are not seen by the hook.
public final class RowChanges {
  /// Tables whose names begin so are not counted: a search index writes rows of its own while a
  /// trigger of an ordinary table runs.
  public static let uncountedPrefix = "trawl_search_"

  public private(set) var inserted = 0
  public private(set) var updated = 0
  public private(set) var deleted = 0

  /// Of more rows than these in one table it is not noted which they are.
  public static let notedMax = 20_000
  /// Nil: nothing is noted.
  private var notes: [TableNote]?
  /// Of the row before: so is the next one, as a rule.
  private var latest: TableNote?

  /// From here on it is noted which rows are touched; what was noted before is forgotten.
  public func note() {
    notes = []
    latest = nil
  }

  /// The rows of an ordinary table that were inserted, updated or deleted since `note()`, also by
  /// what was rolled back. Nil: nobody knows, or they are too many.
  public func noted(in table: String) -> Set<Int64>? {
    guard let notes else { return nil }
    guard let note = notes.first(where: { $0.isOf(table) }) else { return [] }
    return note.isFull ? nil : note.rows
  }

  /// The connection keeps this object alive for as long as SQLite may call it.
  func install(on handle: OpaquePointer) {
    sqlite3_update_hook(handle, countRow, Unmanaged.passUnretained(self).toOpaque())
  }

  fileprivate func count(_ action: Int32) {
    switch action {
    case SQLITE_INSERT: inserted &+= 1
    case SQLITE_UPDATE: updated &+= 1
    default: deleted &+= 1
    }
  }

  fileprivate func note(_ row: Int64, in table: UnsafePointer<CChar>) {
    guard notes != nil else { return }
    if latest?.isOf(table) != true {
      latest = notes?.first { $0.isOf(table) }
    }
    if latest == nil {
      let new = TableNote(table)
      notes?.append(new)
      latest = new
    }
    latest?.add(row)
  }
}

/// Which rows of one table were touched.
private final class TableNote {
  private let name: [CChar]
  private(set) var rows: Set<Int64> = []
  private(set) var isFull = false

  init(_ table: UnsafePointer<CChar>) {
    // The zero at its end is a part of it.
    name = Array(UnsafeBufferPointer(start: table, count: strlen(table) + 1))
  }

  func isOf(_ table: UnsafePointer<CChar>) -> Bool { strcmp(name, table) == 0 }

  func add(_ row: Int64) {
    guard !isFull else { return }
    rows.insert(row)
    guard rows.count > RowChanges.notedMax else { return }
    isFull = true
    rows = []
  }
}

private func countRow(
  _ context: UnsafeMutableRawPointer?, _ action: Int32, _ database: UnsafePointer<CChar>?,
  _ table: UnsafePointer<CChar>?, _ row: sqlite3_int64
) {
  guard let context, let table,
    strncmp(table, RowChanges.uncountedPrefix, RowChanges.uncountedPrefix.utf8.count) != 0
  else { return }
  let changes = Unmanaged<RowChanges>.fromOpaque(context).takeUnretainedValue()
  changes.count(action)
  changes.note(row, in: table)
}
