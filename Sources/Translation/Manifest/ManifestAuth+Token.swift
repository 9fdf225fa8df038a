internal import Base
internal import Drafting

/// Access tokens: OAuth, and logins.
extension ManifestAuth {
  /// What a token is requested with.
  struct Exchange {
    /// The component that says it.
    let node: YAMLNode
    var settings: ManifestSettings
    var secrets: [String] = []
    var place = ""
    var form: [(String, String)] = []
    var body: String?
    var basic: (user: String, password: String)?
    var more: [String] = []
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
    for (key, named, fallback) in [
      ("client_id", "client_id_name", "client_id"),
      ("client_secret", "client_secret_name", "client_secret"),
      ("refresh_token", "refresh_token_name", "refresh_token"),
    ] {
      guard let value = node[key]?.text, key != "refresh_token" || grant == "refresh_token" else {
        continue
      }
      let filled = try exchange.text(value, isSecret: key != "client_id")
      if isBasic, key != "refresh_token" {
        exchange.basic = key == "client_id" ? (filled, "") : (exchange.basic?.user ?? "", filled)
      } else {
        exchange.form.append((node[named]?.text ?? fallback, filled))
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
      exchange.form.append((member.key, try exchange.text(value, isSecret: false)))
    }
    if let name = node["access_token_name"]?.text, name != "access_token" {
      exchange.more.append("at: \(JobText.quoted(JSONPath.text(of: [name])))")
    }
    if let name = node["expires_in_name"]?.text, name != "expires_in" {
      exchange.more.append("lasts: \(JobText.quoted(JSONPath.text(of: [name])))")
    }
    node["refresh_token_updater"]?.settle()
    if let updater = node["refresh_token_updater"], grant == "refresh_token" {
      let name = updater["refresh_token_name"]?.text ?? "refresh_token"
      if let spent = exchange.form.first(where: { $0.0 == "refresh_token" })?.1,
        spent.hasPrefix("{")
      {
        exchange.more.append(
          "rotates: { \(spent.dropFirst().dropLast()): \(JobText.quoted(JSONPath.text(of: [name]))) }"
        )
      }
    }
    add(exchange, .header(name: "Authorization", prefix: "Bearer "))
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
      if use?["inject_into", "inject_into"]?.text == "request_parameter" {
        add(exchange, .query(name: name))
      } else if use?["inject_into", "inject_into"]?.text == "header", name.lowercased() != "cookie"
      {
        let token = ManifestText.pieces(use?["api_token"]?.text ?? "", nil)
        guard token.count < 3, token.dropLast().allSatisfy({ $0.text != nil }) else {
          throw DraftProblem("auth: a token between other texts")
        }
        add(exchange, .header(name: name, prefix: token.dropLast().compactMap(\.text).joined()))
      } else {
        throw DraftProblem("auth: a token in a body or a cookie")
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
    let secrets = exchange.secrets.map {
      "\($0): \(JobText.quoted("\(jobName.prefix(31))-\($0.prefix(32))"))"
    }
    .joined(separator: ", ")
    entries.append(
      "{ \(JobText.place(place)), secret: { \(secrets) }, token: { \((token + exchange.more).joined(separator: ", ")) } }"
    )
  }
}

extension ManifestAuth.Exchange {
  mutating func readBody() throws(DraftProblem) {
    let typed = node["request_body"]
    let json =
      typed?["type"]?.text == "RequestBodyJsonObject" ? typed?["value"] : node["request_body_json"]
    let form =
      typed?["type"]?.text == "RequestBodyUrlEncodedForm"
      ? typed?["value"] : node["request_body_data"]
    let members = (json ?? form)?.members?.filter { $0.key != "$parameters" } ?? []
    guard !members.isEmpty else { return }
    var pairs: [(String, String)] = []
    for member in members {
      guard let value = member.value.text else {
        throw DraftProblem("auth: a login with a nested body")
      }
      let isSecret = ["password", "secret", "token", "key"].contains {
        member.key.lowercased().holds($0)
      }
      pairs.append((member.key, try text(value, isSecret: isSecret)))
    }
    if json?.members?.isEmpty == false {
      body =
        "{ "
        + pairs.map { "\(JobText.member($0.0)): \(JobText.quoted($0.1))" }.joined(separator: ", ")
        + " }"
    } else {
      self.form += pairs
    }
  }

  mutating func setPlace(_ source: String) throws(DraftProblem) {
    place = ManifestBase.fixed(try text(source, isSecret: nil), settings)
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
        let hole = DraftNames.plain(path.last ?? "", else: "secret")
        if !secrets.contains(hole) { secrets.append(hole) }
        whole += "{\(hole)}"
      case .either(let condition, let first, let second):
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
