internal import Base

/// Reads the columns of a record, of a list or of a child table.
struct ColumnReader {
  /// What `param` may name.
  let values: [String]
  let complaints: Complaints

  func columns(_ node: JSON5Node?) -> [Column] {
    (node?.firstMembers ?? []).compactMap { column($0.key, $0.value) }
  }

  private func column(_ name: String, _ node: JSON5Node) -> Column? {
    if let text = node.string {
      // What cannot be read was complained of when the shape was checked.
      guard let (paths, kind) = try? PathText.typed(text) else { return nil }
      return Column(name: name, source: .paths(paths), kind: kind ?? .text)
    }
    guard node.members != nil else { return nil }
    let kind = Self.kind(node)
    check(node, kind: kind)
    guard let source = source(node) else { return nil }
    return Column(
      name: name, source: source, kind: kind, expression: node.text("sql", .sql),
      isRequired: node["required"]?.boolean ?? false, matches: matched(node),
      isVolatile: node["volatile"]?.boolean ?? false, absent: node["absent"]?.scalarTexts ?? [])
  }

  private func matched(_ node: JSON5Node) -> String? {
    guard let place = node["matches"], let name = place.string else { return nil }
    complaints.expect([place], among: values) {
      "\"\($0)\" is no value of this stream's requests"
    }
    return name
  }

  private func source(_ node: JSON5Node) -> Column.Source? {
    let places = ["at", "param", "value", "position", "name", "digest"].filter { node[$0] != nil }
    guard places.count == 1, let place = places.first else {
      complaints.add(
        node,
        "a column comes from one place: \"at\", \"param\", \"value\", \"position\", \"name\" or \"digest\""
          + (places.isEmpty ? "" : "; here are \(places.joined(separator: " and "))"))
      return nil
    }
    switch place {
    case "at":
      // What cannot be read was complained of when the shape was checked.
      return node["at"]?.string.flatMap { try? PathText.typed($0) }.map { .paths($0.paths) }
    case "param":
      guard let param = node["param"], let name = param.string else { return nil }
      complaints.expect([param], among: values + ["host"]) {
        "\"\($0)\" is no value of this stream's requests"
      }
      return .parameter(name)
    case "value": return node["value"].flatMap(fixed)
    default:
      if node[place]?.boolean == false {
        complaints.add(node[place], "\"\(place)\" can only be true")
      }
      return place == "name" ? .memberName : place == "digest" ? .digest : .position
    }
  }

  /// The same text for every record, or one with values of the request in it.
  private func fixed(_ node: JSON5Node) -> Column.Source? {
    guard let template = node.scalarText.flatMap(TemplateText.read)?.template else { return nil }
    for hole in template.holes where !(values + ["host"]).containsBytes(hole) {
      complaints.add(
        node,
        "nothing fills {\(hole)}: it is no value of this stream's requests"
          + Suggestion.clauseOrList(for: hole, in: values + ["host"]))
    }
    return template.holes.isEmpty
      ? .constant(template.filled { _ in nil } ?? "") : .filled(template)
  }

  private func check(_ node: JSON5Node, kind: Column.Kind) {
    // What cannot be read was complained of when the shape was checked.
    let typed = node["at"]?.string.flatMap { try? PathText.typed($0) }
    if typed?.kind != nil, let type = node["as"] {
      complaints.add(type, "the type is already in \"at\"; one of the two will do")
    }
    if let sql = node["sql"], let text = sql.string,
      let problem = SQLExpression.problem(text, names: ["value"])
    {
      complaints.add(sql, "sql: \(problem)")
    }
    for key in ["sql", "absent", "volatile", "required", "matches"]
    where node[key] != nil && node["at"] == nil
      && ["value", "position", "name", "digest"].contains(where: { node[$0] != nil })
    {
      complaints.add(node[key], "\"\(key)\" goes with a value that is read from the answer")
    }
  }

  /// The type that a column's description says, readable or not.
  static func kind(_ node: JSON5Node) -> Column.Kind {
    // An unreadable path is complained of elsewhere.
    if let text = node.string ?? node["at"]?.string, let typed = try? PathText.typed(text),
      let kind = typed.kind
    {
      return kind
    }
    if let kind = node["as"]?.string.flatMap(PathText.kind) { return kind }
    return node["position"] == nil ? .text : .integer
  }
}
