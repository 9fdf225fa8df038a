internal import Base

/// `sameAs`: what a stream omits about its records is as in another one. Applied to the file before everything else, so
/// that all checks see complete streams.
enum SameAs {
  /// The keys taken over; where a list comes from and what it means is each stream's own.
  static let keys = [
    "reads", "records", "into", "key", "columns", "keep", "children", "media", "items", "search",
  ]

  static func resolved(_ root: JSON5Node, _ complaints: Complaints) -> JSON5Node {
    guard let members = root.members, let streams = root["streams"], let all = streams.members
    else { return root }
    let filled = all.map { $0.with(stream($0, among: streams, complaints)) }
    return root.with(
      .object(
        members.map { member in
          member.value.position == streams.position
            ? member.with(streams.with(.object(filled))) : member
        }))
  }

  private static func stream(
    _ member: JSON5Member, among streams: JSON5Node, _ complaints: Complaints
  ) -> JSON5Node {
    guard let own = member.value.members, let same = member.value["sameAs"],
      let name = same.string
    else { return member.value }
    let others = streams.firstMembers.map(\.key).filter { $0 != member.key }
    guard let model = streams[name], others.containsBytes(name) else {
      complaints.expect(
        name, in: others, at: same, "sameAs: there is no other stream \"\(name.shown)\"")
      return member.value
    }
    if model["sameAs"] != nil {
      complaints.add(
        same, "sameAs: the stream \(name) is itself the same as another; name that one instead")
      return member.value
    }
    var taken = model.firstMembers.filter { keys.contains($0.key) && member.value[$0.key] == nil }
    if model["into"] == nil, member.value["into"] == nil {
      // The other stream's table has its name.
      taken.append(
        JSON5Member(key: "into", keyPosition: same.position, value: same.with(.string(name))))
    }
    return member.value.with(.object(own + taken))
  }
}
