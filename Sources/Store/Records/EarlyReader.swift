public import Base

/// Reads the records of a unit's page into rows while the store writes the page before it: all that
/// needs neither the database nor what the walk has seen.
public struct EarlyReader: Sendable {
  let map: FieldMap
  let parameters: [ParameterValue]
  let zones: LocalZones
  let pool: RowPool
  /// Nil: the store puts more into the rows.
  let parts: RowParts?
  let known: KnownAnswers?
  /// Columns may come with each page: the store reads its records itself.
  let takesAll: Bool

  /// As many of them as may wait to be written; the store reads the others itself.
  public func read(_ page: Page) -> EarlyRows {
    // The store hardly needs them then; where it does, it reads them itself.
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
/// `@unchecked Sendable`: written by the reader alone, and handed over whole to the store.
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

/// Rows that nobody uses now, so that a page costs no memory anew.
final class RowPool: Sendable {
  private let columns: Int
  private let free = Locked<[RowBuffer]>([])

  init(columns: Int) { self.columns = columns }

  func take() -> RowBuffer {
    free.withLock { $0.popLast() } ?? RowBuffer(columns: columns)
  }

  /// What is larger than its share is not kept.
  func giveBack(_ rows: [RowBuffer]) {
    let small = rows.filter { $0.capacity <= StreamPlan.rowBytesMax / StreamPlan.rowsMax }
    free.withLock { free in
      for row in small where free.count < StreamPlan.rowsMax * 2 { free.append(row) }
    }
  }
}
