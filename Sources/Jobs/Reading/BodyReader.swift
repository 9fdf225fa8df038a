internal import Base

/// Reads the body of a POST.
struct BodyReader {
  /// The stream, or the token request.
  let node: JSON5Node
  let complaints: Complaints

  func read() -> BodyTemplate? {
    if (node["get"] == nil) == (node["post"] == nil) {
      let sentence = "a stream takes one of \"get\", \"post\""
      let post = node["post"]
      complaints.add(post ?? node, sentence + (post == nil ? "" : ", and no other beside it"))
    }
    guard node["post"] != nil else {
      for key in ["body", "form"] where node[key] != nil {
        complaints.add(node[key], "\"\(key)\" is sent by POST; write \"post\" in place of \"get\"")
      }
      return nil
    }
    if let conditional = node["conditional"], conditional.boolean == true {
      complaints.add(conditional, "\"conditional\" does not go with POST: its answers have no ETag")
    }
    return content() ?? BodyTemplate.none
  }

  /// Nil: neither a form nor a body is declared.
  func content() -> BodyTemplate? {
    if node["body"] != nil, let form = node["form"] {
      complaints.add(form, "a request has one body: \"body\" or \"form\"")
    }
    if let form = node["form"] { return .form(form.queryItems) }
    return node["body"].map { .json(value($0, isTop: true)) }
  }

  private func value(_ node: JSON5Node, isTop: Bool = false) -> BodyValue {
    switch node.content {
    case .null: return .plain("null")
    case .boolean(let value): return .plain(value ? "true" : "false")
    case .number(let number): return .plain(plain(number, node))
    case .string(let text): return self.text(text, node)
    case .array(let elements): return .list(elements.map { value($0) })
    case .object:
      return .object(
        node.firstMembers.map { member in
          if isTop, member.key == "query", let text = member.value.string,
            BodyValue.isQuestion(text)
          {
            return BodyValue.Member(member.key, .literal(text))
          }
          return BodyValue.Member(member.key, value(member.value))
        })
    }
  }

  /// `{size as integer}`
  private func typed(_ text: String) -> BodyValue? {
    for scalar in BodyValue.Scalar.allCases where text.hasSuffix(" as \(scalar.rawValue)}") {
      let hole = text.dropLast(5 + scalar.rawValue.utf8.count) + "}"
      guard let (template, mayBeEmpty) = TemplateText.read(String(hole)), !mayBeEmpty,
        template.parts.count == 1, template.holes.count == 1
      else { continue }
      return .typed(template, scalar)
    }
    return nil
  }

  private func text(_ text: String, _ node: JSON5Node) -> BodyValue {
    if let typed = typed(text) { return typed }
    if let problem = TemplateText.problem(text) { complaints.add(node, "body: \(problem)") }
    guard let (template, mayBeEmpty) = TemplateText.read(text) else { return .literal(text) }
    return mayBeEmpty ? .optional(template) : .text(template)
  }

  private func plain(_ number: JSON5Number, _ node: JSON5Node) -> String {
    if number.json == nil { complaints.add(node, "JSON has no number \(number.text)") }
    return number.json ?? "0"
  }
}
