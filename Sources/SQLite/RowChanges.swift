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
}

private func countRow(
  _ context: UnsafeMutableRawPointer?, _ action: Int32, _ database: UnsafePointer<CChar>?,
  _ table: UnsafePointer<CChar>?, _ row: sqlite3_int64
) {
  guard let context else { return }
  if let table,
    strncmp(table, RowChanges.uncountedPrefix, RowChanges.uncountedPrefix.utf8.count) == 0
  {
    return
  }
  Unmanaged<RowChanges>.fromOpaque(context).takeUnretainedValue().count(action)
}
