public import Base

/// A list that is requested by POST: the scalars of its body replace the parameters of an address.
extension Subject {
  /// The real request for an address of this subject.
  /// - Parameter text: the member that is a text, whatever it looks like.
  public func request(
    _ address: WebAddress, text: String? = nil
  ) -> (address: WebAddress, body: RequestBody?) {
    let sent = Self.parameters(of: address)
    guard let body = shortBody(sending: sent) else { return (address, nil) }
    let filled = sent.reduce(body) { body, parameter in
      guard let steps = Self.steps(parameter.name) else { return body }
      let old = parameter.name == text ? .literal("") : Self.value(at: steps, in: body)
      return body.setting(steps[...], Self.value(parameter.value, old))
    }
    let real = query.reduce(WebAddress(origin: origin, path: path)) { $0.adding($1.name, $1.value) }
    return (real, RequestBody(Array(filled.jsonText.utf8), type: "application/json"))
  }

  /// The body without the scalars that were left out of these parameters.
  private func shortBody(sending sent: [Parameter]) -> BodyValue? {
    guard let body else { return nil }
    return Self.scalars(of: body).filter { scalar in
      !sent.contains { $0.name == scalar.name }
    }.compactMap { Self.steps($0.name) }.reduce(body) { $0.removing($1[...]) }
  }

  /// The name of a parameter: the last part of a place in a body.
  func word(_ name: String) -> String {
    body == nil ? name : Self.steps(name)?.last ?? name
  }

  /// The full name of a parameter that is not set yet: GraphQL variables are in an object.
  func own(_ name: String) -> String {
    var isVariable = body?["variables"] != nil
    if case .literal(let question)? = body?["query"] {
      isVariable = isVariable || question.holds("$\(name)")
    }
    return isVariable ? JSONPath.text(of: ["variables", name]) : name
  }

  /// The body without what `pages` sends, as a job file writes it.
  func bodyText(without paged: Set<String>) -> String? {
    paged.compactMap(Self.steps).reduce(shortBody(sending: parameters)) { $0?.removing($1[...]) }?
      .text(isTop: true)
  }

  private static func steps(_ name: String) -> [String]? {
    // A text that is not a path is not a place in the body.
    (try? JSONPath(name)).flatMap(\.members)
  }

  static func scalars(of value: BodyValue, _ path: [String] = []) -> [Parameter] {
    switch value {
    case .object(let members):
      members.filter { JSONPath.isSayable($0.name) }.flatMap {
        scalars(of: $0.value, path + [$0.name])
      }
    case .literal(let text): [Parameter(JSONPath.text(of: path), text)]
    case .plain("null"): [Parameter(JSONPath.text(of: path), "")]
    case .plain(let text): [Parameter(JSONPath.text(of: path), text)]
    case .list, .text, .optional, .typed: []
    }
  }

  /// The scalars of a body that differ in the second: `from=20`.
  public static func changes(from first: RequestBody?, to second: RequestBody?) -> [String] {
    let before = scalars(of: first)
    return scalars(of: second).filter { !before.contains($0) }.map {
      "\($0.name)=\($0.value)".harmless(upTo: 60)
    }
  }

  private static func scalars(of body: RequestBody?) -> [Parameter] {
    // A body that is not JSON has no members to compare.
    body.flatMap { try? JSONDocument.read($0.bytes) }.map { scalars(of: BodyValue(json: $0.root)) }
      ?? []
  }

  private static func value(at steps: [String], in body: BodyValue) -> BodyValue? {
    steps.reduce(Optional(body)) { $0?[$1] }
  }

  /// Keeps the body's type: a number stays a number, digit by digit where it is not changed.
  private static func value(_ text: String, _ old: BodyValue?) -> BodyValue {
    switch old {
    case .literal?: return .literal(text)
    case .plain(text)?: return .plain(text)
    case .plain("null")? where text.isEmpty: return .plain("null")
    case .plain("true")?, .plain("false")?: return .plain(text)
    default: return Int(text) == nil ? .literal(text) : .plain(text)
    }
  }
}

extension BodyValue {
  /// The user's body: JSON without placeholders.
  public init(json: JSONValue) {
    if json.isObject {
      self = .object(json.members.map { Member($0.key.string ?? "", BodyValue(json: $0.value)) })
    } else if json.isArray {
      self = .list(json.elements.map(BodyValue.init))
    } else if let text = json.string {
      self = .literal(text)
    } else {
      self = .plain(json.text ?? "null")
    }
  }

  fileprivate func removing(_ path: ArraySlice<String>) -> BodyValue {
    guard case .object(let members) = self, let name = path.first else { return self }
    return .object(
      members.compactMap { member in
        guard member.name == name else { return member }
        return path.count == 1 ? nil : Member(name, member.value.removing(path.dropFirst()))
      })
  }

  /// A GraphQL query is written as it is; in other texts braces are doubled.
  fileprivate func text(isTop: Bool = false) -> String {
    switch self {
    case .object(let members):
      let inner = members.map { member in
        if isTop, member.name == "query", case .literal(let text) = member.value,
          BodyValue.isQuestion(text)
        {
          return "query: \(JobText.quoted(text))"
        }
        return "\(JobText.member(member.name)): \(member.value.text())"
      }
      return inner.isEmpty ? "{}" : "{ \(inner.joined(separator: ", ")) }"
    case .list(let values): return "[\(values.map { $0.text() }.joined(separator: ", "))]"
    case .literal(let text): return JobText.quoted(JobText.braced(text))
    case .plain(let text): return text
    case .text(let template), .optional(let template), .typed(let template, _):
      return JobText.quoted(template.description)
    }
  }
}
