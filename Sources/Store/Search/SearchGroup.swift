internal import Model
internal import SQLite

/// The rows of a run that wait to be brought into the index of their table.
final class SearchGroup {
  private let index: SearchIndex
  private var rows = 0

  init?(_ table: TableDesign) {
    guard let index = SearchIndex(table) else { return nil }
    self.index = index
  }

  /// Once they are a group they are brought in, by the transaction of the page that made them one.
  func note(
    _ count: Int, _ connection: Connection, _ faults: FaultPoint
  ) throws(SQLiteError) {
    rows += count
    guard rows >= SearchIndex.groupMax else { return }
    rows = 0
    try index.bringUp(connection)
    faults.reach(.beforeSearchGroup)
  }
}
