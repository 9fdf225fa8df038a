internal import Base

/// A table as the file holds it.
struct OldTable {
  var columns: [(name: String, type: String)]
  var key: [String]
  /// By columns, the table whose rows they name.
  var targets: [[String]: String]
  /// What the parts of its rows' digests cover, in order; nil: no seal is known.
  var parts: [TableDesign.Part]
  var seal: [String]?

  init(_ name: String, _ connection: Connection) throws(SQLiteError) {
    let rows: [(String, String, Int)] = try connection.rows(
      "SELECT name, type, pk FROM pragma_table_info(?)", [.text(name)])
    columns = rows.map { ($0.0, $0.1) }
    key = rows.filter { $0.2 > 0 }.sorted { $0.2 < $1.2 }.map { $0.0 }
    targets = Dictionary(
      try connection.references(of: name).map { ($0.columns, $0.table) }
    ) { first, _ in first }
    let all = try Self.parts(of: name, connection)
    parts = all.filter { $0.name != TableDesign.digests }
    seal = all.first { $0.name == TableDesign.digests }?.columns
  }

  /// The parts of its rows' digests, followed by the seal.
  static func parts(
    of table: String, _ connection: Connection
  ) throws(SQLiteError) -> [TableDesign.Part] {
    let text = try connection.text(
      "SELECT digests FROM trawl_tables WHERE table_name = ?", [.text(table)])
    // We wrote it; if it is damaged, no digest is known, and every proof reports it.
    let root = text.flatMap(JSONValue.init(text:)) ?? .nothing
    return root.members.map { member in
      TableDesign.Part(
        name: member.key.string ?? "", columns: member.value.elements.compactMap(\.string))
    }
  }

  func column(_ name: String) -> (name: String, type: String)? {
    columns.first { $0.name == name }
  }

  /// Without those that another program added: no digest covers them.
  func ours(_ columns: [TableDesign.Column]) -> [TableDesign.Column] {
    guard let seal else { return columns }
    let covered = Set(parts.flatMap(\.columns) + seal)
    return columns.filter { column($0.name) == nil || covered.contains($0.name) }
  }

  /// We wrote it; damage gives no names, and what depends on them reports it.
  static func names(_ json: String?) -> [String] {
    (json.flatMap(JSONValue.init(text:)) ?? .nothing).elements.compactMap(\.string)
  }
}

extension Connection {
  /// What the rows of a table refer to, as it declares it.
  func references(
    of table: String, in schema: String = "main"
  ) throws(SQLiteError) -> [TableDesign.Reference] {
    let columns = try rows(
      "SELECT id, \"from\", \"table\", \"to\" FROM pragma_foreign_key_list(?, ?) ORDER BY id, seq",
      [.text(table), .text(schema)]
    ) { (id: $0.int(0), own: $0.text(1) ?? "", table: $0.text(2) ?? "", to: $0.text(3) ?? "") }
    return Dictionary(grouping: columns, by: \.id).sorted { $0.key < $1.key }.map { _, parts in
      TableDesign.Reference(
        columns: parts.map(\.own), table: parts[0].table, to: parts.map(\.to))
    }
  }
}
