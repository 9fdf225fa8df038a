public import Base

/// How much an answer may hold.
public struct QueryBounds: Sendable {
  var rows: Int
  var bytes: Int
  /// The maximum for one text or blob.
  var valueBytes: Int

  public init(rows: Int, bytes: Int, valueBytes: Int) {
    (self.rows, self.bytes, self.valueBytes) = (rows, bytes, valueBytes)
  }
}

/// Rows within bounds, and how far the lists behind them can be trusted.
public struct BoundedRows: Sendable {
  public enum Cut: String, Sendable { case rows, bytes, time }

  public fileprivate(set) var columns: [String] = []
  public fileprivate(set) var rows: [[SQLValue]] = []
  /// Why there may be more rows; nil: these are all.
  public fileprivate(set) var cut: Cut?
  /// How many values are cut to their beginning.
  public fileprivate(set) var shortened = 0
  public fileprivate(set) var trust: ReadTrust
  fileprivate var bytes = 0

  fileprivate init(trust: ReadTrust) { self.trust = trust }

  /// - Parameter most: the maximum size of a value, in bytes.
  fileprivate mutating func add(_ values: some Sequence<SQLValue>, _ most: Int) {
    rows.append(
      values.map { value in
        let short = value.beginning(most)
        if short != value { shortened += 1 }
        bytes += 8 + (short.text?.utf8.count ?? 0)
        if case .blob(let some) = short { bytes += 2 * some.count }
        return short
      })
  }
}

extension ReadingQuery {
  /// A longer value is an error: hardly a row of an API has one, and a constructed one would fill
  /// the memory.
  private static let valueBytesMax = 2_000_000

  /// The rows of a foreign query, as many as the bounds allow, with the trust of every table that
  /// SQLite says it reads. Throws if the time is over before the first row.
  public func answer(_ sql: String, _ bounds: QueryBounds) throws -> BoundedRows {
    try reading { connection in
      connection.limitValues(to: Self.valueBytesMax)
      return try connection.snapshot {
        // From here on the schema cannot change: what is compiled is what is read.
        _ = try connection.integer("PRAGMA schema_version")
        return try noting(sql) { statement, tables in
          var answer = BoundedRows(trust: try ReadTrust.of(tables, connection))
          answer.columns = statement.columnNames
          let columns = answer.columns.indices
          do {
            while answer.cut == nil, try statement.step() {
              if answer.bytes > bounds.bytes { answer.cut = .bytes }
              if answer.rows.count >= bounds.rows { answer.cut = .rows }
              guard answer.cut == nil else { break }
              answer.add(columns.lazy.map { statement.value($0) }, bounds.valueBytes)
            }
          } catch let error as SQLiteError where error.kind == .interrupted {
            guard !answer.rows.isEmpty else { throw error }
            answer.cut = .time
          }
          return answer
        }
      }
    }
  }

  private static let changesMax = 2_000
  private static let crowdedBytesMax = 80

  /// What happened to a table's records after a cursor, the oldest changes first, with the trust of
  /// its lists. The changes of one page are never split: if they exceed an answer, values are
  /// shortened further.
  public func changes(
    of table: String, after cursor: FollowCursor?, _ bounds: QueryBounds
  ) throws -> (rows: BoundedRows, following: Following) {
    var rows = BoundedRows(trust: ReadTrust(lists: []))
    let following = try follow(
      table, after: cursor, some: bounds.rows,
      columns: { names in
        rows.columns = names
        // Of the snapshot that the rows are of.
        rows.trust = try reading { try ReadTrust.of([table.lowercased()], $0) }
      },
      take: { row in
        // Rows that mark the beginning and end of the reading are not records.
        guard [.text("put"), .text("gone")].contains(row[0]) else { return true }
        guard rows.rows.count < Self.changesMax else {
          throw QueryProblem(
            sentence: "more than \(Self.changesMax) records of \(table) changed at once: "
              + "trawl sql --changes gives them all")
        }
        rows.add(row, rows.bytes < bounds.bytes ? bounds.valueBytes : Self.crowdedBytesMax)
        return true
      })
    return (rows, following)
  }
}

extension SQLValue {
  /// Shortens a long text or blob; does not split a character, and marks that more follows.
  fileprivate func beginning(_ most: Int) -> SQLValue {
    switch self {
    case .text(let text) where text.utf8.count > most:
      // cut: the answer counts the values that were shortened
      let some = Array(text.utf8.prefix(most))
      let end = some.lastIndex { $0 & 0xc0 != 0x80 } ?? some.count
      return .text(String(decoding: some[..<end], as: UTF8.self) + "…")
    // cut: the answer counts the values that were shortened
    case .blob(let bytes) where bytes.count > most: return .blob(Array(bytes.prefix(most)))
    default: return self
    }
  }
}
