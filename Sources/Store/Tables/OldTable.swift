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
    let rows = try connection.rows(
      "SELECT name, type, pk FROM pragma_table_info(?)", [.text(name)]
    ) { ($0.text(0) ?? "", $0.text(1) ?? "", $0.int(2)) }
    columns = rows.map { ($0.0, $0.1) }
    key = rows.filter { $0.2 > 0 }.sorted { $0.2 < $1.2 }.map { $0.0 }
    let references = try connection.rows(
      "SELECT id, \"table\", \"from\" FROM pragma_foreign_key_list(?) ORDER BY id, seq",
      [.text(name)]
    ) { (id: $0.int(0), table: $0.text(1) ?? "", column: $0.text(2) ?? "") }
    targets = Dictionary(
      Dictionary(grouping: references, by: { $0.id }).values.map {
        ($0.map { $0.column }, $0[0].table)
      },
      uniquingKeysWith: { first, _ in first })
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

  /// We wrote it; damage gives no names, and what depends on them reports it.
  static func names(_ json: String?) -> [String] {
    (json.flatMap(JSONValue.init(text:)) ?? .nothing).elements.compactMap(\.string)
  }
}
