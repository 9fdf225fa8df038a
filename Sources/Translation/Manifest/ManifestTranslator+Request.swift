internal import Base
internal import Drafting

/// The request of a stream: its address, query, header fields and body.
extension ManifestTranslator {
  mutating func readRequest(
    _ requester: YAMLNode, _ stream: inout ManifestStream
  ) throws(DraftProblem) {
    let parameters = requester["$parameters"]
    try readAddress(requester, parameters, &stream)
    let method = requester["http_method"]?.text?.uppercased() ?? "GET"
    guard ["GET", "POST"].contains(method) else { throw DraftProblem("request: \(method.shown)") }
    stream.isPost = method == "POST"
    if let text = requester["request_parameters"]?.text {
      for pair in QueryText.pairs(text) {
        try addQuery(
          QueryText.decoded(pair.name), pair.value, requester, &stream, isEscaped: true)
      }
    }
    // Null parameters are not sent.
    for member in requester["request_parameters"]?.members ?? []
    where member.key != "$parameters" && !member.value.isNull {
      if let list = member.value.entries {
        for entry in list { try addQuery(member.key, try text(entry), requester, &stream) }
      } else {
        try addQuery(member.key, try text(member.value), requester, &stream)
      }
    }
    for member in requester["request_headers"]?.members ?? []
    where member.key != "$parameters" && !member.value.isNull {
      try addField(member.key, try text(member.value), requester, &stream)
    }
    try readBody(requester, &stream)
  }

  private func text(_ node: YAMLNode) throws(DraftProblem) -> String {
    guard let text = node.text else {
      throw DraftProblem("request: an object or a list where a text goes (line \(node.line))")
    }
    return text
  }

  // MARK: address

  private mutating func readAddress(
    _ requester: YAMLNode, _ parameters: YAMLNode?, _ stream: inout ManifestStream
  ) throws(DraftProblem) {
    let base = requester["url"]?.text ?? requester["url_base"]?.text ?? ""
    let path = requester["path"]?.text ?? ""
    var address = try fill(
      ManifestText.pieces(base, parameters), .address, &stream)
    let rest = try fill(ManifestText.pieces(path, parameters), .address, &stream)
    while address.hasSuffix("/") { address.removeLast() }
    var tail = rest.trimmingBlanks
    while tail.hasPrefix("/") { tail.removeFirst() }
    if tail.hasPrefix("http://") || tail.hasPrefix("https://") {
      address = tail
    } else if !tail.isEmpty {
      address += (tail.hasPrefix("?") ? "" : "/") + tail
    }
    if let mark = address.utf8.firstIndex(of: UInt8(ascii: "?")) {
      for pair in QueryText.pairs(address[address.utf8.index(after: mark)...]) {
        let name = try QueryText.decoded(pair.name)
        stream.addQuery(name, try QueryText.decoded(pair.value))
        stream.pathQuery.insert(name)
      }
      address = String(address[..<mark])
    }
    while address.hasSuffix("/") && tail.isEmpty { address.removeLast() }
    let parts = address.split(separator: "/", omittingEmptySubsequences: false)
    // A trailing slash belongs to the path, even before a query.
    let ending = address.hasSuffix("/") ? "/" : ""
    if parts.count > 3 {
      address =
        parts.prefix(3).joined(separator: "/")
        + parts.dropFirst(3).filter { !$0.isEmpty }.map { "/\($0)" }.joined() + ending
    }
    stream.address = address
  }

  // MARK: query and fields

  private mutating func addQuery(
    _ name: String, _ text: String, _ requester: YAMLNode, _ stream: inout ManifestStream,
    isEscaped: Bool = false
  ) throws(DraftProblem) {
    let name = try Self.parameterName(name)
    let parts = JinjaTemplate.parts(text)
    if parts.count == 1, case .expression(_, .list(let entries)?) = parts[0] {
      let texts = entries.compactMap { if case .text(let text) = $0 { text } else { nil } }
      guard texts.count == entries.count else {
        throw DraftProblem("request: a list that is computed (\(text.onOneLine(upTo: 60)))")
      }
      for text in texts { try addQuery(name, text, requester, &stream, isEscaped: isEscaped) }
      return
    }
    let pieces = ManifestText.pieces(text, requester["$parameters"])
    if case .setting(let path, _)? = pieces.last, settings[path].isSecret {
      stream.secrets.insert(name)
      try auth.add(.query(name: name), text, requester)
      return
    }
    if pieces.count == 1 {
      switch pieces[0] {
      case .start(let format): return try note(name, format, &stream, isStart: true)
      case .end(let format): return try note(name, format, &stream, isStart: false)
      case .token(let first):
        guard stream.tokenName == nil else { throw DraftProblem("paging: a token in two places") }
        stream.tokenName = (name, first)
        return
      default: break
      }
    }
    let value = try fill(pieces, .query, &stream)
    // A parameter whose expression is empty is not sent.
    if value.isEmpty, !text.isEmpty { return }
    stream.addQuery(name, isEscaped ? try QueryText.decoded(value) : value)
  }

  /// Without `&` before it and `=` after it.
  static func parameterName(_ written: String) throws(DraftProblem) -> String {
    var name = Substring(written.trimmingBlanks)
    while let first = name.first, "&\t".contains(first) { name = name.dropFirst() }
    while let last = name.last, "\t=".contains(last) { name = name.dropLast() }
    guard !name.isEmpty,
      !name.utf8.contains(where: { "&=#?{}".utf8.contains($0) || $0 <= 32 })
    else { throw DraftProblem("request: a parameter whose name no job can hold") }
    return String(name)
  }

  private static let ownFields: Set = [
    "connection", "content-length", "accept-encoding", "transfer-encoding",
  ]

  private mutating func addField(
    _ name: String, _ text: String, _ requester: YAMLNode, _ stream: inout ManifestStream
  ) throws(DraftProblem) {
    if Self.ownFields.contains(name.lowercased()) { return }
    let pieces = ManifestText.pieces(text, requester["$parameters"])
    if case .setting(let path, _)? = pieces.last,
      settings[path].isSecret || name.lowercased() == "authorization"
    {
      stream.secrets.insert(name)
      try auth.add(.header(name: name, prefix: ""), text, requester)
      return
    }
    guard !["authorization", "cookie"].contains(name.lowercased()) else {
      throw DraftProblem("auth: a header field that is computed")
    }
    let value = try fill(pieces, .field, &stream)
    guard !value.isEmpty else { return }
    stream.headers.append((name, value))
  }

  // MARK: body

  private mutating func readBody(
    _ requester: YAMLNode, _ stream: inout ManifestStream
  ) throws(DraftProblem) {
    let typed = requester["request_body"]
    var json = requester["request_body_json"]
    var data = requester["request_body_data"]
    switch typed?["type"]?.text {
    case nil: break
    case "RequestBodyJsonObject"?, "RequestBodyGraphQL"?: json = typed?["value"]
    case "RequestBodyUrlEncodedForm"?: data = typed?["value"]
    default: throw DraftProblem("request: a body of a kind of its own")
    }
    if let members = json?.members, members.isEmpty { json = nil }
    if let members = data?.members, members.isEmpty { data = nil }
    if json != nil, data != nil { throw DraftProblem("request: two bodies") }
    guard stream.isPost else {
      if json != nil || data != nil {
        stream.lose(.request, "request: a body that goes with GET")
      }
      return
    }
    if let json {
      guard json.members != nil else { throw DraftProblem("request: a body that is computed") }
      stream.body = try self.json(json, requester["$parameters"], &stream, isTop: true)
    } else if let members = data?.members {
      for member in members where member.key != "$parameters" && !member.value.isNull {
        let pieces = ManifestText.pieces(try text(member.value), requester["$parameters"])
        stream.form.append((member.key, try fill(pieces, .body, &stream)))
      }
    } else if data != nil {
      throw DraftProblem("request: a body that is computed")
    } else {
      stream.body = "{}"
    }
  }

  private mutating func json(
    _ node: YAMLNode, _ parameters: YAMLNode?, _ stream: inout ManifestStream, isTop: Bool = false
  ) throws(DraftProblem) -> String {
    switch node.content {
    case .map(let members):
      var parts: [String] = []
      for member in members
      where !["$parameters", "type"].contains(member.key)
        || node["type"]?.text?.hasPrefix("RequestBody") != true
      {
        if member.key == "$parameters" { continue }
        let isQuery =
          isTop && member.key == "query" && (member.value.text?.filter { $0 == "{" }.count ?? 0) > 1
          && member.value.text?.holds("{{") == false
        let value =
          isQuery
          ? JobText.quoted(member.value.text ?? "") : try json(member.value, parameters, &stream)
        parts.append("\(JobText.member(member.key)): \(value)")
      }
      return parts.isEmpty ? "{}" : "{ \(parts.joined(separator: ", ")) }"
    case .list(let entries):
      var parts: [String] = []
      for entry in entries { parts.append(try json(entry, parameters, &stream)) }
      return "[\(parts.joined(separator: ", "))]"
    case .scalar(let text, let isPlain):
      if node.isNull || isPlain && text == "None" { return "null" }
      if let literal = node.literal { return literal }
      // A list or object written as text is sent as such.
      if let inner = LiteralText.node(text) { return try json(inner, parameters, &stream) }
      if let bare = LiteralText.bare(text) { return try number(bare, parameters, &stream) }
      let pieces = ManifestText.pieces(text, parameters)
      if pieces.count == 1, case .text(let plain) = pieces[0], text.holds("{{"),
        Int(plain) != nil
      {
        return plain
      }
      return JobText.quoted(try fill(pieces, .body, &stream))
    }
  }

  /// An unquoted value: the end of a window, which is a number there.
  private mutating func number(
    _ text: String, _ parameters: YAMLNode?, _ stream: inout ManifestStream
  ) throws(DraftProblem) -> String {
    let pieces = ManifestText.pieces(text, parameters)
    switch pieces.first {
    case .start?, .end?:
      if pieces.count == 1 {
        return JobText.quoted(
          String(try fill(pieces, .body, &stream).dropLast()) + " as integer}")
      }
    case .text(let text)? where pieces.count == 1 && Int(text) != nil: return text
    default: break
    }
    throw DraftProblem("request: a value of the body that may be of any type")
  }

  // MARK: holes

  enum Target { case address, query, field, body }

  mutating func fill(
    _ pieces: [ManifestPiece], _ target: Target, _ stream: inout ManifestStream
  ) throws(DraftProblem) -> String {
    var text = ""
    for piece in pieces {
      switch piece {
      case .text(let part):
        if part.unicodeScalars.contains(where: { $0.value < 32 }), target != .body {
          text += JobText.braced(
            part.split { $0.isNewline }.map { String($0).trimmingBlanks }.joined(separator: " "))
        } else {
          text += JobText.braced(part)
        }
      case .setting(let path, let fallback):
        if settings[path].list != nil {
          throw DraftProblem("request: a list that a person gives, in one place")
        }
        let name = try settings.parameter(path, fallback: fallback)
        if target == .query, pieces.count == 1, settings.mayBeEmpty(name) {
          text += "{\(name)?}"
        } else {
          text += "{\(name)}"
          stream.settingHoles.insert(name)
        }
      case .list(let path, let mark):
        guard settings[path].list != nil else {
          throw DraftProblem("request: entries of a setting that is no list")
        }
        text += "{\(try settings.parameter(path, fallback: nil, joinedBy: mark))}"
      case .inAddress(let inner, let other):
        text += try fill(target == .address ? inner : other, target, &stream)
      case .slice, .outerSlice, .extra:
        guard target != .field else {
          throw DraftProblem("request: a header field with a value of a parent or a list")
        }
        text += "{\(try hole(piece, &stream))}"
      case .start(let format), .end(let format):
        stream.holdsEnds = true
        stream.endFormats.insert(format ?? "")
        if case .start = piece { text += "{from}" } else { text += "{to}" }
      case .computed(let paths, let source):
        guard !paths.contains(where: { settings[$0].isSecret }) else {
          throw DraftProblem("request: a secret in a computed text")
        }
        text += "{\(settings.parameter(computed: paths[0], source))}"
      case .token: throw DraftProblem("paging: a token within another text")
      case .either(let test, let first, let second):
        stream.remark(
          .request,
          "The manifest has two ways here, by \(test.path.last?.shown ?? ""); this is the default."
        )
        text += try fill(settings.holds(test) ? first : second, target, &stream)
      case .unknown(let source):
        throw DraftProblem(
          "request: an expression (\(source.onOneLine(upTo: 70)))"
        )
      }
    }
    return text
  }
}

extension YAMLNode {
  /// A number or a boolean as JSON; nil: another value.
  var literal: String? { boolean.map { "\($0)" } ?? (isNumber ? text?.lowercased() : nil) }

  /// Where a value goes in the body; empty if that is computed.
  var fieldPath: [String] {
    let path = self["field_path"]?.texts ?? self["field_name"]?.text.map { [$0] } ?? []
    return path.contains { $0.holds("{{") } ? [] : path
  }
}
