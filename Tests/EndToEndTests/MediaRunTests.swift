import Glibc
import Model
import SandboxKit
import TestSupport
import Testing

/// The pictures of the five jobs, as the built program fetches them.
@Suite("Pictures of the five jobs")
struct MediaRunTests {
  static let jobs = ["youtube", "newsapi", "github", "giphy", "openmarket"]

  /// What the report and the table call the state of a picture that is none.
  private static let reasons: [Truth.Image.State: String] = [
    .missing: "status 404", .html: "not-an-image", .cut: "cut", .empty: "empty",
  ]

  /// Of each URL that was asked what became of it, by what the sandbox knows.
  private static func expected(_ job: String, _ home: Home, _ sandbox: Sandbox) throws -> [String] {
    var known: [String: Truth.Image] = [:]
    for image in try #require(sandbox.truth(job)).media { known[plain(image.url)] = image }
    return try Tables(home).texts("SELECT url FROM trawl_media_urls").map { url in
      let image = try #require(known[plain(url)], "\(url)")
      return "\(image.sha256 ?? "NULL")|\(reasons[image.state] ?? "NULL")"
    }.sorted()
  }

  /// A query asks for another size, and the sandbox has one size.
  private static func plain(_ url: String) -> String { String(url.prefix { $0 != "?" }) }

  @Test(
    "lie under their SHA-256, each content once; none is a trouble to the run, or asked again soon",
    arguments: jobs, [0.0, 0.2])
  func stored(job: String, troubleShare: Double) async throws {
    let sandbox = try Sandbox.changed { $0.mediaTroubleShare = troubleShare }
    defer { sandbox.stop() }
    let home = Home()
    let ended = await home.run(home.arguments(of: job, sandbox, ["--max-wait", "10s"]))
    #expect(ended.status == 0, "\(ended.errors)")
    try await KillTests.expectSoundFolder(home, afterKill: false)
    let tables = Tables(home)
    let expected = try Self.expected(job, home, sandbox)
    #expect(
      try tables.texts("SELECT digest, reason FROM trawl_media_urls").sorted() == expected)
    let digests = Set(expected.map { String($0.prefix { $0 != "|" }) }).subtracting(["NULL"])
    #expect(try tables.texts("SELECT digest FROM trawl_media").sorted() == digests.sorted())
    #expect(digests.count > 20)
    let refused = expected.count { $0.hasPrefix("NULL") }
    #expect((refused > 0) == (troubleShare > 0))
    #expect(ended.errors.holds(" refused") == (refused > 0), "\(ended.errors)")
    let report = await home.run(["report", job, "--data", home.data])
    #expect(
      report.output.holds("\(refused) refused (") == (refused > 0), "\(report.output)")

    // One request for each, however many records want it, but for those that broke off.
    let asked = sandbox.requests(api: "media").map(\.target)
    #expect(asked.count - expected.count { $0.hasSuffix("|cut") } * 2 == expected.count)
    let mark = sandbox.lastRequest
    let again = await home.run(home.arguments(of: job, sandbox, ["--max-wait", "10s"]))
    #expect(again.status == 0, "\(again.errors)")
    #expect(sandbox.requests(api: "media", since: mark).isEmpty)
    let path = try #require(try tables.texts("SELECT path FROM trawl_media").first)
    unlink("\(home.data)/\(path)")
    #expect(await home.run(home.arguments(of: job, sandbox, ["--max-wait", "10s"])).status == 0)
    try await KillTests.expectSoundFolder(home, afterKill: false)
    #expect(try tables.texts("SELECT digest FROM trawl_media").sorted() == digests.sorted())
  }
}
