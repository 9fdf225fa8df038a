import Glibc
import Base
import TestSupport
import Testing

/// Imitations of GitHub's repositories and of a wiki, according to their documentation.
@Suite("A shipped job that reads what people make together", .prompt)
struct ForgeJobTests {
  // MARK: GitHub

  /// Repositories whose issues may change at each request.
  private final class Forge: Sendable {
    struct State: Sendable {
      var stars = 10
      /// The time of the last change, by the issue's number.
      var changed: [Int: Int64] = [:]
    }

    static let begin: Int64 = 1_767_225_600
    let state = Locked(State())

    init(issues: Int) {
      state.withLock { state in
        for number in 1...issues { state.changed[number] = Self.begin + Int64(number) }
      }
    }

    func reply(_ call: AnswerServer.Call) -> AnswerServer.Reply {
      switch call.path {
      case "/repos/octocat/hello.world":
        return .json(
          """
          {"id": 7, "full_name": "octocat/hello.world", "owner": {"login": "octocat"}, "fork": false, \
          "stargazers_count": \(state.withLock { $0.stars }), "forks_count": 1, "topics": ["a"], \
          "created_at": "2020-01-01T00:00:00Z", "homepage": ""}
          """)
      case "/repos/octocat/hello.world/issues": return issues(call)
      case "/repos/octocat/hello.world/releases":
        return .json(
          """
          [{"id": 1, "tag_name": "1.0", "name": "", "published_at": "2020-01-01T00:00:00Z", \
          "assets": [{"id": 4, "name": "a.zip", "size": 9, "download_count": 3, \
          "browser_download_url": "https://a.example/a.zip"}]}]
          """)
      case "/repos/octocat/quiet/issues": return .json("{\"message\": \"disabled\"}", status: 410)
      case "/repos/octocat/quiet":
        return .json("{\"id\": 8, \"full_name\": \"octocat/quiet\", \"stargazers_count\": 0}")
      case "/repos/octocat/quiet/releases": return .json("[]")
      default: return .json("{\"message\": \"Not Found\"}", status: 404)
      }
    }

    /// Oldest first, after a cursor. Each request changes one old issue.
    private func issues(_ call: AnswerServer.Call) -> AnswerServer.Reply {
      let asked = call.parameters
      guard asked["state"] == "all", asked["sort"] == "created", asked["direction"] == "asc" else {
        return .json("{\"message\": \"what?\"}", status: 422)
      }
      let since = asked["since"].flatMap { Instant(rfc3339: $0)?.seconds } ?? 0
      let behind = call.number("after") ?? 0
      let page = max(1, call.number("page") ?? 1)
      return state.withLock { state in
        let found = state.changed.filter { $0.value >= since && $0.key > behind }.keys.sorted()
        let shown = found.prefix(100)
        let items = shown.map { number in
          let pull =
            number.isMultiple(of: 4)
            ? ", \"pull_request\": {\"html_url\": \"https://a.example/pull/\(number)\"}" : ""
          return """
            {"id": \(9000 + number), "number": \(number), "title": "Issue \(number)", \
            "state": "open", "user": {"login": "a"}, "labels": [{"name": "bug", "color": "f00"}], \
            "created_at": "\(Instant(seconds: Forge.begin + Int64(number)))", \
            "updated_at": "\(Instant(seconds: state.changed[number] ?? 0))"\(pull)}
            """
        }
        if since == 0 { state.changed[1 + page] = Forge.begin + 100_000 }
        let next =
          "Link: <\(call.origin)\(call.path)?state=all&sort=created&direction=asc&per_page=100"
          + "&after=\(shown.last ?? 0)&page=\(page + 1)>; rel=\"next\""
        return .json("[\(items.joined(separator: ","))]", found.count > 100 ? [next] : [])
      }
    }
  }

  @Test("has all issues while some change, then asks for what changed; stars are kept over time")
  func repositories() async throws {
    let forge = Forge(issues: 350)
    let server = AnswerServer { forge.reply($0) }
    let home = Home()
    let command = [
      "run", "github-repos", "--set", "repo=octocat/hello.world", "--set", "repo=octocat/quiet",
      "--endpoint", server.origin, "--data", home.data,
    ]
    let ended = await home.run(command)
    #expect([0, 3].contains(ended.status), "\(ended.errors)")
    #expect(try home.count("github_repos_issues") == 350)
    #expect(try home.count("github_repos_issues WHERE pull_url IS NOT NULL") == 87)
    #expect(try home.count("github_repos_labels") == 350)
    #expect(
      try home.tables.texts("SELECT name, downloads FROM github_repos_files") == ["a.zip|3"])
    let first = try home.tables.verdicts()
    #expect(first["issues of octocat/quiet"] == "absent", "\(first)")
    #expect(first["octocat/hello.world"] == "complete", "\(first)")

    forge.state.withLock { state in
      state.stars = 12
      state.changed[5] = Int64(time(nil))
    }
    let count = server.calls.count
    let again = await home.run(command)
    #expect([0, 3].contains(again.status), "\(again.errors)")
    let lists = server.calls.dropFirst(count).filter { $0.target.holds("hello.world/issues") }
    #expect(!lists.isEmpty && lists.allSatisfy { $0.parameters["since"] != nil })
    #expect(
      try home.tables.texts(
        "SELECT value FROM github_repos_repositories_history WHERE column_name = 'stars' "
          + "AND id = 7 ORDER BY at") == ["10", "12"])
    #expect(try home.count("github_repos_issues") == 350)
  }

  // MARK: MediaWiki

  /// Pages of a wiki, five an answer whatever is requested; the next request needs two parameters.
  private static func wiki(
    _ call: AnswerServer.Call, _ titles: [Int], gone: Bool = false
  ) -> AnswerServer.Reply {
    let asked = call.parameters
    guard asked["action"] == "query", asked["formatversion"] == "2" else {
      return .json(#"{"error": {"code": "unknown_action", "info": "x"}}"#)
    }
    let kind = asked["list"] ?? asked["generator"] ?? ""
    let names = ["recentchanges": "rccontinue", "categorymembers": "cmcontinue"]
    let name = names[kind] ?? "gapcontinue"
    let from = Int((asked[name] ?? "").split(separator: "|").last ?? "") ?? 0
    if from > 0, asked["continue"] != "-||" {
      return .json(#"{"error": {"code": "badcontinue", "info": "x"}}"#)
    }
    func at(_ number: Int) -> String {
      "2026-01-01T00:00:\(number / 2 < 10 ? "0" : "")\(number / 2)Z"
    }
    let found = titles.filter { $0 >= from && at($0) >= asked["rcstart"] ?? "" }
    let shown = found.prefix(5)
    let items = shown.map { number in
      let at = at(number)
      return """
        {"pageid": \(number), "rcid": \(number), "ns": 0, "title": "Page \(number)", "type": "page", \
        "timestamp": "\(at)", "length": 3, "lastrevid": 4, "touched": "\(at)"}
        """
    }
    let more =
      found.count > 5 && !gone
      ? "\"continue\": {\"\(name)\": \"x|\(found[5])\", \"continue\": \"-||\"}, " : ""
    let place = kind == "allpages" ? "pages" : kind
    return .json("{\(more)\"query\": {\"\(place)\": [\(items.joined(separator: ","))]}}")
  }

  private static func wiki(_ server: AnswerServer, _ home: Home) -> [String] {
    [
      "run", "mediawiki", "--set", "namespace=0", "--set", "category=Boats", "--endpoint",
      server.origin, "--data", home.data,
    ]
  }

  @Test("takes all of a wiki's continue to the next request, and waits where the wiki asks for it")
  func mediawiki() async throws {
    let isBusy = Locked(true)
    let server = AnswerServer { call in
      let wasBusy = isBusy.withLock { busy in
        defer { busy = false }
        return busy
      }
      return wasBusy
        ? .json(
          #"{"error": {"code": "maxlag", "info": "Waiting: 6 seconds lagged"}}"#, ["Retry-After: 1"]
        )
        : Self.wiki(call, Array(1...23))
    }
    let home = Home()
    await home.run(Self.wiki(server, home), ends: 0)
    for table in ["pages", "changes", "members"] {
      #expect(try home.count("mediawiki_\(table)") == 23, "\(table)")
    }
    let verdicts = try home.tables.verdicts()
    #expect(verdicts["changes"] == "complete", "\(verdicts)")
    #expect(verdicts["category Boats"] == "complete", "\(verdicts)")
    await home.run(Self.wiki(server, home), ends: 0)
    #expect(try home.tables.verdicts()["pages of namespace 0"] == "complete", "\(verdicts)")
    let changes = server.calls.filter { $0.target.holds("recentchanges") }
    #expect(changes.contains { $0.parameters["rcstart"] != nil })
  }

  @Test("claims nothing where a wiki refuses, or names the same continue for ever")
  func hostile() async throws {
    let answers: [@Sendable (AnswerServer.Call) -> AnswerServer.Reply] = [
      { _ in .json(#"{"error": {"code": "readapidenied", "info": "You need read permission"}}"#) },
      { call in
        let kind = call.parameters["list"] ?? "pages"
        return .json(
          """
          {"continue": {"rccontinue": "x|1", "cmcontinue": "x|1", "gapcontinue": "x|1", \
          "continue": "-||"}, "query": {"\(kind)": [{"pageid": 1, "rcid": 1, "title": "A", \
          "timestamp": "2026-01-01T00:00:00Z"}]}}
          """)
      },
    ]
    for answer in answers {
      let server = AnswerServer(answer)
      let home = Home()
      let ended = await home.run(Self.wiki(server, home))
      #expect(ended.status != 0, "\(ended.errors)")
      #expect(try !home.tables.verdicts().values.contains("complete"), "\(ended.errors)")
      #expect(server.calls.count < 40)
    }
  }
}
