public import Base

/// Reads the records of a unit's page into rows while the store writes the page before: everything
/// that needs neither the database nor the keys that the walk has seen.
public struct EarlyReader: Sendable {
  let map: FieldMap
  let parameters: [ParameterValue]
  let zones: LocalZones
  let pool: RowPool
  /// Nil: the store adds more to the rows.
  let parts: RowParts?
  let known: KnownAnswers?
  /// Columns may be added by any page: the store reads its records itself.
  let takesAll: Bool

  /// Reads as many as may wait to be written; the store reads the others itself.
  public func read(_ page: Page) -> EarlyRows {
    // The store probably does not need them; if it does, it reads them itself.
    if takesAll { return EarlyRows([], pool) }
    if known?.isNextExpected == true, page.bodyDigest != nil { return EarlyRows([], pool) }
    var reader = FieldReader(zones)
    var request = FieldReader.Request(parameters: parameters, position: 0)
    var rows: [EarlyRows.Row] = []
    let most = page.damaged.isEmpty ? min(page.records.count, StreamPlan.rowsMax) : 0
    rows.reserveCapacity(most)
    var size = 0
    for index in 0..<most {
      request.position = index + 1
      request.name = index < page.names.count ? page.names[index] : nil
      let row = pool.take()
      let values = reader.read(map, of: page.records[index], request, into: row)
      rows.append(EarlyRows.Row(row: row, values: values, digests: parts?.digests(of: row)))
      size += row.byteCount
      if size > StreamPlan.rowBytesMax { break }
    }
    return EarlyRows(rows, pool)
  }
}

/// The first records of a page, read.
///
/// `@unchecked Sendable`: only the reader writes it, and then passes it whole to the store.
public final class EarlyRows: @unchecked Sendable {
  struct Row {
    let row: RowBuffer
    let values: ReadValues
    let digests: [UInt64]?
  }

  private let rows: [Row]
  private let pool: RowPool

  init(_ rows: [Row], _ pool: RowPool) {
    self.rows = rows
    self.pool = pool
  }

  deinit { pool.giveBack(rows.map(\.row)) }

  subscript(index: Int) -> Row? { index < rows.count ? rows[index] : nil }
}

/// Free rows for reuse, so that a page allocates no memory.
final class RowPool: Sendable {
  private let columns: Int
  private let free = Locked<[RowBuffer]>([])

  init(columns: Int) { self.columns = columns }

  func take() -> RowBuffer {
    free.withLock { $0.popLast() } ?? RowBuffer(columns: columns)
  }

  /// Rows larger than their share are not kept.
  func giveBack(_ rows: [RowBuffer]) {
    let small = rows.filter { $0.capacity <= StreamPlan.rowBytesMax / StreamPlan.rowsMax }
    free.withLock { free in
      for row in small where free.count < StreamPlan.rowsMax * 2 { free.append(row) }
    }
  }
}
