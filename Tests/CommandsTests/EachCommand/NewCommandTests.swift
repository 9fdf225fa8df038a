import Glibc
import Base
@testable import Commands
@testable import Jobs
import SandboxKit
import TestSupport
import Testing

@Suite("trawl new drafts a job from a list's address")
struct NewCommandTests {
  private let trial: CommandTrial
  init() throws { trial = try CommandTrial() }

  private func draft(
    _ target: String, _ more: [String] = []
  ) async throws -> (ended: CommandTrial.Ended, text: String) {
    let file = "\(trial.scratch.path)/drafted.json5"
    let words = ["new", target, "--yes", "-o", file, "--data", trial.data]
    let ended = try await trial.run(words + more)
    return (ended, Golden.read(file) ?? "")
  }

  @Test(
    "Of each API it finds paging, records and key as the shipped job has them, and check and try accept it",
    arguments: [
      ("github", "followers", "/users/octocat/followers?per_page=5", "id"),
      ("giphy", "trending", "/gifs/trending?rating=g&limit=5", "id"),
      ("giphy", "search", "/gifs/search?q=cat&rating=g&limit=5", "id"),
      ("newsapi", "everything", "/everything?q=swift&sortBy=publishedAt&pageSize=5", "url"),
      ("openmarket", "products", "/api/products?items_per_page=10&page_no=1", "id"),
      ("youtube", "search", "/search?part=snippet&type=video&q=swift&maxResults=5", "id.videoId"),
      // Its records have no id; the shipped job extracts one from an address that some lack.
      ("youtube-proxy", "videos", "/?maxResults=5", "snippet.title"),
    ])
  func shipped(api: String, stream: String, target: String, key: String) async throws {
    let (ended, text) = try await draft(trial.sandbox.endpoint(for: api) + target)
    #expect(ended.status == .complete, "\(ended.errors)")
    let job = try JobFile.read(Array(text.utf8), file: "drafted.json5")
    let drafted = job.streams[0]
    let shipped = try #require(
      try JobLibrary(userFolder: nil, systemFolder: nil).job(api).stream(stream))
    #expect(drafted.pager == shipped.pager, "\(ended.errors)\n\(text)")
    #expect(drafted.size?.parameter == shipped.size?.parameter)
    #expect(drafted.records == shipped.records)
    #expect(drafted.key.count == 1)
    // The shipped job may add columns to the record's own key.
    #expect(ended.errors.contains("key       \(key)\n"), "\(ended.errors)")
    #expect(trial.sandbox.requests(api: api).count <= 10)
    for command in ["check", "try"] {
      let ended = try await trial.trawl(command, "\(trial.scratch.path)/drafted.json5")
      #expect(ended.status == .complete, "\(command): \(ended.everything)\n\(text)")
      #expect(!ended.everything.contains("rejected"), "\(command): \(ended.everything)\n\(text)")
    }
  }

  @Test("--into adds a list to a job of the same API; what was in the file stays byte for byte")
  func into() async throws {
    let file = "\(trial.scratch.path)/drafted.json5"
    let base = trial.sandbox.endpoint(for: "github")
    let (drafted, first) = try await draft(base + "/users/octocat/followers?per_page=5")
    #expect(drafted.errors.contains("the draft's own page 1"), "\(drafted.errors)")
    let ended = try await trial.trawl(
      "new", base + "/users/octocat/following?per_page=5", "--yes", "--into", file, ends: .complete)
    let text = try #require(Golden.read(file))
    let brace = String(first[..<(try #require(first.firstRange(of: "streams: {")).upperBound)])
    #expect(text.hasPrefix(brace) && text.hasSuffix(first.dropFirst(brace.count)))
    #expect(!ended.errors.contains("reads the same list"), "\(ended.errors)")
    // A list of the same name is renamed, and one that is there already is named.
    try await trial.trawl(
      "new", base + "/users/octocat/following?per_page=5", "--yes", "--short", "--into", file,
      ends: .less, saying: "following in \(file) reads the same list as following_2")
    let job = try JobFile.read(Array((Golden.read(file) ?? "").utf8), file: "drafted.json5")
    #expect(job.streams.map(\.name) == ["following_2", "following", "followers"])
    try await trial.trawl("check", file, ends: .complete)
    try await trial.trawl("run", file, ends: .complete)
  }

  @Test(
    "--into refuses before any request: another API, no job file, a secret that the job does not know"
  )
  func intoNothing() async throws {
    let file = "\(trial.scratch.path)/drafted.json5"
    let base = trial.sandbox.endpoint(for: "github")
    _ = try await draft(base + "/users/octocat/followers?per_page=5")
    let before = Golden.read(file)
    let sent = trial.sandbox.requests(api: "github").count
    let following = base + "/users/octocat/following"
    let elsewhere = "https://api.example/things?limit=5"
    let refused: [(words: [String], sentence: String)] = [
      ([elsewhere, "--into", file], "leave out --into"),
      ([following, "--into", trial.scratch.path + "/none.json5"], "cannot be read"),
      ([following, "--into", file, "-H", "Authorization: Bearer {key}"], "declare auth"),
      ([following, "--into", file, "-o", "x.json5"], "give one of them"),
    ]
    for (words, sentence) in refused {
      try await trial.run(
        ["new", "--yes", "--data", trial.data] + words, ends: .usage, saying: sentence)
    }
    let broken = trial.scratch.path + "/broken.json5"
    Golden.write("{", to: broken)
    try await trial.run(
      ["new", following, "--yes", "--into", broken, "--data", trial.data], ends: .configuration,
      saying: "must be a valid job file first")
    #expect(Golden.read(file) == before)
    #expect(trial.sandbox.requests(api: "github").count == sent)
  }

  @Test("Without --yes and a terminal nothing is requested; a file that is there is left as it is")
  func asks() async throws {
    let url = trial.sandbox.endpoint(for: "github") + "/users/octocat/followers"
    try await trial.run(
      ["new", url, "-o", "\(trial.scratch.path)/a.json5"], ends: .usage, saying: "add --yes")
    Golden.write("mine", to: "\(trial.scratch.path)/drafted.json5")
    let (ended, text) = try await draft(url)
    #expect(ended.status == .cannotCreate)
    #expect(text == "mine")
    #expect(trial.sandbox.requests(api: "github").isEmpty)
  }

  @Test(
    "A secret of a header or of the address is sent, and stands in no file and on no screen",
    arguments: [
      (
        "/users/octocat/followers", ["-H", "Authorization: Bearer \(CommandTrial.canary)"],
        .header(name: "Authorization", prefix: "Bearer ")
      ),
      ("/users/octocat/followers?api_key=\(CommandTrial.canary)", [], .query(name: "api_key")),
      ("/users/octocat/followers?pwd=\(CommandTrial.canary)", [], .query(name: "pwd")),
      ("/users/octocat/followers?k=ghp_0123456789\(CommandTrial.canary)", [], .query(name: "k")),
      (
        "/users/octocat/followers", ["-H", "X-Mine: ghp_0123456789\(CommandTrial.canary)"],
        .header(name: "X-Mine", prefix: "")
      ),
      (
        "/users/octocat/followers", ["-H", "X-Mine: \(CommandTrial.canary)", "--key", "own"],
        .header(name: "X-Mine", prefix: "")
      ),
    ] as [(String, [String], Credential.Place)])
  func secrets(target: String, more: [String], place: Credential.Place) async throws {
    let (ended, text) = try await draft(trial.sandbox.endpoint(for: "github") + target, more)
    #expect(ended.status == .complete, "\(ended.errors)")
    #expect(!(ended.everything + text).contains(CommandTrial.canary))
    #expect(try JobFile.read(Array(text.utf8), file: "a").authentication?.place == place)
    #expect(text.contains(more.contains("own") ? "secret: \"own\"" : "secret: \"drafted-key\""))
  }

  @Test("A secret that is also in the address gets into no file")
  func secretTwice() async throws {
    let (ended, text) = try await draft(
      trial.sandbox.endpoint(for: "github") + "/users/octocat/followers?x=\(CommandTrial.canary)",
      ["-H", "Authorization: Bearer \(CommandTrial.canary)"])
    #expect(ended.status == .secret && text == "", "\(ended.errors)")
    #expect(!ended.everything.contains(CommandTrial.canary))
  }

  @Test("A value that looks random is told before it goes into the file")
  func random() async throws {
    let told = "has a long value, which goes into the file"
    let errors = try await draft(
      trial.sandbox.endpoint(for: "github")
        + "/users/octocat/followers?x=9f8d7c6b5a4e3d2c1b0a&code=unemployment"
    ).ended.errors
    #expect(errors.contains("x \(told)") && !errors.contains("code \(told)"))
    #expect(!errors.contains("holds a secret"))
  }

  @Test("An API that fails is down for now: nothing is wrong with the address")
  func failing() async throws {
    trial.sandbox.arm(ArmedFault(.status500, target: "/followers", count: 100))
    let (ended, text) = try await draft(
      trial.sandbox.endpoint(for: "github") + "/users/octocat/followers")
    #expect(ended.status == .unreachable && text == "", "\(ended.errors)")
    #expect(ended.errors.contains("fails (HTTP 500): nothing was drafted"), "\(ended.errors)")
  }

  @Test("A second page that fails leaves a draft of one page, which is no whole list")
  func failingPage() async throws {
    trial.sandbox.arm(ArmedFault(.closeNow, target: "page=2", count: 100))
    let (ended, text) = try await draft(
      trial.sandbox.endpoint(for: "github") + "/users/octocat/followers?per_page=5")
    #expect(ended.status == .less, "\(ended.errors)")
    let stream = try JobFile.read(Array(text.utf8), file: "drafted.json5").streams[0]
    #expect(stream.pager == .single && stream.isSearch, "\(text)")
  }

  // MARK: descriptions

  private static func description(
    _ server: String, _ paths: [String], schemes: String = "{}"
  ) -> String {
    let answer =
      #"{"200": {"content": {"application/json": {"schema": {"type": "array", "items": {"properties": {"id": {"type": "integer"}, "login": {"type": "string"}}}}}}}}"#
    let get =
      #"{"get": {"parameters": [{"name": "per_page", "in": "query", "schema": {"type": "integer"}}], "responses": \#(answer)}}"#
    let lists = paths.map { "\"\($0)\": \(get)" }.joined(separator: ", ")
    return
      #"{"openapi": "3.0.3", "servers": [{"url": "\#(server)"}], "components": {"securitySchemes": \#(schemes)}, "paths": {\#(lists)}}"#
  }

  @Test("A description becomes a job of its lists, without a request; the next commands are named")
  func description() async throws {
    let file = "\(trial.scratch.path)/api.json"
    let server = trial.sandbox.endpoint(for: "github")
    let paths = (0..<53).map { "/things\($0)" }
    for (count, status, schemes) in [
      (2, .complete, #"{"k": {"type": "http", "scheme": "bearer"}}"#), (53, .less, "{}"),
    ] as [(Int, Commands.ExitStatus, String)] {
      Golden.write(Self.description(server, Array(paths[..<count]), schemes: schemes), to: file)
      let (ended, text) = try await draft(file)
      let target = "\(trial.scratch.path)/drafted.json5"
      #expect(ended.status == status && ended.output == "\(target)\n", "\(ended.everything)")
      #expect(ended.errors.contains("  trawl key ") == (status == .complete), "\(ended.errors)")
      #expect(ended.errors.contains("3 more paths that list") == (status == .less))
      let job = try JobFile.read(Array(text.utf8), file: "drafted.json5")
      #expect(job.streams.count == min(count, 50) && job.streams.allSatisfy(\.isSearch))
      #expect(try await draft(file).ended.status == .cannotCreate)
      unlink(target)
    }
    #expect(trial.sandbox.requests(api: "github").isEmpty)
  }

  @Test("What describes no lists is refused with what it is, and nothing is written")
  func noDescription() async throws {
    let file = "\(trial.scratch.path)/api.json"
    for (text, sentence) in [
      ("[1]", "is a JSON list, and no OpenAPI description"), ("openapi: 3.0.0", "is not JSON"),
      ("{}", "nothing can be drafted"),
      (Self.description("https://a.example?x=1", ["/a"]), "no job file could be made of"),
    ] {
      Golden.write(text, to: file)
      let (ended, drafted) = try await draft(file)
      #expect(ended.status == .failed && drafted == "", "\(ended.everything)")
      #expect(ended.errors.contains(sentence), "\(ended.errors)")
    }
    unlink(file)
    let ended = try await draft(file).ended
    #expect(ended.status == .usage && ended.errors.contains("there is no such file"))
  }

  @Test("One path is also requested, if that is allowed; without an answer the description counts")
  func onePath() async throws {
    let file = "\(trial.scratch.path)/api.json"
    let target = "\(trial.scratch.path)/drafted.json5"
    let path = "/users/octocat/followers"
    let dead = DeadPort()
    for (server, yes, isAnswered, sentence) in [
      (trial.sandbox.endpoint(for: "github"), ["--yes"], true, "1. the list itself"),
      (trial.sandbox.endpoint(for: "github"), [], false, "nothing was requested"),
      (dead.origin, ["--yes"], false, "the draft is made of the description alone"),
    ] {
      Golden.write(Self.description(server, ["/other", path]), to: file)
      let sent = trial.sandbox.requests(api: "github").count
      let words = ["new", file, "--path", path, "-o", target, "--data", trial.data]
      try await trial.run(words + yes, ends: .complete, saying: sentence)
      let job = try JobFile.read(
        Array((Golden.read(target) ?? "").utf8), file: "drafted.json5")
      #expect(job.streams.map { $0.pager != .single } == [isAnswered])
      #expect((trial.sandbox.requests(api: "github").count > sent) == isAnswered)
      unlink(target)
    }
  }

  @Test("What cannot be asked is told without repeating it")
  func usage() async throws {
    for words in [
      ["https://me:\(CommandTrial.canary)@api.example/"], ["ftp://api.example/"],
      ["https://api.example/ghp_0123456789\(CommandTrial.canary)/things"],
      ["https://api.example/bot0123456789:\(CommandTrial.canary)/things"],
      ["https://api.example/", "-H", CommandTrial.canary],
      ["https://api.example/?key=\(CommandTrial.canary)", "-H", "Authorization: {key}"],
      ["https://api.example/", "-H", "Cookie: sid=\(CommandTrial.canary)"],
      ["https://api.example/", "-H", "X-A: 1", "-H", "x-a: 2"],
      ["https://api.example/", "-H", "X-A: 1\n2"],
      ["https://api.example/", "--key", "a b"],
      ["https://api.example/", "--key", "ghp_0123456789\(CommandTrial.canary)"],
      ["https://api.example/?q=M%FCller"], ["https://api.example/", "--path", "/things"],
      ["https://api.example/", "--post", "[1]"], ["https://api.example/", "-H", "X-A: {key} x"],
      ["https://api.example/", "-H", "Authorization Bearer \(CommandTrial.canary): x"],
      ["https://api.example/", "--post", #"{"password":"\#(CommandTrial.canary)"}"#],
      [
        "https://api.example/", "--post",
        #"{"a":[{"auth":{"api_key":["\#(CommandTrial.canary)"]}}]}"#,
      ],
    ] {
      let ended = try await trial.run(["new", "--yes"] + words, ends: .usage)
      #expect(!ended.everything.contains(CommandTrial.canary))
    }
    try await trial.run(
      ["new", "--yes", "http://api.example/", "-H", "Authorization: \(CommandTrial.canary)"],
      ends: .secret)
    let file = "\(trial.scratch.path)/api.json"
    Golden.write("{}", to: file)
    for words in [["-H", "X-A: 1"], ["--post", "{}"], ["--into", "job.json5"]] {
      try await trial.run(
        ["new", "--yes", file] + words, ends: .usage, saying: "goes with the URL of a list")
    }
  }
}
