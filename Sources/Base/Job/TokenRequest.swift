/// How a job gets an access token: by OAuth, or by a login. Its answer is never stored.
public struct TokenRequest: Equatable, Sendable {
  /// An address, or a path relative to the base.
  public var place: String
  /// Its holes are secrets; parameters were filled in before.
  public var body: BodyTemplate
  /// Sent as HTTP Basic.
  public var basic: Pair?
  public var secrets: [NamedSecret]
  /// The values of holes that are not secrets.
  public var values: [String: String] = [:]
  /// Where the answer holds the access token.
  public var at: JSONPath
  /// Where it says for how many seconds the token is valid.
  public var lasts: JSONPath
  /// How long it is valid if the answer does not say.
  public var life: Duration?
  /// The secret that each answer replaces.
  public var rotation: Rotation?
  /// How the user authorises the job; nil: all its secrets are typed.
  public var login: Login?

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

  /// The user authorises the job once. The result is the secret that the body sends as `refresh_token`.
  public struct Login: Equatable, Sendable {
    public enum Grant: String, Sendable, CaseIterable {
      /// The user enters a code on a page, on any machine.
      case device
      /// A browser is redirected to this machine, with a code.
      case browser
    }

    public var grant: Grant
    /// Where it begins: an address, or a path relative to the base.
    public var place: String
    /// Additional parameters.
    public var with: [QueryItem]
    /// The secret's hole.
    public var hole: String
    /// Where the browser is redirected; nil: a free port of this machine.
    public var redirect: WebAddress?

    public init(
      _ grant: Grant, at place: String, with: [QueryItem] = [], hole: String,
      redirect: WebAddress? = nil
    ) {
      self.grant = grant
      self.place = place
      self.with = with
      self.hole = hole
      self.redirect = redirect
    }
  }

  public init(
    place: String, body: BodyTemplate, basic: Pair? = nil, secrets: [NamedSecret], at: JSONPath,
    lasts: JSONPath, life: Duration? = nil
  ) {
    self.place = place
    self.body = body
    self.basic = basic
    self.secrets = secrets
    self.at = at
    self.lasts = lasts
    self.life = life
  }

  /// The holes of its texts: secrets, and values that the user chooses once.
  public var holes: [String] {
    body.holes + (basic.map { $0.user.holes + $0.password.holes } ?? [])
      + (login?.with.flatMap(\.value.holes) ?? [])
  }

  /// The client ID of a login.
  public var client: Template? {
    if case .form(let items) = body, let item = items.first(where: { $0.name == "client_id" }) {
      return item.value
    }
    return basic?.user
  }

  /// The additional parameters of its login.
  public var loginWords: [(name: String, value: String)] {
    (login?.with ?? []).map { ($0.name, $0.value.filled { values[$0] } ?? "") }
  }

  /// The address for the request, once the job's server is known; nil: it is not an address.
  public func address(behind base: WebAddress) -> WebAddress? { Self.address(place, base) }

  /// The address at which its login begins.
  public func loginAddress(behind base: WebAddress) -> WebAddress? {
    login.flatMap { Self.address($0.place, base) }
  }

  private static func address(_ place: String, _ base: WebAddress) -> WebAddress? {
    // The job file was checked, so this fails only for a hole that has no value yet.
    guard place.hasPrefix("/") else { return try? WebAddress(place) }
    let folder = base.path.hasSuffix("/") ? String(base.path.dropLast()) : base.path
    return WebAddress(origin: base.origin, path: folder + place)
  }

  public func rotates(_ hole: String) -> Bool {
    rotation?.hole.utf8.elementsEqual(hole.utf8) ?? false
  }
}

/// One secret of a job, and its sources.
public struct NamedSecret: Equatable, Sendable {
  /// The hole that it fills; empty if requests carry the secret itself.
  public var hole: String
  /// A file of that name in the key folders.
  public var name: String
  /// An environment variable that may hold it.
  public var environment: String?
  /// Where to get one.
  public var page: String?

  public init(_ hole: String, name: String, environment: String? = nil, page: String? = nil) {
    self.hole = hole
    self.name = name
    self.environment = environment
    self.page = page
  }
}
