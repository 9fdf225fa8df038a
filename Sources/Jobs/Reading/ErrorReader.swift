internal import Base

/// Reads what answers mean that are no pages, for a job or one stream.
struct ErrorReader {
  /// The job or the stream.
  let node: JSON5Node
  let quotas: [String]
  let complaints: Complaints

  func read() -> [ErrorRule] { (node["errors"]?.elements ?? []).flatMap(rules) }

  /// One rule, or one for each text in a list.
  private func rules(_ node: JSON5Node) -> [ErrorRule] {
    guard node.members != nil else { return [] }
    checkConditions(node)
    guard let place = node["then"], let then = place.string.flatMap(ActionText.read) else {
      return []
    }
    if let quota = then.quota {
      complaints.expect(quota, in: quotas, at: place, "there is no quota \"\(quota)\"")
    }
    var (path, field): (JSONPath?, String?)
    switch node["where"]?.read(PlaceText.answer) {
    case .header(let name): field = name
    case .paths(let paths):
      path = paths.first
      if paths.count > 1 {
        complaints.add(node["where"], "where: only one path is allowed here, without alternatives")
      }
    case nil: break
    }
    let rule = ErrorRule(
      statuses: Self.statuses(node["status"]), path: path, field: field, action: then.action,
      quota: then.quota, wait: then.wait, isCap: then.isCap, message: node["message"]?.string)
    let tests = node["is"]?.scalarTexts ?? []
    return tests.isEmpty
      ? [rule]
      : tests.map { test in
        var copy = rule
        copy.test = test
        return copy
      }
  }

  private func checkConditions(_ node: JSON5Node) {
    if node["is"] != nil { return }
    if let place = node["where"] {
      complaints.add(place, "the rule looks somewhere but for nothing: add \"is\" (\"*\" is any)")
    } else if node["status"] == nil {
      complaints.add(node, "the rule has no condition: add \"status\" or \"is\"")
    }
  }

  private static func statuses(_ node: JSON5Node?) -> [ClosedRange<Int>] {
    guard let node else { return [] }
    return (node.elements ?? [node]).compactMap { $0.scalarText.flatMap(StatusText.read) }
  }
}
