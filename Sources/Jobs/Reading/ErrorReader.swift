internal import Base

/// Reads what answers mean that are no pages, of a whole job or of one stream.
struct ErrorReader {
  /// The job or the stream.
  let node: JSON5Node
  let quotas: [String]
  let complaints: Complaints

  func read() -> [ErrorRule] { (node["errors"]?.elements ?? []).flatMap(rules) }

  /// One rule, or one for each text of a list.
  private func rules(_ node: JSON5Node) -> [ErrorRule] {
    guard node.members != nil else { return [] }
    checkConditions(node)
    let action = node["then"]?.string.flatMap(ErrorRule.Action.init(rawValue:))
    if let quota = node["quota"] {
      complaints.expect([quota], among: quotas) { "there is no quota \"\($0)\"" }
      if let action, action != .defer {
        complaints.add(quota, "\"quota\" goes with then: \"defer\"")
      }
    }
    if let wait = node["wait"], let action, action != .defer, action != .retry {
      complaints.add(wait, "\"wait\" goes with then: \"retry\" or \"defer\"")
    }
    if let cap = node["cap"], let action, action != .end {
      complaints.add(cap, "\"cap\" goes with then: \"end\"")
    }
    guard let action else { return [] }
    var (path, field): (JSONPath?, String?)
    switch node.answerPlace("where") {
    case .header(let name): field = name
    case .paths(let paths):
      path = paths.first
      if paths.count > 1 {
        complaints.add(node["where"], "where: only one path is allowed here, without alternatives")
      }
    case nil: break
    }
    let rule = ErrorRule(
      statuses: Self.statuses(node["status"]), path: path, field: field, action: action,
      quota: node["quota"]?.string,
      wait: node.duration("wait"), isCap: node["cap"]?.boolean ?? false,
      message: node["message"]?.string)
    let tests =
      (node["is"]?.scalarTexts ?? []).map(ErrorRule.Test.equals)
      + (node["like"]?.scalarTexts ?? []).map(ErrorRule.Test.like)
    return tests.isEmpty
      ? [rule]
      : tests.map { test in
        var copy = rule
        copy.test = test
        return copy
      }
  }

  private func checkConditions(_ node: JSON5Node) {
    let tests = ["is", "like"].compactMap { node[$0] }
    if tests.count == 2 { complaints.add(tests[1], "either \"is\" or \"like\", not both") }
    if let place = node["where"], tests.isEmpty {
      complaints.add(
        place, "the rule looks somewhere but for nothing: add \"is\" or \"like\" (\"*\" is any)")
    }
    if tests.isEmpty && node["where"] == nil && node["status"] == nil {
      complaints.add(node, "the rule has no condition: add \"status\", \"is\" or \"like\"")
    }
  }

  private static func statuses(_ node: JSON5Node?) -> [ClosedRange<Int>] {
    guard let node else { return [] }
    return (node.elements ?? [node]).compactMap { $0.scalarText.flatMap(StatusText.read) }
  }
}
