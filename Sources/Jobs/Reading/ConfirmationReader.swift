internal import Base

/// Reads the requests of `vanish` about one record, and what fills their holes.
struct ConfirmationReader {
  let node: JSON5Node
  /// Values of the list's own request.
  let values: [String]
  /// Columns of its records.
  let columns: [String]
  let complaints: Complaints

  func read() -> Confirmation? {
    let question = question(node)
    let lookup = node["lookup"].flatMap { self.question($0) }
    let gives = node["lookup"]?["gives"]
    guard let question else { return nil }
    var confirmation = Confirmation(question, records: node.path("records"))
    confirmation.lookup = lookup
    for member in gives?.firstMembers ?? [] {
      confirmation.renewed[member.key] = gives?.path(member.key)
      if !columns.containsBytes(member.key) {
        complaints.expect(
          member.key, in: columns, at: member.value,
          "gives: there is no column \"\(member.key.shown)\"")
      } else if !question.holes.containsBytes(Confirmation.record + member.key) {
        complaints.add(
          member.value,
          "gives: the question does not use {record.\(member.key)}, so nothing needs to be looked up"
        )
      }
    }
    return confirmation
  }

  private func question(_ node: JSON5Node) -> Confirmation.Question? {
    guard let place = node["get"],
      let request = node.text("get", .requestPath).flatMap(RequestText.read)
    else { return nil }
    let question = Confirmation.Question(path: request.path, query: request.query)
    complaints.expectFilled(
      request.holes, in: values + columns.map { Confirmation.record + $0 }, at: place,
      by: "it is neither a value of this stream's requests nor a column of its records")
    complaints.refuseSecrets(in: request.query, at: place)
    if !question.holes.contains(where: { $0.hasPrefix(Confirmation.record) }) {
      complaints.add(
        place,
        "the request does not use the record, so it is the same for each; put a column"
          + " of it into \"get\", as {record.\(columns.first ?? "id")}")
    }
    return question
  }
}
