/// How a job gets an access token: by OAuth, or by a login. Its answer is never stored.
public struct TokenRequest: Equatable, Sendable {
  /// An address, or a path behind the base.
  public var place: String
  /// Its holes are secrets; parameters are filled before.
  public var body: BodyTemplate
  /// Sent as HTTP Basic.
  public var basic: Pair?
  public var secrets: [NamedSecret]
  /// Where the answer holds the access token.
  public var at: JSONPath
  /// Where it says for how many seconds it is good.
  public var lasts: JSONPath
  /// How long it is good where the answer does not say.
  public var life: Duration?
  /// The secret that each answer replaces by a new one.
  public var rotation: Rotation?

  public struct Pair: Equatable, Sendable {
    public var user: Template
    public var password: Template

    public init(user: Template, password: Template) {
      self.user = user
      self.password = password
    }
  }

  public struct Rotation: Equatable, Sendable {
    /// The secret's hole.
    public var hole: String
    public var at: JSONPath

    public init(_ hole: String, at: JSONPath) {
      self.hole = hole
      self.at = at
    }
  }

  public init(
    place: String, body: BodyTemplate, basic: Pair? = nil, secrets: [NamedSecret], at: JSONPath,
    lasts: JSONPath, life: Duration? = nil, rotation: Rotation? = nil
  ) {
    self.place = place
    self.body = body
    self.basic = basic
    self.secrets = secrets
    self.at = at
    self.lasts = lasts
    self.life = life
    self.rotation = rotation
  }

  /// What fills its body and its Basic: secrets, and values that a person chooses once.
  public var holes: [String] {
    body.holes + (basic.map { $0.user.holes + $0.password.holes } ?? [])
  }

  /// With what is known of its holes put in.
  public func filling(_ value: (String) -> String?) -> TokenRequest {
    var copy = self
    copy.body = body.filling(value)
    if let basic {
      copy.basic = Pair(
        user: basic.user.filling(value), password: basic.password.filling(value))
    }
    return copy
  }

  /// Where it is asked for, by a job whose server is known; nil: that is no address.
  public func address(behind base: WebAddress) -> WebAddress? {
    // What is no address was refused with its file, but for a hole that nothing has filled yet.
    guard place.hasPrefix("/") else { return try? WebAddress(place) }
    let folder = base.path.hasSuffix("/") ? String(base.path.dropLast()) : base.path
    return WebAddress(origin: base.origin, path: folder + place)
  }

  public func rotates(_ hole: String) -> Bool {
    rotation?.hole.utf8.elementsEqual(hole.utf8) ?? false
  }
}

/// One secret of a job, and where it comes from.
public struct NamedSecret: Equatable, Sendable {
  /// The hole that it fills; empty where a request carries the secret itself.
  public var hole: String
  /// A file of that name in the key folders.
  public var name: String
  /// An environment variable that may hold it.
  public var environment: String?
  /// Where a person gets one.
  public var page: String?

  public init(_ hole: String, name: String, environment: String? = nil, page: String? = nil) {
    self.hole = hole
    self.name = name
    self.environment = environment
    self.page = page
  }
}

extension Template {
  /// With what is known of its holes put in.
  func filling(_ value: (String) -> String?) -> Template {
    Template(
      parts.map { part in
        if case .hole(let name) = part, let text = value(name) { .text(text) } else { part }
      })
  }
}

extension BodyTemplate {
  fileprivate func filling(_ value: (String) -> String?) -> BodyTemplate {
    switch self {
    case .json(let body): .json(body.filling(value))
    case .form(let items):
      .form(
        items.map {
          QueryItem($0.name, $0.value.filling(value), isLeftOutIfEmpty: $0.isLeftOutIfEmpty)
        })
    case .none: self
    }
  }
}

extension BodyValue {
  fileprivate func filling(_ value: (String) -> String?) -> BodyValue {
    switch self {
    case .object(let members):
      .object(members.map { Member($0.name, $0.value.filling(value)) })
    case .list(let values): .list(values.map { $0.filling(value) })
    case .text(let template): .text(template.filling(value))
    case .optional(let template): .optional(template.filling(value))
    case .typed(let template, let scalar): .typed(template.filling(value), scalar)
    case .literal, .plain: self
    }
  }
}
