internal import Base
internal import Drafting

/// Access tokens: OAuth, and logins.
extension ManifestAuth {
  /// What a token is requested with.
  struct Exchange {
    /// The component that says it.
    let node: YAMLNode
    var settings: ManifestSettings
    var secrets: [(path: [String], hole: String)] = []
    var place = ""
    /// A part of the place is made up.
    var needsPlace = false
    var form: [(String, String)] = []
    var body: String?
    var basic: (user: String, password: String)?
    var more: [String] = []
    var remarks: [String] = []
  }

  mutating func addOAuth(
    _ node: YAMLNode, _ settings: inout ManifestSettings
  ) throws(DraftProblem) {
    if node["profile_assertion"] != nil || node["use_profile_assertion"]?.boolean == true {
      throw DraftProblem("auth: a signed token (JWT)")
    }
    var exchange = Exchange(node: node, settings: settings)
    defer { settings = exchange.settings }
    let grant = node["grant_type"]?.text ?? "refresh_token"
    guard let endpoint = node["token_refresh_endpoint"]?.text else {
      throw DraftProblem("auth: OAuth without an endpoint")
    }
    try exchange.setPlace(endpoint)
    exchange.form.removeAll { $0.0 == "grant_type" }
    exchange.form.insert(("grant_type", try exchange.text(grant, isSecret: false)), at: 0)
    let basic = node["refresh_request_headers", "Authorization"]?.text
    let isBasic = basic?.hasPrefix("Basic ") ?? false
    if let basic, !isBasic || !["client_id", "client_secret"].allSatisfy({ basic.holds($0) }) {
      throw DraftProblem("auth: a token's request with a header field of its own")
    }
    for key in ["client_id", "client_secret"] {
      let filled = try exchange.text(try Self.value(key, of: node), isSecret: key != "client_id")
      if isBasic {
        exchange.basic = key == "client_id" ? (filled, "") : (exchange.basic?.user ?? "", filled)
      } else {
        exchange.form.append((node["\(key)_name"]?.text ?? key, filled))
      }
    }
    let updater = node["refresh_token_updater"]
    updater?.settle()
    if grant == "refresh_token" {
      let own = node["refresh_token_name"]
      let name = (updater.map { $0["refresh_token_name"] } ?? own)?.text ?? "refresh_token"
      let spent = try exchange.text(try Self.value("refresh_token", of: node), isSecret: true)
      exchange.form.append((name, spent))
      if updater != nil {
        let next = JobText.quoted(JSONPath.text(of: [name]))
        exchange.more.append("rotates: { \(spent.dropFirst().dropLast()): \(next) }")
      }
    }
    let scopes = (node["scopes"]?.texts ?? []).joined(separator: " ")
    if !scopes.isEmpty {
      exchange.form.append(("scope", try exchange.text(scopes, isSecret: false)))
    }
    for member in node["refresh_request_body"]?.members ?? []
    where member.key != "$parameters"
      && (member.key != "type" || node["refresh_request_body", "$parameters"] == nil)
    {
      guard let value = member.value.text else {
        throw DraftProblem("auth: a token's request with an object (\(member.key.shown))")
      }
      // The default parameters come first.
      if exchange.form.contains(where: { $0.0 == member.key }) { continue }
      exchange.form.append(
        (member.key, try exchange.text(value, isSecret: Exchange.soundsSecret(member.key))))
    }
    if let name = node["access_token_name"]?.text, name != "access_token" {
      exchange.more.append("at: \(JobText.quoted(JSONPath.text(of: [name])))")
    }
    if let name = node["expires_in_name"]?.text, name != "expires_in" {
      exchange.more.append("lasts: \(JobText.quoted(JSONPath.text(of: [name])))")
    }
    add(exchange, .header(name: "Authorization", prefix: "Bearer "))
  }

  /// What the component sends; with an updater, settings have usual places.
  private static func value(_ key: String, of node: YAMLNode) throws(DraftProblem) -> String {
    if let text = node[key]?.text { return text }
    guard let updater = node["refresh_token_updater"] else {
      throw DraftProblem("auth: OAuth without \(key)")
    }
    let path = updater["\(key)_config_path"]?.texts ?? ["credentials", key]
    return "{{ config\(path.map { "['\($0)']" }.joined()) }}"
  }

  mutating func addLogin(
    _ node: YAMLNode, _ settings: inout ManifestSettings
  ) throws(DraftProblem) {
    guard let login = node["login_requester"] else {
      throw DraftProblem("auth: a login that is missing")
    }
    for member in ["error_handler", "use_cache"] { login[member]?.settle() }
    guard login["http_method"]?.text?.uppercased() == "POST" else {
      throw DraftProblem("auth: a login by GET")
    }
    if login["request_parameters"]?.members?.contains(where: { $0.key != "$parameters" }) ?? false {
      throw DraftProblem("auth: a login with secrets in its address")
    }
    var exchange = Exchange(node: login, settings: settings)
    defer { settings = exchange.settings }
    var address = login["url"]?.text ?? login["url_base"]?.text ?? ""
    while address.hasSuffix("/") { address.removeLast() }
    var path = login["path"]?.text ?? ""
    while path.hasPrefix("/") { path.removeFirst() }
    try exchange.setPlace(path.isEmpty ? address : address + "/" + path)
    try exchange.readBody()
    switch login["authenticator", "type"]?.text ?? "NoAuth" {
    case "NoAuth": break
    case "BasicHttpAuthenticator":
      let user = login["authenticator", "username"]?.text ?? ""
      let password = login["authenticator", "password"]?.text ?? ""
      exchange.basic = (
        try exchange.text(user, isSecret: false), try exchange.text(password, isSecret: true)
      )
    default: throw DraftProblem("auth: a login with a key of its own")
    }
    let at = (node["session_token_path"]?.texts ?? [])
    if !at.isEmpty { exchange.more.append("at: \(JobText.quoted(JSONPath.text(of: at)))") }
    if let text = node["expiration_duration"]?.text {
      guard let life = ISODuration.text(text) else {
        throw DraftProblem("auth: how long a token lasts (\(text.onOneLine(upTo: 60)))")
      }
      exchange.more.append("lasts: \(JobText.quoted(life))")
    }
    let use = node["request_authentication"]
    switch use?["type"]?.text ?? "" {
    case "Bearer": add(exchange, .header(name: "Authorization", prefix: "Bearer "))
    case "ApiKey":
      guard let name = use?["inject_into", "field_name"]?.text, !name.holds("{{") else {
        throw DraftProblem("auth: a token in a place that is computed")
      }
      let template = JinjaTemplate.parts(use?["api_token"]?.text ?? "{{ session_token }}")
      var prefix = ""
      if template.count == 2, case .text(let text) = template[0] { prefix = text }
      guard template.count == (prefix.isEmpty ? 1 : 2),
        case .expression(_, .name("session_token")?)? = template.last
      else { throw DraftProblem("auth: a token between other texts, or a computed one") }
      switch use?["inject_into", "inject_into"]?.text {
      case "request_parameter"? where prefix.isEmpty: add(exchange, .query(name: name))
      case "header"? where name.lowercased() != "cookie":
        add(exchange, .header(name: name, prefix: prefix))
      default: throw DraftProblem("auth: a token in a body, in a cookie, or after text in a query")
      }
    default: throw DraftProblem("auth: a token that goes elsewhere")
    }
  }

  private mutating func add(_ exchange: Exchange, _ place: Credential.Place) {
    var token = ["post: \(JobText.quoted(exchange.place))"]
    if let body = exchange.body {
      token.append("body: \(body)")
    } else if !exchange.form.isEmpty {
      let pairs = exchange.form.map { "\(JobText.member($0.0)): \(JobText.quoted($0.1))" }
      token.append("form: { \(pairs.joined(separator: ", ")) }")
    }
    if let basic = exchange.basic {
      token.append("basic: \(JobText.quoted("\(basic.user):\(basic.password)"))")
    }
    let secrets = exchange.secrets.map(\.hole).map {
      "\($0): \(JobText.quoted("\(jobName.prefix(31))-\($0.prefix(32))"))"
    }
    .joined(separator: ", ")
    remarks += exchange.remarks
    needsPlace = exchange.needsPlace
    entries.append(
      "{ \(JobText.place(place)), secret: { \(secrets) }, token: { \((token + exchange.more).joined(separator: ", ")) } }"
    )
  }
}

extension ManifestAuth.Exchange {
  mutating func readBody() throws(DraftProblem) {
    var (json, data) = (node["request_body_json"], node["request_body_data"])
    let typed = node["request_body"]
    switch typed?["type"]?.text {
    case nil: break
    case "RequestBodyJsonObject"?: json = typed?["value"]
    case "RequestBodyUrlEncodedForm"?: data = typed?["value"]
    default: throw DraftProblem("auth: a login with a body of a kind of its own")
    }
    guard let whole = json ?? data else { return }
    guard let members = whole.members else {
      throw DraftProblem("auth: a login with a body that is computed")
    }
    var parts: [String] = []
    for member in members where member.key != "$parameters" {
      guard let value = member.value.text else {
        throw DraftProblem("auth: a login with a nested body")
      }
      let filled = try text(value, isSecret: Self.soundsSecret(member.key))
      form.append((member.key, filled))
      let sent = member.value.literal ?? JobText.quoted(filled)
      parts.append("\(JobText.member(member.key)): \(sent)")
    }
    guard json != nil, !parts.isEmpty else { return }
    guard form.count == parts.count else {
      throw DraftProblem("auth: a login with JSON and a query in its address")
    }
    body = "{ \(parts.joined(separator: ", ")) }"
  }

  /// The name of what is sent, whatever the setting is called.
  static func soundsSecret(_ name: String) -> Bool {
    ["pass", "pwd", "secret", "token", "key"].contains { name.lowercased().holds($0) }
  }

  mutating func setPlace(_ source: String) throws(DraftProblem) {
    (place, needsPlace) = ManifestBase.fixed(try text(source, isSecret: nil), settings)
    if needsPlace {
      remarks.append("Mind: where your own server gives tokens is for you to say in \"post\".")
    }
    guard let mark = place.utf8.firstIndex(of: UInt8(ascii: "?")) else { return }
    for pair in QueryText.pairs(place[place.utf8.index(after: mark)...]) {
      form.append((try QueryText.decoded(pair.name), try QueryText.decoded(pair.value)))
    }
    place = String(place[..<mark])
  }

  /// - Parameter isSecret: nil if nothing in it can be secret.
  mutating func text(_ source: String, isSecret: Bool?) throws(DraftProblem) -> String {
    var whole = ""
    for piece in ManifestText.pieces(source, node["$parameters"]) {
      switch piece {
      case .text(let text): whole += JobText.braced(text)
      case .setting(let path, let fallback):
        let secret = isSecret.map { $0 || settings[path].isSecret } ?? false
        guard secret else {
          whole += "{\(try settings.parameter(path, fallback: fallback))}"
          continue
        }
        if !secrets.contains(where: { $0.path == path }) {
          var taken = Set(secrets.map(\.hole))
          let name = DraftNames.plain(path.last ?? "", else: "secret")
          secrets.append((path, PlainName.unique(name, &taken)))
        }
        whole += "{\(secrets.first { $0.path == path }?.hole ?? "")}"
      case .either(let condition, let first, let second):
        remarks.append(
          "The manifest has two ways here, by \(condition.path.last?.shown ?? ""); this is the default."
        )
        let pieces = settings.holds(condition) ? first : second
        guard pieces.allSatisfy({ $0.text != nil }) else {
          throw DraftProblem("auth: a token's place that is computed")
        }
        whole += pieces.compactMap(\.text).map(JobText.braced).joined()
      default: throw DraftProblem("auth: a token's request that is computed")
      }
    }
    return whole
  }
}
