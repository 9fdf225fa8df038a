public import Base

/// What runs have changed, by table: written in the transactions that write the records.
public struct RunCounts: Sendable {
  /// How many records came, changed, went and came back.
  public struct Table: Sendable, JSONShape {
    public var new = 0
    public var changed = 0
    public var gone = 0
    public var back = 0
    /// The smallest rowid of a new row.
    var firstRow: Int64?

    public static let empty = Table()
    public static let fields = JSONFields<Table>([
      .count("new", \.new), .count("changed", \.changed), .count("gone", \.gone),
      .count("back", \.back, unless: 0), .optional("first_row", \.firstRow),
    ])
  }

  public private(set) var tables: [String: Table] = [:]

  init() {}

  /// We wrote it; a damaged one says nothing, and every proof reports it.
  init(_ text: String?) {
    tables = text.flatMap(JSONValue.init(text:)).flatMap { [String: Table](json: $0) } ?? [:]
  }

  mutating func add(_ counts: Table, of table: String) {
    var all = tables[table] ?? Table()
    all.new += counts.new
    all.changed += counts.changed
    all.gone += counts.gone
    all.back += counts.back
    all.firstRow = [all.firstRow, counts.firstRow].compactMap { $0 }.min()
    tables[table] = all
  }

  mutating func add(_ other: RunCounts) {
    for (table, counts) in other.tables { add(counts, of: table) }
  }

  func save(
    _ changes: ClosedRange<Int64>, of run: Int64, _ connection: Connection
  ) throws(SQLiteError) {
    guard
      let (first, counts): (Int64?, String?) = try connection.row(
        "SELECT first_change, counts FROM trawl_runs WHERE run = ?", [.integer(run)])
    else { return }
    var all = RunCounts(counts)
    all.add(self)
    try connection.set(
      Book.runs,
      [
        ("first_change", .integer(first ?? changes.lowerBound)),
        ("last_change", .integer(changes.upperBound)), ("counts", .text(all.tables.jsonText)),
      ], where: "run = ?", [.integer(run)])
  }
}
