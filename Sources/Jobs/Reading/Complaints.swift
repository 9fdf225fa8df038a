internal import Base

/// The problems found by the readers of a file, which share it.
final class Complaints {
  /// Without the file.
  private(set) var found: [(position: JSON5Position, message: String)] = []

  func add(_ node: JSON5Node?, _ message: String) {
    add(at: node?.position ?? JSON5Position(line: 1, column: 1, offset: 0), message)
  }

  func add(at position: JSON5Position, _ message: String) { found.append((position, message)) }

  var isEmpty: Bool { found.isEmpty }

  /// A name must be among the known ones.
  func expect(
    _ name: String, in known: [String], at place: JSON5Node?, _ what: @autoclosure () -> String
  ) {
    if known.containsBytes(name) { return }
    add(place, what() + Suggestion.clauseOrList(for: name, in: known))
  }

  /// The same for holes, which something must fill.
  func expectFilled(_ holes: [String], in known: [String], at place: JSON5Node?, by whom: String) {
    for hole in holes { expect(hole, in: known, at: place, "nothing fills {\(hole)}: \(whom)") }
  }

  /// Values to send, at any depth, must not be secrets.
  func refuseSecrets(in node: JSON5Node?, called name: String = "", inBody: Bool) {
    for member in node?.firstMembers ?? [] {
      refuseSecrets(in: member.value, called: member.key, inBody: inBody)
    }
    for element in node?.elements ?? [] { refuseSecrets(in: element, called: name, inBody: inBody) }
    let found = inBody ? node?.string : node?.scalarText
    guard let text = found, Template(text)?.holes.isEmpty ?? true else { return }
    refuseSecret(text, called: name, inBody: inBody, at: node)
  }

  /// The same for a query.
  func refuseSecrets(in query: [QueryItem], at place: JSON5Node?) {
    for item in query where item.value.holes.isEmpty {
      refuseSecret(item.value.description, called: item.name, at: place)
    }
  }

  func refuseSecret(
    _ text: String, called name: String, inBody: Bool = false, at place: JSON5Node?
  ) {
    guard SecretName.isSecret(text, called: name, inBody: inBody) else { return }
    add(
      place,
      "a job file never holds a secret: write auth: { to: \"…\", secret: \"NAME\" } in place of "
        + "\(name), and store the secret with trawl key; who has read this file may have it, so "
        + "get a new one")
  }

  /// The names in a list must be among the known ones.
  func expect(
    _ nodes: [JSON5Node], among known: [String], _ what: (String) -> String
  ) {
    for node in nodes {
      if let name = node.string { expect(name, in: known, at: node, what(name.shown)) }
    }
  }
}

extension JSON5Node {
  /// A text, or the texts of a list.
  var scalarTexts: [String]? {
    elements?.compactMap(\.scalarText) ?? scalarText.map { [$0] }
  }

  /// The first member with each key, in the order of the file.
  var firstMembers: [JSON5Member] {
    guard let members, !members.hasDistinctKeys else { return members ?? [] }
    var seen: Set<[UInt8]> = []
    return members.filter { seen.insert(Array($0.key.utf8)).inserted }
  }

  /// Those of a key's object; none where there is no such object.
  func entries(_ key: String) -> [JSON5Member] { self[key]?.firstMembers ?? [] }

  /// Its members as parameters; a list gives one for each value.
  var queryItems: [QueryItem] {
    firstMembers.flatMap { member in
      (member.value.scalarTexts ?? []).compactMap(TemplateText.read).map {
        QueryItem(member.key, $0.template, isLeftOutIfEmpty: $0.mayBeEmpty)
      }
    }
  }

  /// The text of a key if its form is right: other texts are reported already.
  func text(_ key: String, _ form: TextForm) -> String? {
    self[key]?.scalarText.flatMap { form.problem($0) == nil ? $0 : nil }
  }

  /// What a reader makes of its text; nil for what it cannot read: the check of the shape reported that.
  func read<Value>(_ reader: (String) throws(PathText.Problem) -> Value) -> Value? {
    string.flatMap { try? reader($0) }  // as said above
  }

  /// The path of a key; nil if there is none, or an unreadable one.
  func path(_ key: String) -> JSONPath? { self[key]?.read(PathText.alternatives)?.first }

  func wholeNumber(_ key: String) -> Int? {
    self[key]?.number?.integer.flatMap { Int(exactly: $0) }
  }

  func duration(_ key: String) -> Duration? { self[key]?.string.flatMap(DurationText.read) }
}

extension [JSON5Member] {
  /// Whether all keys differ for Swift, which considers more texts equal than a comparison of bytes does.
  var hasDistinctKeys: Bool { Set(map(\.key)).count == count }
}
