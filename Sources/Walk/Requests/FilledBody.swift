internal import Base

/// The body of a unit's requests, with its holes filled and a page's position set.
enum FilledBody {
  case json(BodyValue)
  case form([(name: String, value: String)])
  case none

  init(_ template: BodyTemplate, _ value: (String) -> String?) throws(StepProblem) {
    switch template {
    case .none: self = .none
    case .json(let body): self = .json(try Self.filled(body, value) ?? .object([]))
    case .form(let items):
      var pairs: [(name: String, value: String)] = []
      for item in items {
        guard let text = item.value.filled(value) else { throw Self.lacks(item.value) }
        if text.isEmpty && item.isLeftOutIfEmpty { continue }
        pairs.append((item.name, text))
      }
      self = .form(pairs)
    }
  }

  /// Nil: the member is omitted.
  private static func filled(
    _ body: BodyValue, _ value: (String) -> String?
  ) throws(StepProblem) -> BodyValue? {
    switch body {
    case .object(let members):
      var kept: [BodyValue.Member] = []
      for member in members {
        if let inner = try filled(member.value, value) {
          kept.append(BodyValue.Member(member.name, inner))
        }
      }
      return .object(kept)
    case .list(let values):
      var kept: [BodyValue] = []
      for inner in values { if let inner = try filled(inner, value) { kept.append(inner) } }
      return .list(kept)
    case .text(let template), .optional(let template):
      guard let text = template.filled(value) else { throw lacks(template) }
      if case .optional = body, text.isEmpty { return nil }
      return .literal(text)
    case .typed(let template, let scalar):
      guard let text = template.filled(value) else { throw lacks(template) }
      guard isWritten(text, as: scalar) else {
        throw StepProblem(
          "the body holds \"\(template)\" as \(scalar.rawValue), and \"\(text.shown)\" is none")
      }
      return .plain(text)
    case .literal, .plain: return body
    }
  }

  /// Whether it is valid JSON.
  private static func isWritten(_ text: String, as scalar: BodyValue.Scalar) -> Bool {
    // Text that is not JSON is no value.
    guard let root = JSONValue(text: text) else { return false }
    return switch scalar {
    case .integer: root.kind == .integer || root.kind == .hugeNumber
    case .real: root.isNumber
    case .boolean: root.boolean != nil
    }
  }

  private static func lacks(_ template: Template) -> StepProblem {
    StepProblem("the body holds \"\(template)\", and a value in it is missing")
  }

  /// Whether a text is a number, and takes the place of one: a token has the type of the job's own value.
  func isNumber(_ text: String, at name: String) -> Bool {
    // The path was validated with the job.
    guard case .json(let body) = self, let path = try? JSONPath(name),
      case .plain(let own)? = path.steps.reduce(Optional(body), { $0?[$1] })
    else { return false }
    return Self.isWritten(own, as: .real) && Self.isWritten(text, as: .real)
  }

  /// - Parameter isNumber: whether it is a number in the body.
  func setting(_ name: String, _ value: String, isNumber: Bool) -> FilledBody {
    switch self {
    case .json(let body):
      // The path was validated with the job.
      guard let path = try? JSONPath(name) else { return self }
      return .json(body.setting(path.steps[...], isNumber ? .plain(value) : .literal(value)))
    case .form(let pairs):
      return .form(pairs.filter { !$0.name.utf8.elementsEqual(name.utf8) } + [(name, value)])
    case .none: return self
    }
  }

  var bytes: RequestBody {
    switch self {
    case .json(let body):
      return RequestBody(Array(body.jsonText.utf8), type: "application/json")
    case .form(let pairs):
      let text = pairs.map {
        "\(PercentEncoding.encoded($0.name))=\(PercentEncoding.encoded($0.value))"
      }.joined(separator: "&")
      return RequestBody(Array(text.utf8), type: "application/x-www-form-urlencoded")
    case .none: return RequestBody([], type: "application/json")
    }
  }
}
