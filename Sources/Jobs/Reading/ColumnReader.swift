internal import Base

/// Reads the columns of a record, a list or a child table.
struct ColumnReader {
  /// The names that `{name}` may be.
  let values: [String]
  let complaints: Complaints

  func columns(_ node: JSON5Node?) -> [Column] {
    (node?.firstMembers ?? []).compactMap { column($0.key, $0.value) }
  }

  private func column(_ name: String, _ node: JSON5Node) -> Column? {
    guard node.string != nil || node.members != nil, let typed = typed(node) else { return nil }
    check(node, typed.source)
    return Column(
      name: name, source: typed.source, kind: typed.kind, expression: node.text("sql", .sql),
      isRequired: typed.isRequired, matches: matched(node), isVolatile: typed.isVolatile,
      absent: node["absent"]?.scalarTexts ?? [])
  }

  private func matched(_ node: JSON5Node) -> String? {
    guard let name = node["matches"]?.string else { return nil }
    complaints.expect(
      name, in: values, at: node["matches"],
      "\"\(name.shown)\" is not a value of this stream's requests")
    return name
  }

  private func typed(_ node: JSON5Node) -> PathText.Typed? {
    guard let place = node.members == nil ? node : node["at"],
      let typed = place.read(PathText.typed)
    else { return nil }
    let holes: [String] =
      switch typed.source {
      case .parameter(let hole): [hole]
      case .filled(let template): template.holes
      default: []
      }
    complaints.expectFilled(
      holes, in: values + ["host"], at: place, by: "it is not a value of this stream's requests")
    return typed
  }

  private func check(_ node: JSON5Node, _ source: Column.Source) {
    if let sql = node["sql"], let text = sql.string,
      let problem = SQLExpression.problem(text, names: ["value"])
    {
      complaints.add(sql, "sql: \(problem)")
    }
    switch source {
    case .paths, .parameter: return
    default: break
    }
    for key in ["sql", "absent", "matches"] where node[key] != nil {
      complaints.add(node[key], "\"\(key)\" goes with a value that is read from the answer")
    }
  }

  /// The type in a column's description; text if it is unreadable.
  static func kind(_ node: JSON5Node) -> Column.Kind {
    (node.members == nil ? node : node["at"])?.read(PathText.typed)?.kind ?? .text
  }
}
