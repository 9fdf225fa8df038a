internal import Base
internal import Drafting

/// How a manifest authenticates, in the form of a job's `auth`.
struct ManifestAuth {
  let jobName: String
  /// Objects of `auth`.
  var entries: [String] = []
  var remarks: [String] = []
  /// The address of a token's request has a part that is made up.
  var needsPlace = false
  /// What no job can express, and the line of the component.
  private(set) var loss: String?
  private(set) var line = 1

  mutating func add(_ node: YAMLNode?, _ settings: inout ManifestSettings) {
    guard let node, let type = node["type"]?.text else { return }
    line = node.line
    do throws(DraftProblem) {
      switch type {
      case "NoAuth": break
      case "ApiKeyAuthenticator": try addKey(node)
      case "BearerAuthenticator":
        let place = Credential.Place.header(name: "Authorization", prefix: "Bearer ")
        try add(place, node["api_token"]?.text, node)
      case "BasicHttpAuthenticator": try addBasic(node, &settings)
      case "SelectiveAuthenticator": try addOne(of: node, &settings)
      case "OAuthAuthenticator": try addOAuth(node, &settings)
      case "SessionTokenAuthenticator": try addLogin(node, &settings)
      case "JwtAuthenticator": throw DraftProblem("auth: a signed token (JWT)")
      case _ where type.hasPrefix("Custom"): throw DraftProblem("auth: code of its own")
      default: throw DraftProblem("auth: \(type.shown)")
      }
    } catch { loss = error.description }
  }

  /// The job's check rejects it.
  mutating func refuse(_ why: String) {
    (entries, remarks, needsPlace) = ([], [], false)
    loss = "auth: refused: \(why)"
  }

  // MARK: ways

  private mutating func addKey(_ node: YAMLNode) throws(DraftProblem) {
    let place = node["inject_into", "inject_into"]?.text ?? "header"
    let text = node["inject_into", "field_name"]?.text ?? node["header"]?.text
    guard let name = text, !name.holds("{{") else {
      throw DraftProblem("auth: a key in a place that is computed")
    }
    let token = node["api_token"]?.text
    switch place {
    case "header": try add(.header(name: name, prefix: ""), token, node)
    case "request_parameter": try add(.query(name: name), token, node)
    default: throw DraftProblem("auth: a key in the body")
    }
  }

  /// A secret in a header field or a parameter, once in each.
  mutating func add(
    _ place: Credential.Place, _ token: String?, _ node: YAMLNode
  ) throws(DraftProblem) {
    let start = "{ \(JobText.place(place))"
    if entries.contains(where: { $0.hasPrefix(start) }) { return }
    guard case .header(let name, let front) = place else {
      let (prefix, path) = try secret(token, node)
      guard prefix.isEmpty else { throw DraftProblem("auth: a text before a key in the query") }
      return add(place, path)
    }
    guard !["cookie", "host"].contains(name.lowercased()) else {
      throw DraftProblem("auth: a cookie")
    }
    let (prefix, path) = try secret(token, node)
    add(.header(name: name, prefix: front + prefix), path)
  }

  private mutating func add(_ place: Credential.Place, _ path: [String]) {
    let word = PlainName.snake(path.last ?? "key").split(separator: "_").joined(separator: "-")
    let name = "\(jobName)-\(word.isEmpty ? "key" : word)"
    entries.append(JobText.auth(place, secret: String(name.prefix(60))))
  }

  private mutating func addBasic(
    _ node: YAMLNode, _ settings: inout ManifestSettings
  ) throws(DraftProblem) {
    let user = ManifestText.pieces(node["username"]?.text ?? "", node["$parameters"])
    let password = ManifestText.pieces(node["password"]?.text ?? "", node["$parameters"])
    if case .setting(let path, let fallback)? = password.first, password.count == 1,
      (fallback ?? "").isEmpty
    {
      var name = ""
      for piece in user {
        switch piece {
        case .text(let text): name += JobText.braced(text)
        case .setting(let part, let fallback):
          guard part != path else { throw DraftProblem("auth: one secret as user and password") }
          name += "{\(try settings.parameter(part, fallback: fallback))}"
        default: throw DraftProblem("auth: a user's name that is computed")
        }
      }
      if name.isEmpty { throw DraftProblem("auth: a password without a user's name") }
      return add(.basic(user: name), path)
    }
    let fixed = password.compactMap(\.text).joined()
    guard case .setting(let path, _)? = user.first, user.count == 1,
      password.allSatisfy({ $0.text != nil })
    else { throw DraftProblem("auth: a user's name or a password that is computed") }
    add(fixed.isEmpty ? .basic(user: nil) : .userName(password: fixed), path)
  }

  /// The first of several ways that a job can express.
  private mutating func addOne(
    of node: YAMLNode, _ settings: inout ManifestSettings
  ) throws(DraftProblem) {
    var first: String?
    node["authenticator_selection_path"]?.settle()
    let options = node["authenticators"]?.members ?? []
    for option in options {
      var attempt = self
      attempt.loss = nil
      var tried = settings
      attempt.add(option.value, &tried)
      if attempt.loss == nil {
        settings = tried
        self = attempt
        remarks.append("The manifest knows several ways; this one is \(option.key.shown).")
        for other in options where other.key != option.key { other.value.settle() }
        return
      }
      first = first ?? attempt.loss
    }
    throw DraftProblem(first ?? "auth: a choice of none")
  }

  // MARK: secrets

  private func secret(
    _ token: String?, _ node: YAMLNode
  ) throws(DraftProblem) -> (prefix: String, path: [String]) {
    let pieces = ManifestText.pieces(token ?? "", node["$parameters"])
    switch pieces.last {
    case .setting(let path, let fallback)? where (fallback ?? "").isEmpty:
      if pieces.count == 1 { return ("", path) }
      if pieces.count == 2, case .text(let prefix) = pieces[0] { return (prefix, path) }
      throw DraftProblem("auth: a key between other texts")
    default: throw DraftProblem("auth: a key that is computed")
    }
  }
}
