internal import Base

/// Replaces each `$ref` by what it names, and passes `$parameters` down to the components within, as the interpreter of
/// such manifests does.
struct ManifestReferences {
  private let root: YAMLNode
  private var nodesLeft = Self.nodesMax

  private static let depthMax = 60
  /// The limit for one component with everything that it refers to.
  static let nodesMax = 300_000

  init(_ root: YAMLNode) { self.root = root }

  /// A component with all references resolved.
  static func resolved(_ node: YAMLNode, in root: YAMLNode) throws(YAMLProblem) -> YAMLNode {
    var references = ManifestReferences(root)
    let whole = try references.resolve(node, depth: 0)
    return references.handDown(whole, [], isComponent: true)
  }

  private mutating func spend(_ line: Int, depth: Int) throws(YAMLProblem) {
    nodesLeft -= 1
    guard depth < Self.depthMax, nodesLeft > 0 else {
      throw YAMLProblem(
        line: line,
        sentence: depth < Self.depthMax
          ? "its references amount to more than \(Self.nodesMax) values"
          : "its references lead in a circle, or more than \(Self.depthMax) levels deep")
    }
  }

  private mutating func resolve(_ node: YAMLNode, depth: Int) throws(YAMLProblem) -> YAMLNode {
    try spend(node.line, depth: depth)
    switch node.content {
    case .scalar(let text, _):
      guard text.hasPrefix("#/") else { return node }
      return try resolve(try target(text, node.line, depth: depth), depth: depth + 1)
    case .list(let entries):
      var found: [YAMLNode] = []
      for entry in entries { found.append(try resolve(entry, depth: depth + 1)) }
      return YAMLNode(.list(found), line: node.line)
    case .map(let members):
      var found: [YAMLNode.Member] = []
      if let text = node["$ref"]?.text, text.hasPrefix("#/") {
        let base = try resolve(try target(text, node.line, depth: depth), depth: depth + 1)
        guard let named = base.members else { return base }
        let own = Set(members.map(\.key))
        found = named.filter { !own.contains($0.key) }
      }
      for member in members where member.key != "$ref" {
        found.append(.init(member.key, try resolve(member.value, depth: depth + 1)))
      }
      return YAMLNode(.map(found), line: node.line)
    }
  }

  private mutating func target(
    _ text: String, _ line: Int, depth: Int
  ) throws(YAMLProblem) -> YAMLNode {
    try spend(line, depth: depth)
    var node: YAMLNode? = root
    for step in text.dropFirst(2).split(separator: "/") {
      for _ in 0..<10 {
        // Members beside a reference take precedence over those that it names.
        guard node?[String(step)] == nil, let reference = node?["$ref"]?.text ?? node?.text,
          reference.hasPrefix("#/"), depth < Self.depthMax
        else { break }
        node = try target(reference, line, depth: depth + 1)
      }
      node =
        node?.entries.flatMap { list in
          Int(step).flatMap { list.indices.contains($0) ? list[$0] : nil }
        }
        ?? node?[String(step)]
    }
    guard let node else {
      throw YAMLProblem(line: line, sentence: "\(text.shown) names nothing in the file")
    }
    return node
  }

  /// Passes down a component's own parameters, and those of the components around it: they fill what it leaves out.
  /// - Parameter isComponent: it is one even without a type; others need one.
  private func handDown(
    _ node: YAMLNode, _ parameters: [YAMLNode.Member], isComponent: Bool = false
  ) -> YAMLNode {
    switch node.content {
    case .scalar: return node
    case .list(let entries):
      return YAMLNode(.list(entries.map { handDown($0, parameters) }), line: node.line)
    case .map(let members):
      guard node["type"] != nil || isComponent else {
        return YAMLNode(
          .map(members.map { .init($0.key, handDown($0.value, parameters).counted) }),
          line: node.line)
      }
      let own = node["$parameters"]?.members ?? []
      let all = parameters.filter { one in !own.contains { $0.key == one.key } } + own
      var found: [YAMLNode.Member] = []
      for member in members where member.key != "$parameters" {
        // A component's schema is data.
        let isData = ["schema", "$parameters"].contains(member.key)
        found.append(
          .init(
            member.key,
            (isData
              ? member.value
              : handDown(
                member.value, all,
                isComponent: ["retriever", "requester", "stream"].contains(member.key))).counted))
      }
      for parameter in all where node[parameter.key]?.text?.isEmpty ?? true {
        if node[parameter.key]?.members != nil || node[parameter.key]?.entries != nil { continue }
        found.removeAll { $0.key == parameter.key }
        found.append(parameter)
      }
      if !all.isEmpty { found.append(.init("$parameters", .map(all))) }
      return YAMLNode(.map(found), line: node.line)
    }
  }
}
