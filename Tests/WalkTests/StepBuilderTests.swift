import Base
@testable import Walk
import Testing

@Suite("A request of a stream")
struct StepBuilderTests {
  static func builder(
    path: String = "/users/{user}/things", query: [QueryItem] = [], pager: Pager = .single,
    values: [ParameterValue] = [ParameterValue("user", "octo")], window: TimeWindow? = nil,
    change: (inout Base.Stream, inout Job) -> Void = { _, _ in }
  ) throws -> StepBuilder {
    var stream = try FakeJob.stream(pager, size: nil)
    stream.path = try #require(Template(path))
    stream.query = query
    var job = try FakeJob.job(stream)
    change(&stream, &job)
    return try StepBuilder(
      job: job, stream: stream, unit: Unit(stream: "things", values: values, window: window))
  }

  static func target(_ builder: StepBuilder, _ cursor: Cursor = .start) throws -> String {
    try builder.address(at: cursor).target
  }

  @Test(
    "holds a path value as one segment, whatever it is",
    arguments: [
      ("octo", "octo"), ("a b", "a%20b"), ("a/b", "a%2Fb"), ("a?b#c", "a%3Fb%23c"),
      ("\u{AC00}", "%EA%B0%80"), ("100%", "100%25"), ("...", "%2E%2E%2E"), ("a..b", "a..b"),
      ("x\u{0}y", "x%00y"), ("{user}", "%7Buser%7D"),
    ])
  func segments(value: String, expected: String) throws {
    let builder = try Self.builder(values: [ParameterValue("user", value)])
    #expect(try Self.target(builder) == "/v1/users/\(expected)/things")
  }

  @Test("is refused where a value would climb in the path", arguments: [".", ".."])
  func dots(value: String) throws {
    for path in ["/users/{user}/things", "/{user}", "/users/{user}"] {
      let problem = #expect(throws: StepProblem.self) {
        try Self.builder(path: path, values: [ParameterValue("user", value)])
      }
      #expect(problem?.sentence.contains("can be no part of the path") == true)
    }
  }

  @Test("is refused where a value is missing, or empty in a path")
  func missing() throws {
    let none = #expect(throws: StepProblem.self) { try Self.builder(values: []) }
    #expect(none?.sentence.contains("--set user=VALUE") == true)
    let empty = #expect(throws: StepProblem.self) {
      try Self.builder(values: [ParameterValue("user", "")])
    }
    #expect(empty?.sentence.contains("\"user\" is empty") == true)
    #expect(throws: StepProblem.self) {
      try Self.builder(query: [QueryItem("q", Template([.hole("q")]))])
    }
  }

  @Test(
    "is refused where a value does not match its pattern as a whole",
    arguments: [
      ("octocat", true), ("a b/..", false), ("a\nb", false), ("", false), ("-x", false),
      (String(repeating: "a", count: 40), false), ("a\u{0}", false),
      (String(repeating: "a", count: 100_000), false),
    ])
  func patterns(value: String, fits: Bool) throws {
    let make = {
      try Self.builder(values: [ParameterValue("user", value)]) { _, job in
        job.parameters = [
          Parameter(
            name: "user", about: "a name of up to 39 letters", pattern: "[a-z][a-z0-9-]{0,38}|x")
        ]
      }
    }
    guard !fits else {
      _ = try make()
      return
    }
    let problem = #expect(throws: StepProblem.self) { _ = try make() }
    if !value.isEmpty {
      #expect(
        problem?.sentence.hasSuffix(
          ": a name of up to 39 letters; it must match [a-z][a-z0-9-]{0,38}|x") == true)
    }
  }

  @Test("takes a parent's batch of values without the pattern of a single one")
  func batch() throws {
    let builder = try Self.builder(
      path: "/things", query: [QueryItem("ids", Template([.hole("id")]))],
      values: [ParameterValue("id", "a,b&c")]
    ) { stream, job in
      stream.parent = ParentFeed(stream: "list", column: "id", when: .new, batch: 50)
      job.parameters = [Parameter(name: "id", pattern: "[a-z]")]
    }
    #expect(try Self.target(builder) == "/v1/things?ids=a%2Cb%26c")
  }

  @Test("encodes what a query holds, and leaves out what is empty where the job says so")
  func query() throws {
    let builder = try Self.builder(
      query: [
        QueryItem("q", Template([.text("made:"), .hole("q")])),
        QueryItem("lang", Template([.hole("lang")]), isLeftOutIfEmpty: true),
        QueryItem("kept", Template([.hole("lang")])), QueryItem("a b", Template([.text("c+d")])),
      ],
      values: [
        ParameterValue("user", "octo"), ParameterValue("q", "x y&z=\u{AC00}"),
        ParameterValue("lang", ""),
      ])
    #expect(
      try Self.target(builder)
        == "/v1/users/octo/things?q=made%3Ax%20y%26z%3D%EA%B0%80&kept=&a%20b=c%2Bd")
  }

  @Test("adds page size and position in the style of the pager")
  func pagers() throws {
    var hidden = try FakeJob.stream(.number(parameter: "page", first: 0), size: nil)
    hidden.hidesFirstNumber = true
    let builder = try FakeJob.builder(hidden)
    #expect(try builder.address(at: .start).query == nil)
    #expect(try builder.address(at: .number(0)).query == nil)
    #expect(try builder.address(at: .number(1)).query == "page=1")

    let table: [(Pager, Cursor, String)] = [
      (FakeJob.number, .start, "page=1"), (FakeJob.number, .number(7), "page=7"),
      (.number(parameter: "p", first: 0), .start, "p=0"), (FakeJob.offset, .start, "offset=0"),
      (FakeJob.offset, .offset(150), "offset=150"),
      (try FakeJob.token(), .token("a/b+c=="), "token=a%2Fb%2Bc%3D%3D"),
    ]
    for (pager, cursor, expected) in table {
      let builder = try Self.builder(pager: pager) { stream, _ in
        stream.size = PageSize(parameter: "size", value: 50)
      }
      #expect(try Self.target(builder, cursor) == "/v1/users/octo/things?size=50&\(expected)")
    }
    #expect(throws: StepProblem.self) {
      try Self.builder(pager: FakeJob.number).address(at: .token("x"))
    }
  }

  @Test("follows a next address as it is, without the credential that it echoes")
  func follow() throws {
    let builder = try Self.builder(pager: .link) { stream, job in
      stream.size = PageSize(parameter: "size", value: 50)
      job.authentication = Authentication(place: .query(name: "api_key"), secret: "key")
    }
    let next = "https://api.example/user/7/things?api_key=SECRET&page=2&x=%7e"
    #expect(
      try builder.address(at: .address(next)).description
        == "https://api.example/user/7/things?page=2&x=%7e")
    #expect(throws: StepProblem.self) { try builder.address(at: .address("ftp://x/")) }
  }

  @Test("never holds a credential, even where the job's query names it")
  func credential() throws {
    let builder = try Self.builder(query: [QueryItem("api_key", Template([.text("S")]))]) {
      _, job in
      job.authentication = Authentication(place: .query(name: "api_key"), secret: "key")
    }
    #expect(try Self.target(builder) == "/v1/users/octo/things")
  }

  @Test("joins base and path with one slash", arguments: ["/things", "things"])
  func slashes(path: String) throws {
    for base in ["https://api.example/v1", "https://api.example/v1/"] {
      let address = try WebAddress(base)
      let builder = try Self.builder(path: path) { _, job in job.base = address }
      #expect(try Self.target(builder) == "/v1/things")
    }
    let bare = try WebAddress("https://api.example")
    #expect(try Self.target(Self.builder(path: path) { _, job in job.base = bare }) == "/things")
  }

  @Test("of a window that has no holes and no parameters is the whole list's")
  func unboundedWindow() throws {
    let rule = Window(from: "since", to: "until", column: "at", overlap: .zero)
    let builder = try Self.builder { stream, _ in stream.window = rule }
    #expect(try Self.target(builder) == "/v1/users/octo/things")
  }
}
