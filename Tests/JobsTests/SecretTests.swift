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

extension SecretOutcome {
  /// What was found; nil: there is none for this.
  var credential: Credential? {
    if case .found(let credential, _) = self { credential } else { nil }
  }
  var text: String? { credential?.secret.reveal() }
  /// Why it must not be used; nil: another outcome.
  var refusal: String? { if case .refused(let why) = self { why } else { nil } }
  /// How to get the one that is needed; nil: another outcome.
  var lack: String? { if case .missing(let how) = self { how } else { nil } }
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

  @Test("comes from the service's folder, then the variable, then the user's folder")
  func comesInOrder() throws {
    var places = SecretPlaces()
    let job = try Self.github()
    try places.put("from-user\n", in: "\(places.keys)/github-token")
    #expect(places.source.find(for: job).text == "from-user")
    places.variables["GITHUB_TOKEN"] = "from-variable"
    let second = places.source.find(for: job)
    let credential = try #require(second.credential)
    #expect(credential.secret.reveal() == "from-variable")
    if case .found(_, let place) = second { #expect(place == "$GITHUB_TOKEN") }
    try places.put("from-prefixed", in: "\(places.credentials)/keys_github-token")
    #expect(places.source.find(for: job).text == "from-prefixed")
    try places.put("from-service", in: "\(places.credentials)/github-token", mode: 0o444)
    #expect(places.source.find(for: job).text == "from-service")
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
    #expect(
      SecretPlaces().source.find(for: job).lack
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
      #expect(outcome.refusal?.contains(problem) == true, "\(outcome)")
      #expect(outcome.refusal?.contains("\(places.keys)/github-token") == true)
    } else {
      #expect(outcome.text == text.split(whereSeparator: \.isNewline).first.map(String.init))
    }
  }

  @Test(
    "that others can read is refused with the command that cures it",
    arguments: [0o644, 0o640, 0o604])
  func mustBePrivate(mode: mode_t) throws {
    let places = SecretPlaces()
    try places.put("k", in: "\(places.keys)/github-token", mode: mode)
    let told = places.source.find(for: try Self.github()).refusal
    #expect(told?.contains("run: chmod 600 \(places.quotedKeys)/github-token'") == true)
  }

  @Test("in a folder where others can write is refused with the command that cures it")
  func folderMustBeOwn() throws {
    let places = SecretPlaces()
    try places.put("k", in: "\(places.keys)/github-token", mode: 0o600)
    for mode: mode_t in [0o777, 0o775, 0o702] {
      #expect(chmod(places.keys, mode) == 0)
      let told = places.source.find(for: try Self.github()).refusal
      #expect(told?.contains("run: chmod 700 \(places.quotedKeys)'") == true, "\(told ?? "")")
    }
    #expect(chmod(places.keys, 0o755) == 0)
    let found = places.source.find(for: try Self.github()).credential
    #expect(found != nil, "others may see which keys there are, and nothing more")
  }

  @Test("that is there but unsound is refused, and the next source is not tried")
  func doesNotFallThrough() throws {
    var places = SecretPlaces()
    places.variables["GITHUB_TOKEN"] = "sound"
    #expect(mkdir("\(places.credentials)/github-token", 0o700) == 0)
    let told = places.source.find(for: try Self.github()).refusal
    #expect(told?.contains("it is not a plain file") == true)
  }

  @Test("is not even looked for when requests go to this machine")
  func notOnLoopback() throws {
    let places = SecretPlaces()
    try places.put("unsound\n\n\n", in: "\(places.keys)/github-token", mode: 0o666)
    for endpoint in ["http://127.0.0.1:8080", "http://localhost", "http://[::1]:9/github"] {
      let outcome = places.source.find(for: try Self.github(), endpoint: try Self.origin(endpoint))
      if case .notRead = outcome { continue }
      Issue.record("\(outcome)")
    }
  }

  /// Ways to lure the token of a shipped job to another server.
  static let lures: [(base: String, secret: String, bound: String)] = [
    ("https://evil.example", "github-token", "https://api.github.com"),
    ("https://evil.example", "mine $GITHUB_TOKEN", "https://api.github.com"),
    ("http://api.github.com", "github-token", "https://api.github.com"),
    ("https://api.github.com:8443", "github-token", "https://api.github.com"),
    ("https://evil.example", "bound", "https://good.example"),
  ]

  @Test("goes to no other origin, and both are named", arguments: lures)
  func isBound(base: String, secret: String, bound: String) throws {
    var places = SecretPlaces()
    if secret.contains("$") { places.variables["GITHUB_TOKEN"] = Self.canary }
    try places.put("\(Self.canary)\n", in: "\(places.keys)/github-token")
    try places.put("\(Self.canary)\norigin https://good.example\n", in: "\(places.keys)/bound")
    let job = try Self.foreign(base: base, auth: "{ to: 'header:A', secret: '\(secret)' }")
    let told = try #require(places.source.find(for: job).refusal)
    #expect(told.contains(" is for \(bound), "))
    #expect(told.contains("would send it to \(job.base.origin);"))
    #expect(told.hasSuffix("--send-key-to \(job.base.origin)"))
    let allowed = places.source.find(for: job, alsoTo: [job.base.origin])
    let credential = try #require(allowed.credential, "\(allowed)")
    #expect(credential.origins == [job.base.origin, try Self.origin(bound)])
  }

  @Test("of a job's own goes to the job's own base, and not to an endpoint elsewhere")
  func ownBase() throws {
    let places = SecretPlaces()
    try places.put(Self.canary, in: "\(places.keys)/mine")
    let job = try Self.foreign(
      base: "https://api.example.com/v1", auth: "{ to: 'header:X-Key', secret: 'mine' }")
    let credential = try #require(places.source.find(for: job).credential)
    #expect(credential.origins == [try Self.origin("https://api.example.com")])
    #expect(credential.place == .header(name: "X-Key", prefix: ""))
    let elsewhere = places.source.find(for: job, endpoint: try Self.origin("https://evil.example"))
    var led = job
    led.base = try WebAddress("https://evil.example/v1")
    for outcome in [elsewhere, places.source.find(for: led)] {
      #expect(outcome.refusal?.contains("is for https://api.example.com,") == true, "\(outcome)")
    }
  }

  @Test("does not travel unencrypted unless somebody says so")
  func isEncrypted() throws {
    let places = SecretPlaces()
    try places.put(Self.canary, in: "\(places.keys)/mine")
    let job = try Self.foreign(
      base: "http://api.example.com", auth: "{ to: 'header:X-Key', secret: 'mine' }")
    #expect(places.source.find(for: job).refusal?.contains("would travel unencrypted") == true)
    let allowed = places.source.find(for: job, alsoTo: [try Self.origin("http://api.example.com")])
    #expect(allowed.text == Self.canary)
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
      for name in ["x", "../x"] {
        do {
          _ = try KeyFolder(path: places.keys).keep(text, named: name, for: KeyBond(origin))
        } catch { #expect(!"\(error)".contains("canary")) }
      }
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
