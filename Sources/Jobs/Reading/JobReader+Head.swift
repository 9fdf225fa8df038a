internal import Base

/// Reads what precedes the streams.
extension JobReader {
  /// One, or a list of them.
  var authParts: [JSON5Node] { root["auth"].map { $0.elements ?? [$0] } ?? [] }

  func authentication() -> Authentication? {
    var all: [Authentication] = []
    var names: [String] = []
    for node in authParts {
      guard let one = authentication(node) else { continue }
      for secret in one.secrets {
        if names.containsBytes(secret.name) {
          complaints.add(node, "the secret \"\(secret.name)\" is here twice")
        }
        names.append(secret.name)
      }
      if one.token != nil, all.contains(where: { $0.token != nil }) {
        complaints.add(node, "a job requests one access token")
      }
      all.append(one)
    }
    return Authentication.joined(all)
  }

  /// Basic users with holes, in the order of the secrets.
  func users(of all: [Authentication]) -> [Template?] {
    all.map { one in
      guard case .basic(let user?) = one.place, let template = TemplateText.read(user)?.template
      else { return nil }
      return template.holes.isEmpty ? nil : template
    }
  }

  private func authentication(_ node: JSON5Node) -> Authentication? {
    guard node.members != nil else { return nil }
    let parameters = root.entries("params").map(\.key)
    let token = TokenReader(node: node, parameters: parameters, complaints: complaints).read()
    let found = node.text("secret", .secret).flatMap(SecretName.read)
    // The check of the shape reported unreadable ones.
    guard let secret = token == nil ? found?.name : "",
      let place = node.text("to", .secretPlace).flatMap(PlaceText.secret)
    else { return nil }
    var authentication = Authentication(
      place: place, secret: secret, environment: found?.variable,
      page: node.text("get", .page), isOptional: node["optional"]?.boolean ?? false)
    authentication.token = token
    return authentication
  }

  func parameters() -> [Parameter] {
    root.entries("params").map { member in
      let node = member.value
      guard node.members != nil else {
        return Parameter(name: member.key, defaults: node.scalarTexts ?? [])
      }
      var parameter = Parameter(
        name: member.key, about: node["about"]?.string ?? "",
        defaults: node["default"]?.scalarTexts ?? [], pattern: node.text("pattern", .pattern))
      parameter.splits = splits(node, of: member.key)
      return parameter
    }
  }

  private func splits(_ node: JSON5Node, of name: String) -> Template? {
    guard let place = node["splits"],
      let template = place.string.flatMap(TemplateText.read)?.template
    else { return nil }
    let holes = template.holes
    let isApart = zip(template.parts, template.parts.dropFirst()).allSatisfy { one, other in
      if case .hole = one, case .hole = other { false } else { true }
    }
    if holes.count < 2 || Set(holes).count != holes.count || !isApart {
      complaints.add(
        place, "splits names two parts or more, with text between them: {owner}/{name}")
    }
    let others = root.entries("params").map(\.key)
    for hole in holes where others.containsBytes(hole) {
      complaints.add(place, "\"\(hole)\" is a parameter already; give this part another name")
    }
    return template
  }

  func quotas() -> [Quota] {
    root.entries("quotas").compactMap { quota($0.key, $0.value) }
  }

  private func quota(_ name: String, _ node: JSON5Node) -> Quota? {
    guard node.members != nil else { return nil }
    guard let allow = node.wholeNumber("allow"), allow > 0,
      let window = node.text("per", .quotaWindow).flatMap(QuotaText.window)
    else { return nil }
    let withoutKey = node.wholeNumber("allowWithoutKey")
    let all = max(allow, withoutKey ?? 0)
    var burst = window.length > .seconds(60) ? all : 1
    if let given = node.wholeNumber("burst") { burst = given }
    if node["burst"]?.string == "all" { burst = all }
    if burst > all {
      complaints.add(node["burst"], "\"burst\" is more than the quota ever holds (\(all))")
    }
    if withoutKey != nil, root["auth"] == nil {
      complaints.add(node["allowWithoutKey"], "there is no secret to go without: no \"auth\"")
    }
    var quota = Quota(
      name: name, allow: allow, window: window, burst: burst, allowWithoutKey: withoutKey,
      serverName: node["called"]?.string, isCourtesy: node["courtesy"]?.boolean ?? false)
    for key in ["left", "pause"] where quota.isCourtesy && node[key] != nil {
      complaints.add(node[key], "\"\(key)\" is the API's own word; no courtesy has it")
    }
    quota.left = node.path("left")
    quota.pause = node.path("pause")
    return quota
  }

  func media() -> MediaSettings {
    let node = root["media"]
    var settings = MediaSettings()
    settings.limitBytes = node?.text("limit", .size).flatMap(SizeText.read)
    if let bytes = node?.text("file", .size).flatMap(SizeText.read) {
      if bytes > MediaSettings.fileBytesMost {
        complaints.add(
          node?["file"],
          "a single image has at most \(SizeText.written(Int64(MediaSettings.fileBytesMost)))")
      } else {
        settings.fileBytesMax = Int(bytes)
      }
    }
    settings.allow = node?["allow"]?.scalarTexts ?? []
    return settings
  }
}
