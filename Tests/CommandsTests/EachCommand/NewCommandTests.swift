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

  /// A list of the sandbox, and facts from its shipped job.
  struct List: Sendable, CustomTestStringConvertible {
    var api: String
    var stream: String
    var target: String
    /// The record's own key; the shipped job may add columns.
    var key: String

    var testDescription: String { "\(api) \(stream)" }
  }

  static let lists = [
    List(
      api: "github", stream: "followers", target: "/users/octocat/followers?per_page=5", key: "id"),
    List(api: "giphy", stream: "trending", target: "/gifs/trending?rating=g&limit=5", key: "id"),
    List(api: "giphy", stream: "search", target: "/gifs/search?q=cat&rating=g&limit=5", key: "id"),
    List(
      api: "newsapi", stream: "everything",
      target: "/everything?q=swift&sortBy=publishedAt&pageSize=5",
      key: "url"),
    List(
      api: "openmarket", stream: "products", target: "/api/products?items_per_page=10&page_no=1",
      key: "id"),
    List(
      api: "youtube", stream: "search",
      target: "/search?part=snippet&type=video&q=swift&maxResults=5",
      key: "id.videoId"),
    // Its records have no id; the shipped job extracts one from an address that some lack.
    List(api: "youtube-proxy", stream: "videos", target: "/?maxResults=5", key: "snippet.title"),
  ]

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
    arguments: lists)
  func shipped(_ list: List) async throws {
    let (ended, text) = try await draft(trial.sandbox.endpoint(for: list.api) + list.target)
    #expect(ended.status == .complete, "\(ended.errors)")
    let job = try JobFile.read(Array(text.utf8), file: "drafted.json5")
    let drafted = job.streams[0]
    let shipped = try #require(
      try JobLibrary(userFolder: nil, systemFolder: nil).job(list.api).stream(list.stream))
    #expect(drafted.pager == shipped.pager, "\(ended.errors)\n\(text)")
    #expect(drafted.size?.parameter == shipped.size?.parameter)
    #expect(drafted.records == shipped.records)
    #expect(drafted.key.count == 1)
    #expect(ended.errors.contains("key       \(list.key)\n"), "\(ended.errors)")
    #expect(trial.sandbox.requests(api: list.api).count <= 10)
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
      let ended = try await trial.run(["new", "--yes", "--data", trial.data] + words)
      #expect(ended.status == .usage, "\(words)")
      #expect(ended.errors.contains(sentence), "\(ended.errors)")
    }
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
      ["https://api.example/", "-H", "Authorization Bearer \(CommandTrial.canary): x"],
      ["https://api.example/", "--post", #"{"password":"\#(CommandTrial.canary)"}"#],
      [
        "https://api.example/", "--post",
        #"{"a":[{"auth":{"api_key":["\#(CommandTrial.canary)"]}}]}"#,
      ],
    ] {
      let ended = try await trial.run(["new", "--yes"] + words)
      #expect(ended.status == .usage, "\(words)")
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
