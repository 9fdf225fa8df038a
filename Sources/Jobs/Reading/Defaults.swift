internal import Base

/// What a file may omit: the job's name, a stream's table and key, and the names of columns listed by place. With `"*"`
/// the key's columns are the members of their names. Applied to the file after the check of its shape, so that all
/// readers see complete streams.
struct Defaults {
  let complaints: Complaints

  static let key = "id"
  /// Every member of the records; in a resolved file, whether a stream takes them all.
  static let all = "*"

  /// - Parameter name: the file's name.
  func resolved(_ root: JSON5Node, name: String) -> JSON5Node {
    var members = root.members ?? []
    if root.members != nil, root["name"] == nil {
      if let problem = TextForm.jobName.problem(name) {
        let cure =
          JobName.made(of: name).map { "add name: \"\($0)\", or rename the file" }
          ?? "add name: \"NAME\"; \(problem)"
        complaints.add(root, "\"\(name.shown)\" cannot be a job's name: \(cure)")
      }
      members.append(Self.member("name", .string(name), at: root.position))
    }
    members = members.map { member in
      guard member.key == "streams", member.value.members != nil else { return member }
      let streams = (member.value.members ?? []).map { $0.with(stream($0)) }
      return member.with(member.value.with(.object(streams)))
    }
    return root.members == nil ? root : root.with(.object(members))
  }

  private func stream(_ stream: JSON5Member) -> JSON5Node {
    guard var members = stream.value.members else { return stream.value }
    if stream.value["into"] == nil {
      if let problem = TextForm.sqlName.problem(stream.key) {
        complaints.add(
          at: stream.keyPosition,
          "its table would be called so, too, and that needs \"into\": \(problem)")
      }
      members.append(Self.member("into", .string(stream.key), at: stream.keyPosition))
    }
    members = members.map { member in
      guard member.key == "children", let all = member.value.members else { return member }
      let children = all.map { child in
        child.value.members.map { child.with(columns(child, $0, mayTakeAll: false)) } ?? child
      }
      return member.with(member.value.with(.object(children)))
    }
    return columns(stream, members, mayTakeAll: true)
  }

  /// For a stream or a nested list.
  private func columns(
    _ object: JSON5Member, _ members: [JSON5Member], mayTakeAll: Bool
  ) -> JSON5Node {
    let node = object.value
    let whole = node.with(.object(members))
    guard let given = node["columns"] else { return whole }
    let entries = given.elements ?? [given]
    let isAll = { (node: JSON5Node) in node.string == Self.all }
    var columns = entries.flatMap { entry -> [JSON5Member] in
      if isAll(entry) { return [] }
      guard entry.string != nil else { return entry.members ?? [] }
      guard let column = entry.read(PathText.listed) else { return [] }
      return [Self.member(column.name, .string(column.text), at: entry.position)]
    }
    let all = entries.first(where: isAll)
    if let all, !mayTakeAll {
      complaints.add(
        all, "the columns of a nested list are named: \"*\" is of a stream's own records")
    }
    if given.elements != nil { checkRepeated(columns) }
    var key = node["key"]
    if key == nil {
      guard all != nil || columns.contains(where: { $0.key == Self.key }) else {
        complaints.add(
          node,
          "\"\(object.key.shown)\" needs \"key\": the columns that identify a record (without it \"id\","
            + " and there is no such column)")
        return whole
      }
      key = node.with(.array([node.with(.string(Self.key))]))
    }
    if all != nil {
      for name in key?.elements ?? [] {
        guard let text = name.string, !columns.contains(where: { $0.key == text }) else { continue }
        columns.append(JSON5Member(key: text, keyPosition: name.position, value: name))
      }
    }
    var left = members.filter { $0.key != "columns" && $0.key != "key" }
    for member in members where member.key == "columns" {
      left.append(member.with(given.with(.object(columns))))
    }
    if let key { left.append(Self.member("key", key.content, at: key.position)) }
    if let all, mayTakeAll { left.append(Self.member(Self.all, .boolean(true), at: all.position)) }
    return node.with(.object(left))
  }

  private func checkRepeated(_ columns: [JSON5Member]) {
    var seen: Set<[UInt8]> = []
    for column in columns where !seen.insert(Array(column.key.utf8)).inserted {
      complaints.add(
        at: column.keyPosition,
        "the column \"\(column.key.shown)\" is here twice; give one of them another name:"
          + " { NAME: \"PLACE\" }")
    }
  }

  private static func member(
    _ key: String, _ content: JSON5Node.Content, at position: JSON5Position
  ) -> JSON5Member {
    JSON5Member(
      key: key, keyPosition: position, value: JSON5Node(position: position, content: content))
  }
}
