internal import Base

/// Reads the columns of a record, of a list or of a child table.
struct ColumnReader {
  /// What `{name}` may be.
  let values: [String]
  let complaints: Complaints

  func columns(_ node: JSON5Node?) -> [Column] {
    (node?.firstMembers ?? []).compactMap { column($0.key, $0.value) }
  }

  private func column(_ name: String, _ node: JSON5Node) -> Column? {
    guard node.string != nil || node.members != nil,
      let (source, kind, isVolatile) = source(node)
    else { return nil }
    check(node, source)
    return Column(
      name: name, source: source, kind: kind, expression: node.text("sql", .sql),
      isRequired: node["required"]?.boolean ?? false, matches: matched(node),
      isVolatile: isVolatile, absent: node["absent"]?.scalarTexts ?? [])
  }

  private func matched(_ node: JSON5Node) -> String? {
    guard let name = node["matches"]?.string else { return nil }
    complaints.expect(
      name, in: values, at: node["matches"],
      "\"\(name.shown)\" is no value of this stream's requests")
    return name
  }

  private func source(
    _ node: JSON5Node
  ) -> (source: Column.Source, kind: Column.Kind, isVolatile: Bool)? {
    if node.members != nil { complaints.expectOne(of: ["at", "value"], in: node, "a column") }
    if let value = node["value"] { return fixed(value).map { ($0, .text, false) } }
    guard let place = node.members == nil ? node : node["at"],
      let typed = place.string.flatMap({ try? PathText.typed($0) })  // its form was checked
    else { return nil }
    if case .parameter(let hole) = typed.source { expect(hole, at: place) }
    return typed
  }

  private func expect(_ hole: String, at place: JSON5Node) {
    complaints.expect(
      hole, in: values + ["host"], at: place,
      "nothing fills {\(hole)}: it is no value of this stream's requests")
  }

  /// The same text for every record, or one with values of the request in it.
  private func fixed(_ node: JSON5Node) -> Column.Source? {
    guard let template = node.scalarText.flatMap(TemplateText.read)?.template else { return nil }
    for hole in template.holes { expect(hole, at: node) }
    return template.holes.isEmpty
      ? .constant(template.filled { _ in nil } ?? "") : .filled(template)
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
    for key in ["sql", "absent", "required", "matches"] where node[key] != nil {
      complaints.add(node[key], "\"\(key)\" goes with a value that is read from the answer")
    }
  }

  /// The type that a column's description says, readable or not.
  static func kind(_ node: JSON5Node) -> Column.Kind {
    // An unreadable path is complained of elsewhere.
    (node.string ?? node["at"]?.string).flatMap { try? PathText.typed($0) }?.kind ?? .text
  }
}
