internal import Base

/// Checks a file against the shapes: finds all unknown, missing and repeated keys, wrong types and malformed texts.
struct ShapeCheck {
  let complaints: Complaints

  /// Keys that would weaken a run's promises, with messages of their own.
  private static let forbidden: [(words: [String], why: String)] = [
    (
      ["insecure", "verify", "verify_ssl", "ssl_verify", "tls", "ssl", "verifyTLS", "skipVerify"],
      "a job file cannot switch off the check of certificates"
    ),
    (
      ["proxy", "http_proxy", "https_proxy", "proxies"],
      "a job file cannot set a proxy; the environment of the user does"
    ),
    (
      ["data", "dataDir", "data_dir", "state", "stateDir", "state_dir", "ledger", "database"],
      "a job file cannot say where data is kept; --data does"
    ),
    (
      ["key", "token", "secret", "password", "api_key", "apiKey"],
      "a job file never holds a secret"
    ),
  ]

  /// The reader and the shapes bound the depth. The name of a place is only computed for a complaint.
  func check(_ node: JSON5Node, _ shape: Shape, called name: @autoclosure () -> String) {
    switch shape {
    case .either(let shapes):
      guard let fitting = shapes.first(where: { $0.takes(node) }) else {
        return complaints.add(node, "\(name()) must be \(shape.words), not \(node.kindName)")
      }
      if case .text(let form) = fitting, !form.choices.isEmpty, let text = node.string,
        !form.choices.containsBytes(text), shapes.contains(where: \.isList)
      {
        return complaints.add(node, "\(name()) must be a list, or \(form.words)")
      }
      check(node, fitting, called: name())
    case .list where node.string != nil && !name().utf8.contains(UInt8(ascii: " ")):
      let text = node.string?.shown ?? ""
      complaints.add(node, "\(name()) must be a list: \(name()): [\"\(text)\"]")
    case _ where !shape.takes(node):
      complaints.add(node, "\(name()) must be \(shape.words), not \(node.kindName)")
    case .text(let form): checkText(node.string ?? "", form, node.position, name())
    case .scalar(let form): checkText(node.scalarText ?? "", form, node.position, name())
    case .boolean: break
    case .integer(let range): checkInteger(node, range, name())
    case .value: checkValue(node, name())
    case .list(let inner, let count):
      let elements = node.elements ?? []
      checkCount(elements.count, count, node, name(), "entries")
      for element in elements.prefix(count.upperBound) {
        check(element, inner, called: "each entry of \(name())")
      }
    case .map(let keyForm, let inner, let count):
      let members = node.members ?? []
      checkCount(members.count, count, node, name(), "names")
      checkRepeated(members)
      for member in members.prefix(count.upperBound) {
        checkText(member.key, keyForm, member.keyPosition, name())
        check(member.value, inner, called: "\"\(member.key.shown)\"")
      }
    case .object(let object): checkObject(node, object, name())
    }
  }

  /// The reader bounds the depth.
  private func checkValue(_ node: JSON5Node, _ name: @autoclosure () -> String) {
    if let text = node.string, text.utf8.count > 20_000 {
      complaints.add(node, "\(name()): a text here has at most 20,000 bytes")
    }
    for element in node.elements ?? [] { checkValue(element, "each entry of \(name())") }
    checkRepeated(node.members ?? [])
    for member in node.members ?? [] { checkValue(member.value, "\"\(member.key.shown)\"") }
  }

  private func checkObject(
    _ node: JSON5Node, _ shape: ObjectShape, _ name: @autoclosure () -> String
  ) {
    let members = node.members ?? []
    checkRepeated(members)
    for member in members {
      guard let key = shape.key(member.key) else {
        complaints.add(
          at: member.keyPosition, Self.unknown(member.key, in: shape, Self.missing(node, shape)))
        continue
      }
      check(member.value, key.shape, called: member.key)
    }
    for key in Self.missing(node, shape) {
      var what = String(key.clause)
      if case .text(let form) = key.shape, !form.choices.isEmpty {
        what = form.choices.joined(separator: ", ")
      }
      complaints.add(node, "\(name()) needs \"\(key.name)\": \(what)")
    }
  }

  private static func missing(_ node: JSON5Node, _ shape: ObjectShape) -> [KeyShape] {
    let standIn = shape.standIn.flatMap { node[$0.key] == nil ? nil : $0 }
    return shape.keys.filter { key in
      key.isRequired && node[key.name] == nil && standIn?.spared.contains(key.name) != true
    }
  }

  /// What may and may not be combined with `use`.
  func checkUse(_ root: JSON5Node) {
    let isOwn = root["use"] != nil
    for member in root.members ?? [] where JobShape.job.key(member.key) != nil {
      let isHook = HookShape.keys.contains { $0.name == member.key }
      if isOwn, !JobShape.ofUse.containsBytes(member.key) {
        complaints.add(
          at: member.keyPosition,
          "settings cannot change \"\(member.key)\" of a job; write a job file of your own")
      } else if !isOwn, isHook {
        complaints.add(
          at: member.keyPosition,
          "\"\(member.key)\" belongs in settings of your own, since a job file may be passed on: "
            + "another file, with use: \"NAME\" of this job")
      }
    }
    for quota in root["quotas"]?.members ?? [] where (quota.value.members == nil) != isOwn {
      complaints.add(
        quota.value,
        isOwn
          ? "with \"use\" a quota is what your plan gives: \(quota.key.shown): 5000"
          : "a quota says what the API gives in which window: \(quota.key.shown): { allow: 5000, per: \"hour\" }"
      )
    }
    for parameter in root["params"]?.members ?? [] where isOwn && parameter.value.members != nil {
      complaints.add(
        parameter.value,
        "with \"use\" a parameter has your values alone: \(parameter.key.shown): [\"…\"]")
    }
  }

  private static func unknown(
    _ key: String, in shape: ObjectShape, _ missing: [KeyShape]
  ) -> String {
    // If two are equally near, the missing one is meant.
    let known = missing.map(\.name) + shape.keys.map(\.name)
    for (words, why) in forbidden where words.containsBytes(key) {
      return "unknown key \"\(key.shown)\": \(why)"
    }
    let meant = Suggestion.nearest(to: key, in: known).map(Suggestion.clause)
    return "unknown key \"\(key.shown)\""
      + (meant ?? Suggestion.clauseOrList(for: key, in: shape.keys.map(\.name)))
  }

  private func checkRepeated(_ members: [JSON5Member]) {
    if members.hasDistinctKeys { return }
    var first: [[UInt8]: JSON5Position] = [:]
    for member in members {
      if let earlier = first[Array(member.key.utf8)] {
        complaints.add(
          at: member.keyPosition,
          "the key \"\(member.key.shown)\" is here twice; the first is in line \(earlier.line)")
      } else {
        first[Array(member.key.utf8)] = member.keyPosition
      }
    }
  }

  private func checkInteger(
    _ node: JSON5Node, _ range: ClosedRange<Int>, _ name: @autoclosure () -> String
  ) {
    guard let number = node.number?.integer, let value = Int(exactly: number) else {
      return complaints.add(node, "\(name()) must be a whole number")
    }
    if !range.contains(value) {
      let (first, last) = (range.lowerBound, range.upperBound)
      let which = last == first + 1 ? "\(first) or \(last)" : "from \(first) to \(last)"
      complaints.add(node, "\(name()) must be \(which)")
    }
  }

  private func checkText(
    _ text: String, _ form: TextForm, _ position: JSON5Position, _ name: @autoclosure () -> String
  ) {
    if let problem = form.problem(text) { complaints.add(at: position, "\(name()): \(problem)") }
  }

  private func checkCount(
    _ count: Int, _ allowed: ClosedRange<Int>, _ node: JSON5Node, _ name: @autoclosure () -> String,
    _ what: String
  ) {
    if count < allowed.lowerBound {
      complaints.add(
        node, "\(name()) is empty; it needs at least \(allowed.lowerBound) of its \(what)")
    } else if count > allowed.upperBound {
      complaints.add(
        node, "\(name()) has \(count) \(what); at most \(allowed.upperBound) are taken")
    }
  }
}

extension JSON5Node {
  /// Text, a number as written, or a boolean: what a query can express.
  var scalarText: String? {
    switch content {
    case .string(let text): text
    case .number(let number): number.text
    case .boolean(let value): value ? "true" : "false"
    default: nil
    }
  }
}
