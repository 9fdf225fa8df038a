internal import Base

/// A table as the file holds it.
struct OldTable {
  var columns: [(name: String, type: String)]
  var key: [String]
  /// What the parts of its rows' digests cover, in order; nil: no seal is known.
  var parts: [TableDesign.Part]
  var seal: [String]?

  init(_ name: String, _ connection: Connection) throws(SQLiteError) {
    let rows = try connection.rows(
      "SELECT name, type, pk FROM pragma_table_info(?)", [.text(name)]
    ) { ($0.text(0) ?? "", $0.text(1) ?? "", $0.int(2)) }
    columns = rows.map { ($0.0, $0.1) }
    key = rows.filter { $0.2 > 0 }.sorted { $0.2 < $1.2 }.map { $0.0 }
    let all = try Self.parts(of: name, connection)
    parts = all.filter { $0.name != TableDesign.digests }
    seal = all.first { $0.name == TableDesign.digests }?.columns
  }

  /// The parts of its rows' digests, and behind them the seal.
  static func parts(
    of table: String, _ connection: Connection
  ) throws(SQLiteError) -> [TableDesign.Part] {
    let text = try connection.text(
      "SELECT digests FROM trawl_tables WHERE table_name = ?", [.text(table)])
    // We wrote it; of one that is damaged no digest is known, which every proof tells.
    guard let document = try? JSONDocument.read(Array((text ?? "").utf8)) else { return [] }
    return document.root.members.map { member in
      TableDesign.Part(
        name: member.key.string ?? "", columns: member.value.elements.compactMap(\.string))
    }
  }

  func column(_ name: String) -> (name: String, type: String)? {
    columns.first { $0.name == name }
  }

  static func names(_ json: String) -> [String] {
    // We wrote it; damage gives no names, and what depends on them reports it.
    guard let document = try? JSONDocument.read(Array(json.utf8)) else { return [] }
    return document.root.elements.compactMap(\.string)
  }
}
