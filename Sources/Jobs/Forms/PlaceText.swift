internal import Base

/// Places in one notation. In a request: `?page` is a query parameter, `body:variables.after` a place in the body. In
/// an answer: `meta.next` is in its body, `header:X-Next` a header field, `continue.*` all members of an object.
enum PlaceText {
  enum Request: Equatable {
    case query(String)
    case body(JSONPath)

    /// The name used by the walk.
    var name: String {
      switch self {
      case .query(let name): name
      case .body(let path): path.text
      }
    }

    var isInBody: Bool { if case .body = self { true } else { false } }
  }

  enum Answer: Equatable {
    case header(String)
    case paths([JSONPath])
  }

  private static let body = "body:"
  private static let header = "header:"

  static func request(_ text: String) throws(PathText.Problem) -> Request {
    if text.hasPrefix("?") {
      let name = String(text.dropFirst())
      if RequestText.isName(name) { return .query(name) }
    } else if text.hasPrefix(body) {
      let path = try one(String(text.dropFirst(body.count)))
      guard path.members?.isEmpty == false else {
        throw PathText.Problem(
          description:
            "\"\(text.shown)\" is not one place in the body: it goes by names of members alone"
            + " (\"body:variables.after\")")
      }
      return .body(path)
    }
    let name = RequestText.isName(text) ? text : "page"
    throw PathText.Problem(
      description: "\"\(text.shown)\" is not a place in a request:"
        + " \"?\(name)\" is a query parameter, \"body:\(name)\" a place in the body")
  }

  /// Where a request carries a secret: `header:X-Api-Key`, `header:Authorization Bearer {secret}`, `?api_key`, `basic`
  /// (the user's name), `basic {mail}:{secret}`, `basic {secret}:a-word`.
  static func secret(_ text: String) -> Credential.Place? {
    if text.hasPrefix("?") { return .query(name: String(text.dropFirst())) }
    let words = text.split(separator: " ", maxSplits: 1).map(String.init)
    guard let place = words.first else { return nil }
    let rest = words.dropFirst().first
    if place == "basic" {
      guard let rest else { return .basic(user: nil) }
      if rest.hasPrefix(secretHole + ":") {
        let password = String(rest.dropFirst(secretHole.count + 1))
        return password.isEmpty ? .basic(user: nil) : .userName(password: password)
      }
      let user = rest.dropLast(secretHole.count + 1)
      return rest.hasSuffix(":" + secretHole) && !user.isEmpty ? .basic(user: String(user)) : nil
    }
    guard place.hasPrefix(header), rest?.hasSuffix(secretHole) ?? true else { return nil }
    return .header(
      name: String(place.dropFirst(header.count)),
      prefix: rest.map { String($0.dropLast(secretHole.count)) } ?? "")
  }

  private static let secretHole = "{secret}"

  /// `?limit=100`
  static func size(_ text: String) throws(PathText.Problem) -> (place: Request, value: Int) {
    guard let mark = text.utf8.lastIndex(of: UInt8(ascii: "=")) else {
      throw PathText.Problem(
        description:
          "\"\(text.shown)\" has no number: \"?limit=100\", or 100 where the API has one size")
    }
    let place = try request(String(text[..<mark]))
    guard let value = Int(text[text.utf8.index(after: mark)...]), sizes.contains(value) else {
      throw PathText.Problem(
        description: "the size of a page is from \(sizes.lowerBound) to \(sizes.upperBound)")
    }
    return (place, value)
  }

  static let sizes = 1...100_000

  static func answer(_ text: String) throws(PathText.Problem) -> Answer {
    guard text.hasPrefix(header) else { return .paths(try PathText.alternatives(text)) }
    let name = String(text.dropFirst(header.count))
    if let problem = HeaderText.formProblem(name) { throw PathText.Problem(description: problem) }
    return .header(name)
  }

  /// `meta.total counted`
  static func total(_ text: String) throws(PathText.Problem) -> Total {
    let mark = text.utf8.lastIndex(of: UInt8(ascii: " ")) ?? text.startIndex
    let word = text[mark...].filter { $0 != " " }
    guard let trust = Total.Trust(rawValue: word), mark != text.startIndex else {
      let words = Total.Trust.allCases.map(\.rawValue)
      throw PathText.Problem(
        description: "\"\(text.shown)\" does not end with what the total says"
          + Suggestion.clauseOrList(for: word, in: words))
    }
    switch try answer(String(text[..<mark]).trimmingBlanks) {
    case .header(let name): return Total(field: name, trust: trust)
    case .paths(let paths): return Total(paths: paths, trust: trust)
    }
  }

  /// Where an answer names the next page.
  static func next(_ text: String) throws(PathText.Problem) -> NextPage.Place {
    if text.hasPrefix(header), case .header(let name) = try answer(text) { return .header(name) }
    if text.hasSuffix(".*") { return .state(try one(String(text.dropLast(2)))) }
    return .body(try one(text))
  }

  static func one(_ text: String) throws(PathText.Problem) -> JSONPath {
    let paths = try PathText.alternatives(text)
    if paths.count > 1 {
      throw PathText.Problem(description: "only one path is allowed here, without alternatives")
    }
    return paths[0]
  }

  /// The paths that say that more follow, and the value that means it.
  static func flag(_ text: String) throws(PathText.Problem) -> (paths: [JSONPath], more: Bool) {
    let isReversed = text.hasPrefix("not ")
    return (try PathText.alternatives(isReversed ? String(text.dropFirst(4)) : text), !isReversed)
  }
}
