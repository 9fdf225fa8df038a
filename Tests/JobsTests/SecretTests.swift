import Glibc
import Base
@testable import Jobs
import TestSupport
import Testing

/// The folders and variables of one case.
struct SecretPlaces {
  static let canary = "canary-4c1f-7731"

  let scratch = ScratchFolder()
  var variables: [String: String] = [:]

  var credentials: String { "\(scratch.path)/credentials" }
  var keys: String { "\(scratch.path)/user's keys" }
  /// As a shell reads it, without the last quote.
  var quotedKeys: String { #"'\#(scratch.path)/user'\''s keys"# }

  init() {
    for folder in [credentials, keys] { #expect(mkdir(folder, 0o700) == 0) }
  }

  func put(_ text: String, in path: String, mode: mode_t = 0o600) throws {
    Golden.write(text, to: path)
    #expect(chmod(path, mode) == 0)
  }

  var source: SecretSource {
    let variables = variables
    return SecretSource(credentialsFolder: credentials, keyFolder: keys) { variables[$0] }
  }
}

@Suite("A secret")
struct SecretTests {
  static let canary = SecretPlaces.canary

  static func origin(_ text: String) throws -> Origin { try WebAddress(text).origin }

  static func github() throws -> Job {
    try JobLibrary(userFolder: nil, systemFolder: nil).job("github")
  }

  static func foreign(base: String, auth: String) throws -> Job {
    try Books.read(
      Books.with("base: \"https://api.example.com/v1\",", "base: \"\(base)\", auth: \(auth),"))
  }

  /// The secret that was found, and its place.
  private func found(_ outcome: SecretOutcome) -> (text: String, place: String)? {
    guard case .found(let credential, let place) = outcome else { return nil }
    return (credential.secret.reveal(), place)
  }

  private func sentence(_ outcome: SecretOutcome) -> String {
    switch outcome {
    case .refused(let text), .missing(let text), .without(let text): text
    default: ""
    }
  }

  @Test("comes from the service's folder, then the variable, then the user's folder")
  func comesInOrder() throws {
    var places = SecretPlaces()
    let job = try Self.github()
    try places.put("from-user\n", in: "\(places.keys)/github-token")
    #expect(found(places.source.find(for: job))?.text == "from-user")
    places.variables["GITHUB_TOKEN"] = "from-variable"
    let second = try #require(found(places.source.find(for: job)))
    #expect(second == ("from-variable", "$GITHUB_TOKEN"))
    try places.put("from-prefixed", in: "\(places.credentials)/keys_github-token")
    #expect(found(places.source.find(for: job))?.text == "from-prefixed")
    try places.put("from-service", in: "\(places.credentials)/github-token", mode: 0o444)
    #expect(found(places.source.find(for: job))?.text == "from-service")
  }

  @Test("that is empty in the environment is as none")
  func emptyVariable() throws {
    var places = SecretPlaces()
    places.variables["GITHUB_TOKEN"] = ""
    guard case .without(let sentence) = places.source.find(for: try Self.github()) else {
      Issue.record("something was found")
      return
    }
    #expect(sentence.contains("https://github.com/settings/tokens"))
    #expect(sentence.hasSuffix("trawl key github"))
  }

  @Test("that is missing and needed tells where to get one and how to keep it")
  func missing() throws {
    let job = try JobLibrary(userFolder: nil, systemFolder: nil).job("newsapi")
    guard case .missing(let sentence) = SecretPlaces().source.find(for: job) else {
      Issue.record("something was found")
      return
    }
    #expect(
      sentence
        == "the job newsapi needs a secret for https://newsapi.org (\"newsapi-key\"): get one"
        + " at https://newsapi.org/register, then run: trawl key newsapi")
  }

  @Test(
    "has one line end cut off, and is refused when it is no single line of plain characters",
    arguments: [
      ("k\n", nil), ("k", nil), ("k\r\n", nil), ("a b", nil),
      ("k\n\n", "one line is due"), ("", "it is empty"), ("\n", "it is empty"),
      ("k\u{7}", "control characters"), ("\u{E9}", "letters that no key has"),
      (" k", "begins or ends with a blank"), ("k\nl", "one line is due"),
      (String(repeating: "k", count: 64_000), nil),
      (String(repeating: "k", count: 64_001), "more than 64000 bytes"),
      (String(repeating: "k", count: 100_000), "more than"),
      ("k\norigin https://api.github.com\n", nil),
      ("k\norigin https://api.github.com/path\n", "names no origin"),
      ("k\norigin\n", "one line is due"),
    ] as [(String, String?)])
  func isOneLine(text: String, problem: String?) throws {
    let places = SecretPlaces()
    try places.put(text, in: "\(places.keys)/github-token")
    let outcome = places.source.find(for: try Self.github())
    if let problem {
      #expect(sentence(outcome).contains(problem), "\(outcome)")
      #expect(sentence(outcome).contains("\(places.keys)/github-token"))
    } else {
      #expect(
        found(outcome)?.text == text.split(whereSeparator: \.isNewline).first.map(String.init))
    }
  }

  @Test(
    "that others can read is refused with the command that cures it",
    arguments: [0o644, 0o640, 0o604])
  func mustBePrivate(mode: mode_t) throws {
    let places = SecretPlaces()
    try places.put("k", in: "\(places.keys)/github-token", mode: mode)
    let told = sentence(places.source.find(for: try Self.github()))
    #expect(told.contains("run: chmod 600 \(places.quotedKeys)/github-token'"))
  }

  @Test("in a folder where others can write is refused with the command that cures it")
  func folderMustBeOwn() throws {
    let places = SecretPlaces()
    try places.put("k", in: "\(places.keys)/github-token", mode: 0o600)
    for mode: mode_t in [0o777, 0o775, 0o702] {
      #expect(chmod(places.keys, mode) == 0)
      let told = sentence(places.source.find(for: try Self.github()))
      #expect(told.contains("run: chmod 700 \(places.quotedKeys)'"), "\(told)")
    }
    #expect(chmod(places.keys, 0o755) == 0)
    guard case .found = places.source.find(for: try Self.github()) else {
      return #expect(Bool(false), "others may see which keys there are, and nothing more")
    }
  }

  @Test("that is there but unsound is refused, and the next source is not tried")
  func doesNotFallThrough() throws {
    var places = SecretPlaces()
    places.variables["GITHUB_TOKEN"] = "sound"
    #expect(mkdir("\(places.credentials)/github-token", 0o700) == 0)
    #expect(sentence(places.source.find(for: try Self.github())).contains("it is not a plain file"))
  }

  @Test("is not even looked for when requests go to this machine")
  func notOnLoopback() throws {
    let places = SecretPlaces()
    try places.put("unsound\n\n\n", in: "\(places.keys)/github-token", mode: 0o666)
    for endpoint in ["http://127.0.0.1:8080", "http://localhost", "http://[::1]:9/github"] {
      let outcome = places.source.find(for: try Self.github(), endpoint: try Self.origin(endpoint))
      #expect(outcome == .notRead)
    }
  }

  /// Ways to lure the token of a shipped job to another server.
  static let lures: [(base: String, auth: String, bound: String)] = [
    (
      "https://evil.example", "{ to: 'header:A', secret: 'github-token' }", "https://api.github.com"
    ),
    (
      "https://evil.example", "{ to: 'header:A', secret: 'mine $GITHUB_TOKEN' }",
      "https://api.github.com"
    ),
    (
      "http://api.github.com", "{ to: 'header:A', secret: 'github-token' }",
      "https://api.github.com"
    ),
    (
      "https://api.github.com:8443", "{ to: 'header:A', secret: 'github-token' }",
      "https://api.github.com"
    ),
    ("https://evil.example", "{ to: '?k', secret: 'bound' }", "https://good.example"),
  ]

  @Test("goes to no other origin, and both are named", arguments: lures)
  func isBound(base: String, auth: String, bound: String) throws {
    var places = SecretPlaces()
    places.variables["GITHUB_TOKEN"] = Self.canary
    if !auth.contains("$") { places.variables = [:] }
    try places.put("\(Self.canary)\n", in: "\(places.keys)/github-token")
    try places.put("\(Self.canary)\norigin https://good.example\n", in: "\(places.keys)/bound")
    let job = try Self.foreign(base: base, auth: auth)
    let outcome = places.source.find(for: job)
    guard case .refused(let told) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(told.contains(" is for \(bound), "))
    #expect(told.contains("would send it to \(job.base.origin);"))
    #expect(told.hasSuffix("--send-key-to \(job.base.origin)"))
    let allowed = places.source.find(for: job, alsoTo: [job.base.origin])
    guard case .found(let credential, _) = allowed else {
      Issue.record("\(allowed)")
      return
    }
    #expect(credential.origins == [job.base.origin, try Self.origin(bound)])
  }

  @Test("of a job's own goes to the job's own base, and not to an endpoint elsewhere")
  func ownBase() throws {
    let places = SecretPlaces()
    try places.put(Self.canary, in: "\(places.keys)/mine")
    let job = try Self.foreign(
      base: "https://api.example.com/v1", auth: "{ to: 'header:X-Key', secret: 'mine' }")
    guard case .found(let credential, _) = places.source.find(for: job) else {
      Issue.record("nothing was found")
      return
    }
    #expect(credential.origins == [try Self.origin("https://api.example.com")])
    #expect(credential.place == .header(name: "X-Key", prefix: ""))
    let elsewhere = places.source.find(for: job, endpoint: try Self.origin("https://evil.example"))
    #expect(sentence(elsewhere).contains("is for https://api.example.com,"))
    var led = job
    led.base = try WebAddress("https://evil.example/v1")
    #expect(sentence(places.source.find(for: led)).contains("is for https://api.example.com,"))
  }

  @Test("does not travel unencrypted unless somebody says so")
  func isEncrypted() throws {
    let places = SecretPlaces()
    try places.put(Self.canary, in: "\(places.keys)/mine")
    let job = try Self.foreign(
      base: "http://api.example.com", auth: "{ to: 'header:X-Key', secret: 'mine' }")
    #expect(sentence(places.source.find(for: job)).contains("would travel unencrypted"))
    let allowed = places.source.find(for: job, alsoTo: [try Self.origin("http://api.example.com")])
    #expect(found(allowed)?.text == Self.canary)
  }

  @Test("stands in no message, whatever is wrong with it")
  func isNeverTold() throws {
    for text in ["\(Self.canary)\n\n", "\(Self.canary)\u{1}", " \(Self.canary)", Self.canary] {
      let places = SecretPlaces()
      try places.put(text, in: "\(places.keys)/github-token")
      for endpoint in [nil, try Self.origin("https://evil.example")] {
        let outcome = places.source.find(for: try Self.github(), endpoint: endpoint)
        var dumped = "\(outcome) \(String(reflecting: outcome))"
        dump(outcome, to: &dumped)
        #expect(!dumped.contains("canary"))
      }
      let origin = try Self.origin("https://h")
      do {
        _ = try KeyFolder(path: places.keys).keep(text, named: "../x", for: KeyBond(origin))
      } catch { #expect(!"\(error)".contains("canary")) }
    }
  }
}

@Suite("The names of secrets")
struct SecretOwnerTests {
  @Test("that shipped jobs declare belong to the origins of those jobs")
  func owners() throws {
    let library = JobLibrary(userFolder: nil, systemFolder: nil)
    let owners = SecretSource.owners
    let declared = try BuiltInJobs.all.compactMap { file -> SecretSource.Owner? in
      let job = try library.job(file.name)
      return job.authentication.map {
        SecretSource.Owner(secret: $0.secret, variable: $0.environment, origin: job.base.origin)
      }
    }
    #expect(owners == declared)
    #expect(owners.count == 6)
    // Two jobs of one API may share a secret, which still has one home.
    let homes = Dictionary(grouping: owners, by: \.secret).mapValues { Set($0.map(\.origin)) }
    #expect(homes.count == 5 && homes.values.allSatisfy { $0.count == 1 }, "\(homes)")
  }
}
