import Glibc
import Base
import Jobs
import Testing

@Suite("A server, header fields and users that depend on a person's values")
struct FillingTests {
  private static func job(_ base: String, _ more: String = "") throws -> Job {
    try Books.read(
      Books.with("base: \"https://api.example.com/v1\",", "base: \"\(base)\", \(more)")
        .replacing("params: {", with: "params: { shop: {}, account: { default: 7 },"))
  }

  @Test("leaves a fixed password of HTTP Basic as it is written; the secret is the user's name")
  func password() throws {
    let text = Books.with(
      "params: {", "auth: { to: \"basic {secret}:api_token\", secret: \"a\" }, params: {")
    let place = try #require(try Books.read(text).secretPlaces.first)
    #expect(place == .userName(password: "api_token"))
    #expect(
      Credential.Part(place, Secret("k")).basicText == Base64.encoded(Array("k:api_token".utf8)))
    let both = text.replacing("api_token\"", with: "{secret}\"")
    #expect(try Books.read(both).secretPlaces.first == .userName(password: "{secret}"))
  }

  @Test("are filled with one value each, a default or what is given")
  func filled() throws {
    let job = try Self.job(
      "https://{shop}.example.com/{account}/v1",
      "headers: { \"X-Account\": \"nr {account}\" }, auth: { to: \"basic {account}@x:{secret}\", secret: \"a\" },"
    )
    #expect(job.texts.lack?.contains("needs one value of \"shop\"") == true)
    let filled = job.filling(["shop": ["acme"]])
    #expect(filled.texts.lack == nil)
    #expect(filled.base.description == "https://acme.example.com/7/v1")
    #expect(filled.home == filled.base.origin)
    #expect(filled.fields == [HeaderField("X-Account", "nr 7")])
    #expect(filled.secretPlaces == [.basic(user: "7@x")])
    let other = filled.filling(["shop": ["other"], "account": ["a/b"]])
    #expect(other.base.description == "https://other.example.com/a%2Fb/v1")
    #expect(job.filling(["shop": ["a", "b"]]).texts.lack != nil, "two servers are two jobs")
    let at = job.filling(["shop": ["acme"], "account": ["@@me"]])
    #expect(at.fields == [HeaderField("X-Account", "nr @me")], "@ alone names a stored list")
  }

  @Test("have a length, and no control characters")
  func bounded() throws {
    let job = try Books.read(Books.with(", pattern: \"[a-z ]{1,40}\"", ""))
    for (value, problem) in [
      ("a\u{7}", "topic: a value holds no control characters"),
      (String(repeating: "a", count: 2_001), "topic: a value has at most 2,000 bytes"),
      (String(repeating: "a", count: 2_000), nil),
    ] as [(String, String?)] {
      #expect(job.problem(setting: "topic", to: value) == problem)
    }
  }

  @Test("are sent with one brace for a doubled one, at the top of a job as in a stream")
  func braces() throws {
    let field = "headers: { \"X-A\": \"{{a}}\" },"
    let job = try Books.read(
      Books.with("name: \"books\",", "name: \"books\", \(field)")
        .replacing("get: \"/search\",", with: "get: \"/search\", \(field)"))
    #expect(job.fields == [HeaderField("X-A", "{a}")])
    #expect(job.stream("found")?.fields == job.fields)
  }

  @Test(
    "never lead to another host than the file's",
    arguments: [
      "evil.com/", "evil.com#", "a.b", "a@b", "-a", "a-", "", "é", "a:80", "a%2eb", "..", "{x}",
      String(repeating: "a", count: 64),
    ])
  func hostile(value: String) throws {
    let job = try Self.job("https://{shop}.example.com").filling(["shop": [value]])
    #expect(job.texts.lack != nil, "\(job.base)")
    let path = try Self.job("https://api.example.com/{shop}/x").filling(["shop": [value]])
    #expect(path.texts.lack != nil || path.base.origin.host == "api.example.com")
  }

  @Test(
    "are a slip where they are no whole part, or the whole of a host",
    arguments: [
      ("https://{shop}", "the last two labels"), ("https://{shop}.com", "the last two labels"),
      ("https://a.{shop}.com", "the last two labels"),
      ("https://x{shop}.example.com", "whole label"),
      ("https://api.example.com/a{shop}", "whole label"),
      ("https://{shop?}.example.com", "must be alone"),
      ("https://api.example.com:{shop}", "is not an http"),
      ("{shop}://api.example.com", "begins with"),
      ("https://{nobody}.example.com", "nothing fills"),
    ])
  func slips(base: String, told: String) {
    do {
      let job = try Self.job(base)
      Issue.record("\(base) was taken: \(job.base)")
    } catch { #expect("\(error)".contains(told), "\(error)") }
  }

  @Test("bind a key to the server that they make, which a person has confirmed")
  func bound() throws {
    let places = SecretPlaces()
    let auth = "auth: { to: \"header:X-Key\", secret: \"shop-key\" },"
    let job = try Self.job("https://{shop}.example.com", auth).filling(["shop": ["acme"]])
    try places.put("canary-1\n", in: "\(places.keys)/shop-key")
    let unbound = try #require(places.source.find(for: job).refusal)
    #expect(unbound.contains("trawl key books"), "\(unbound)")
    _ = try KeyFolder(path: places.keys).keep(
      "canary-2", named: "shop-key", for: KeyBond(job.base.origin))
    let credential = try #require(places.source.find(for: job).credential)
    #expect(credential.origins == [job.base.origin])
    let other = job.filling(["shop": ["other"]])
    #expect(places.source.find(for: other).refusal != nil, "it is no key of another shop")
  }

  @Test("of several secrets all are there, or the missing one is named")
  func several() throws {
    let places = SecretPlaces()
    let job = try Self.job(
      "https://api.example.com",
      "auth: [{ to: \"header:X-A\", secret: \"key-a\" }, { to: \"?b\", secret: \"key-b\" }],")
    try places.put("canary-a\n", in: "\(places.keys)/key-a")
    #expect(places.source.find(for: job).lack?.contains("\"key-b\"") == true)
    try places.put("canary-b\n", in: "\(places.keys)/key-b")
    guard case .found(let credential, let place) = places.source.find(for: job) else {
      Issue.record("both keys are there")
      return
    }
    #expect(
      credential.parts.map(\.place) == [.header(name: "X-A", prefix: ""), .query(name: "b")])
    #expect(credential.parts.map { $0.secret.reveal() } == ["canary-a", "canary-b"])
    #expect(place.contains("key-a, ") && place.hasSuffix("key-b"))
  }
}

@Suite("A parameter whose values have parts that go together")
struct SplitTests {
  private static func job(_ splits: String = "{owner}/{name}", _ value: String = "a/b") throws
    -> Job
  {
    try Books.read(
      Books.with(
        "params: {", "params: { repo: { default: [\"\(value)\"], splits: \"\(splits)\" },"
      ).replacing("get: \"/search\",", with: "get: \"/repos/{owner}/{name}\","))
  }

  @Test("fills them by one value")
  func parts() throws {
    let repo = try #require(try Self.job().parameter("repo"))
    #expect(
      repo.parts(of: "octocat/hello") == [
        ParameterValue("owner", "octocat"), ParameterValue("name", "hello"),
      ])
    #expect(repo.parts(of: "a/b/c")?.last?.value == "b/c", "the last part takes the rest")
    for value in ["a", "/b", "a/", ""] { #expect(repo.parts(of: value) == nil) }
    #expect(try Self.job().parameter(filling: "name")?.name == "repo")
    #expect(
      try Self.job().stream("found")?.membership?.columns.map(\.name) == ["owner", "name", "topic"])
  }

  @Test(
    "is a slip where nothing tells the parts from each other, or a value has none",
    arguments: [
      ("{owner}{name}", "a/b", "with text between them"), ("{owner}", "a/b", "two parts or more"),
      ("{owner}/{topic}", "a/b", "is a parameter already"),
      ("{owner}/{name}", "ab", "cannot be taken apart by {owner}/{name}"),
    ])
  func slips(splits: String, value: String, told: String) {
    do {
      _ = try Self.job(splits, value)
      Issue.record("it was taken")
    } catch { #expect("\(error)".contains(told), "\(error)") }
  }
}
