import Base
import TestSupport
import Testing

@testable import Jobs

@Suite("A secret that access tokens are requested with")
struct TokenSecretTests {
  private let places = SecretPlaces()

  private func job(
    _ token: String = "post: \"/token\", form: { k: \"{key}\" }", secret: String = "key",
    named name: String = "mine", base: String = "https://api.example.com/v1"
  ) throws -> Job {
    try Books.read(
      Books.with(
        "base: \"https://api.example.com/v1\",",
        "base: \"\(base)\", auth: { to: \"header:A\", secret: { \(secret): \"\(name)\" }, "
          + "token: { \(token) } },"
      ).replacing("params: {", with: "params: { shop: {},"))
  }

  @Test("goes to neither server unencrypted unless a person says so")
  func isEncrypted() throws {
    try places.put("canary", in: "\(places.keys)/mine")
    let grant = try #require(places.source.find(for: try job()).credential?.grant)
    #expect(grant.address.description == "https://api.example.com/v1/token")
    for (job, bare) in [
      (try job(base: "http://api.example.com"), "http://api.example.com"),
      (
        try job("post: \"http://auth.example.com/token\", form: { k: \"{key}\" }"),
        "http://auth.example.com"
      ),
    ] {
      #expect(
        places.source.find(for: job).refusal
          == "a secret would travel unencrypted to \(bare); to allow that: --send-key-to \(bare)")
      let allowed = places.source.find(for: job, alsoTo: [try SecretTests.origin(bare)])
      #expect(allowed.credential?.grant != nil, "\(allowed)")
    }
  }

  @Test("was stored for that: it is not sent itself, and no key of an API is used for it")
  func bound() throws {
    let origin = try SecretTests.origin("https://api.example.com")
    let folder = KeyFolder(path: places.keys)
    try folder.keep("canary", named: "mine", for: KeyBond(origin))
    let key = try #require(places.source.find(for: try job()).refusal)
    #expect(key.contains("is stored as an API key") && key.contains("trawl key books"), "\(key)")
    try folder.keep("canary", named: "mine", for: KeyBond(origin, tokensFor: origin))
    #expect(places.source.find(for: try job()).credential?.grant != nil)
    let sent = try SecretTests.foreign(
      base: "https://api.example.com", auth: "{ to: 'header:A', secret: 'mine' }")
    let refusal = try #require(places.source.find(for: sent).refusal)
    #expect(refusal.contains("is kept for requesting tokens"), "\(refusal)")
    // The key of a job that is built in requests no token for another API.
    try places.put("canary", in: "\(places.keys)/github-token")
    let taken = places.source.find(for: try job(named: "github-token")).refusal
    #expect(taken?.contains("would use it at https://api.example.com for tokens of") == true)
  }

  @Test("goes to no server that a value of the user's names before the user has confirmed that")
  func chosen() throws {
    try places.put("canary", in: "\(places.keys)/mine")
    let job = try job(
      "post: \"https://{shop}.example.com/token\", form: { client_id: \"me\", refresh_token: "
        + "\"{refresh}\" }, login: { grant: \"browser\", begins: \"https://{shop}.example.com/page\" }",
      secret: "refresh")
    #expect(job.texts.lack?.contains("needs one value of \"shop\"") == true)
    #expect(places.source.find(for: job).refusal?.contains("has no address yet") == true)
    let filled = job.filling(["shop": ["acme"]])
    let token = try #require(filled.authentication?.all.first?.token)
    #expect(token.place == "https://acme.example.com/token")
    #expect(token.loginAddress(behind: filled.base)?.description == "https://acme.example.com/page")
    let refusal = try #require(places.source.find(for: filled).refusal)
    #expect(
      refusal.contains(
        "to bind it to https://acme.example.com for tokens of https://api.example.com: trawl key"),
      "\(refusal)")
    #expect(job.filling(["shop": ["evil.com/"]]).texts.lack != nil)
  }

  @Test("that each use replaces is not used where the next one could not be kept")
  func rotating() throws {
    try places.put("canary", in: "\(places.credentials)/mine")
    let job = try job(
      "post: \"/token\", form: { k: \"{key}\" }, rotates: { key: \"next\" }")
    let source = SecretSource(credentialsFolder: places.credentials, keyFolder: nil) { _ in nil }
    let refusal = try #require(source.find(for: job).refusal)
    #expect(refusal.contains("is spent by its use") && refusal.contains("set STATE_DIRECTORY"))
  }
}
