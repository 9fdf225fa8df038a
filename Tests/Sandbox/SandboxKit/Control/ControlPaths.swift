internal import Base

/// The paths below `/_sandbox`: the truth, the request log, and answers made to order. They are never hit by drawn
/// faults.
struct ControlPaths: Sendable {
  static let name = "_sandbox"

  let dialects: [any Dialect]
  let log: RequestLog
  let armed: ArmedFaults

  /// For the help.
  static let paths: [(path: String, about: String)] = [
    ("/truth?api=A[&of=X]", "what A really holds; of names one more list (a login, q=...)"),
    ("/requests[?api=A][&since=N]", "what was asked, later than request N: no secret is shown"),
    ("/reset-log", "forgets the requests so far"),
    ("/drift?api=A&insert=N&delete=M", "moves the front of a list now ([&list=followers/octocat])"),
    ("/arm?fault=KIND[&target=T]", "hits the next request whose target holds T [&skip=N&count=M]"),
    ("/disarm", "forgets what was armed"),
    ("/ping", "a small answer"),
  ]

  func answer(_ request: SandboxRequest) -> Reply {
    switch request.path.first ?? "" {
    case "truth": return truth(request)
    case "requests": return requests(request)
    case "reset-log": log.reset()
    case "drift": return drift(request)
    case "arm": return arm(request)
    case "disarm": armed.removeAll()
    case "ping": break
    default: return index(isRoot: false)
    }
    return Self.done
  }

  /// An overview of the paths, in words.
  func index(isRoot: Bool) -> Reply {
    let apis = DialectTable.all.map { "/\($0.name)  \($0.about)\n" }.joined()
    return .text(isRoot ? 200 : 404, "trawl-sandbox, an imitation\n\(apis)/\(Self.name)  control\n")
  }

  private func dialect(_ request: SandboxRequest) -> (any Dialect)? {
    request.query["api"].flatMap { name in dialects.first { $0.name == name } }
  }

  private func truth(_ request: SandboxRequest) -> Reply {
    guard let dialect = dialect(request) else { return Self.noSuchAPI }
    let truth = dialect.truth(now: request.now, of: request.query["of"])
    return .json(JSONWriter.bytes { truth.write(to: &$0) })
  }

  private func requests(_ request: SandboxRequest) -> Reply {
    let entries = log.requests(
      api: request.query["api"], since: request.query.int("since") ?? 0)
    return .object { json in
      json.array("requests") { json in for entry in entries { entry.write(to: &json) } }
    }
  }

  private func arm(_ request: SandboxRequest) -> Reply {
    guard let kind = request.query["fault"].flatMap({ FaultKind(rawValue: $0) }) else {
      return Self.noSuchFault
    }
    armed.add(
      ArmedFault(
        kind, target: request.query["target"] ?? "", skip: max(0, request.query.int("skip") ?? 0),
        count: max(0, request.query.int("count") ?? 1)))
    return Self.done
  }

  private func drift(_ request: SandboxRequest) -> Reply {
    guard let dialect = dialect(request) else { return Self.noSuchAPI }
    let range = 0...10_000
    dialect.drift(
      insert: min(range.upperBound, max(0, request.query.int("insert") ?? 0)),
      delete: min(range.upperBound, max(0, request.query.int("delete") ?? 0)),
      list: request.query["list"])
    return Self.done
  }

  private static let done = Reply.json(Array("{\"ok\":true}".utf8))

  private static let noSuchFault = Reply.text(
    404, "a fault is one of:\n" + FaultKind.allCases.map { $0.rawValue + "\n" }.joined())

  private static let noSuchAPI = Reply.text(
    404, "api is one of: " + DialectTable.all.map(\.name).joined(separator: ", ") + "\n")
}

extension LoggedRequest {
  func write(to json: inout JSONWriter) {
    json.object { json in
      json.member("number", number)
      json.member("at", at.description)
      json.member("method", method)
      json.member("target", target)
      json.member("api", api)
      json.strings("header_names", headerNames)
      json.member("status", status)
      json.member("outcome", outcome)
    }
  }
}
