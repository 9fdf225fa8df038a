internal import Base

/// Reads how a job gets an access token: a part of `auth`.
struct TokenReader {
  /// The part of `auth`.
  let node: JSON5Node
  let parameters: [String]
  let complaints: Complaints

  /// Nil: requests carry the secret itself, or a problem was reported.
  func read() -> TokenRequest? {
    guard let token = node["token"] else {
      if let secrets = node["secret"], secrets.members != nil {
        complaints.add(secrets, "several secrets are only for requesting a token: add \"token\"")
      }
      return nil
    }
    guard token.members != nil else { return nil }
    checkBeside()
    let secrets = secrets()
    guard let place = token.text("post", .tokenPlace) else { return nil }
    let life = token.duration("lasts")
    var request = TokenRequest(
      place: place, body: body(token), basic: pair(token), secrets: secrets,
      at: token.path("at") ?? Self.accessToken,
      lasts: life == nil ? token.path("lasts") ?? Self.expiresIn : Self.expiresIn, life: life)
    request.login = token["login"].flatMap { login($0, token) }
    request.rotation =
      rotation(token["rotates"], among: secrets.map(\.hole))
      ?? request.login.map { TokenRequest.Rotation($0.hole, at: Self.plain("refresh_token")) }
    if let login = request.login, !request.rotates(login.hole) {
      complaints.add(
        token["rotates"], "what a login brings rotates, \"\(login.hole)\"; leave \"rotates\" out")
    }
    check(request, token)
    return request
  }

  private static let accessToken = plain("access_token")
  private static let expiresIn = plain("expires_in")

  private static func plain(_ text: String) -> JSONPath {
    // A plain word is a path.
    guard let path = try? JSONPath(text) else { preconditionFailure("a plain word is a path") }
    return path
  }

  private func checkBeside() {
    if let secret = node["secret"], secret.string != nil {
      complaints.add(
        secret,
        "with \"token\", \"secret\" is an object: what it is requested with, by the names of its holes"
      )
    }
    switch node.text("to", .secretPlace).flatMap(PlaceText.secret) {
    case .basic, .userName:
      complaints.add(node["to"], "an access token goes into a header or a query, not into Basic")
    default: break
    }
  }

  private func secrets() -> [NamedSecret] {
    node.entries("secret").map { member in
      if parameters.containsBytes(member.key) {
        complaints.add(
          member.value, "\"\(member.key)\" is a parameter already; give this secret another name")
      }
      let found = member.value.string.flatMap(SecretName.read)
      return NamedSecret(
        member.key, name: found?.name ?? member.key, environment: found?.variable,
        page: node.text("get", .page))
    }
  }

  private func body(_ token: JSON5Node) -> BodyTemplate {
    if token["body"] == nil, token["form"] == nil, token["basic"] == nil {
      complaints.add(token, "token sends nothing: add \"form\", \"body\" or \"basic\"")
    }
    return BodyReader(node: token, complaints: complaints).content() ?? .none
  }

  /// Split at the first colon, which no user's name contains.
  private func pair(_ token: JSON5Node) -> TokenRequest.Pair? {
    guard let text = token.text("basic", .userAndPassword), let mark = text.firstIndex(of: ":"),
      let user = TemplateText.read(String(text[..<mark])),
      let password = TemplateText.read(String(text[text.index(after: mark)...]))
    else { return nil }
    return TokenRequest.Pair(user: user.template, password: password.template)
  }

  private func rotation(_ node: JSON5Node?, among holes: [String]) -> TokenRequest.Rotation? {
    guard let node, let member = node.firstMembers.first else { return nil }
    if let second = node.firstMembers.dropFirst().first {
      complaints.add(
        second.value, "one secret rotates: \"\(member.key)\"; leave \"\(second.key)\" out")
    }
    complaints.expect(
      member.key, in: holes, at: member.value, "there is no secret \"\(member.key)\"")
    return node.path(member.key).map { TokenRequest.Rotation(member.key, at: $0) }
  }

  /// How a user authorises the job.
  private func login(_ login: JSON5Node, _ token: JSON5Node) -> TokenRequest.Login? {
    guard let grant = login["grant"]?.string.flatMap(TokenRequest.Login.Grant.init),
      let place = login.text("begins", .tokenPlace)
    else { return nil }
    guard
      case .hole(let hole)? = token["form"]?["refresh_token"]?.string.flatMap(Template.init)?.parts
        .first,
      node["secret"]?[hole] != nil
    else {
      complaints.add(
        login,
        "a login brings what \"form\" sends as \"refresh_token\": add refresh_token: \"{refresh}\", and"
          + " refresh: \"NAME\" to \"secret\"")
      return nil
    }
    if token["form"]?["client_id"] == nil, token["basic"] == nil {
      complaints.add(login, "a login says whose it is: token needs client_id, or \"basic\"")
    }
    let with = login["with"]?.queryItems ?? []
    for item in with {
      for hole in item.value.holes where node["secret"]?[hole] != nil {
        complaints.add(
          login["with"]?[item.name], "{\(hole)} is a secret, and a login shows what it is sent with"
        )
      }
    }
    // The check of the shape reported invalid addresses.
    let redirect = login.text("redirect", .page).flatMap { try? WebAddress($0) }
    if let redirect,
      grant == .device || redirect.origin.scheme != "http" || !redirect.origin.isLoopback
        || redirect.query != nil
    {
      complaints.add(
        login["redirect"],
        "\"redirect\" is an http address of this machine, and of grant: \"browser\"")
    }
    return TokenRequest.Login(grant, at: place, with: with, hole: hole, redirect: redirect)
  }

  private func check(_ request: TokenRequest, _ token: JSON5Node) {
    let holes = request.holes
    let known = request.secrets.map(\.hole) + parameters
    complaints.expectFilled(
      holes, in: known, at: token, by: "no secret and no parameter has that name")
    for secret in request.secrets where !holes.containsBytes(secret.hole) {
      complaints.add(
        node["secret"]?[secret.hole],
        "the secret \"\(secret.hole)\" is sent nowhere: token has no {\(secret.hole)}")
    }
    for member in token["form"]?.firstMembers ?? token["body"]?.members ?? [] {
      guard let text = member.value.scalarText, Template(text)?.holes.isEmpty ?? true,
        SecretName.isSecret(text, called: member.key)
      else { continue }
      complaints.add(
        member.value,
        "a job file never holds a secret: name it under \"secret\" and write \"{name}\" here")
    }
  }
}
