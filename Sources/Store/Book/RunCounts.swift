internal import Base

/// What a run has changed so far, by table: written in the transactions that write the records.
struct RunCounts {
  struct Table: Equatable {
    var new = 0
    var changed = 0
    var gone = 0
    var back = 0
    /// The smallest rowid of a new row.
    var firstRow: Int64?
  }

  private(set) var tables: [String: Table] = [:]

  init() {}

  init(_ text: String?) {
    // We wrote it; a damaged one says nothing, and every proof reports it.
    guard let root = text.flatMap(JSONValue.init(text:)) else { return }
    for member in root.members {
      func count(_ name: String) -> Int { member.value[name]?.integer.map { Int($0) } ?? 0 }
      tables[member.key.string ?? ""] = Table(
        new: count("new"), changed: count("changed"), gone: count("gone"), back: count("back"),
        firstRow: member.value["first_row"]?.integer)
    }
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

  private var text: String {
    JSONObject(
      tables.sorted { $0.key < $1.key }.map { name, table in
        var counts: JSONObject = ["new": table.new, "changed": table.changed, "gone": table.gone]
        if table.back > 0 { counts.members.append(("back", table.back)) }
        if let row = table.firstRow { counts.members.append(("first_row", row)) }
        return (name, counts)
      }
    ).jsonText
  }

  func save(
    _ changes: ClosedRange<Int64>, of run: Int64, _ connection: Connection
  ) throws(SQLiteError) {
    let stored = try connection.row(
      "SELECT first_change, counts FROM trawl_runs WHERE run = ?", [.integer(run)]
    ) { (first: $0.isNull(0) ? nil : $0.integer(0), counts: $0.text(1)) }
    guard let stored else { return }
    var all = RunCounts(stored.counts)
    for (name, counts) in tables { all.add(counts, of: name) }
    try connection.set(
      Book.runs,
      [
        ("first_change", .integer(stored.first ?? changes.lowerBound)),
        ("last_change", .integer(changes.upperBound)), ("counts", .text(all.text)),
      ], where: "run = ?", [.integer(run)])
  }
}
