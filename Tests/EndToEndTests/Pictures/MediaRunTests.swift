import Glibc
import Base
import SandboxKit
import TestSupport
import Testing

/// The pictures of the five jobs, as the built program fetches them.
@Suite("Pictures of the five jobs", .prompt)
struct MediaRunTests {
  static let jobs = ["youtube", "newsapi", "github", "giphy", "openmarket"]

  /// The reason that report and table give for each bad picture.
  private static let reasons: [Truth.Image.State: String] = [
    .missing: "status 404", .html: "not-jpeg-png-gif-webp", .cut: "cut", .empty: "empty",
  ]

  /// The expected result of each requested URL, from the sandbox's truth.
  private static func expected(_ job: String, _ home: Home, _ sandbox: Sandbox) throws -> [String] {
    var known: [String: Truth.Image] = [:]
    for image in try #require(sandbox.truth(job)).media { known[plain(image.url)] = image }
    return try home.tables.texts("SELECT url FROM trawl_media_urls").map { url in
      let image = try #require(known[plain(url)], "\(url)")
      return "\(image.sha256 ?? "NULL")|\(reasons[image.state] ?? "NULL")"
    }.sorted()
  }

  /// The query selects a size, but the sandbox has only one.
  private static func plain(_ url: String) -> String { String(url.prefix { $0 != "?" }) }

  @Test(
    "lie under their SHA-256, each content once; none is a trouble to the run, or asked again soon",
    arguments: jobs, [0.0, 0.2])
  func stored(job: String, troubleShare: Double) async throws {
    let sandbox = try Sandbox.changed { $0.mediaTroubleShare = troubleShare }
    let home = Home()
    let run = home.arguments(of: job, sandbox, ["--max-wait", "10s"])
    let ended = await home.run(run, ends: 0)
    try await KillTests.expectSoundFolder(home, afterKill: false)
    let expected = try Self.expected(job, home, sandbox)
    #expect(
      try home.tables.texts("SELECT digest, reason FROM trawl_media_urls").sorted() == expected)
    let digests = Set(expected.map { String($0.prefix { $0 != "|" }) }).subtracting(["NULL"])
    #expect(try home.tables.texts("SELECT digest FROM trawl_media").sorted() == digests.sorted())
    #expect(digests.count > 20)
    let refused = expected.count { $0.hasPrefix("NULL") }
    #expect((refused > 0) == (troubleShare > 0))
    #expect(ended.errors.holds(" refused") == (refused > 0), "\(ended.errors)")
    let report = await home.trawl("report", job).output
    #expect(report.holds("\(refused) refused (") == (refused > 0), "\(report)")

    // One request for each, however many records want it, plus retries of truncated ones.
    let asked = sandbox.requests(api: "media").map(\.target)
    #expect(asked.count - expected.count { $0.hasSuffix("|cut") } * 2 == expected.count)
    let mark = sandbox.lastRequest
    await home.run(run, ends: 0)
    #expect(sandbox.requests(api: "media", since: mark).isEmpty)
    let path = try #require(try home.tables.texts("SELECT path FROM trawl_media").first)
    unlink("\(home.data)/\(path)")
    await home.run(run, ends: 0)
    try await KillTests.expectSoundFolder(home, afterKill: false)
    #expect(try home.tables.texts("SELECT digest FROM trawl_media").sorted() == digests.sorted())
  }
}

@Suite("trawl media beside a run", .prompt)
struct MediaBesideRunTests {
  private let home = Home()
  private static let paths = "SELECT path FROM trawl_media ORDER BY path"

  /// The arguments of a run that was made once, and the pictures that it brought.
  private func filled(_ sandbox: Sandbox) async throws -> (run: [String], files: [String]) {
    let run = home.arguments(home.write(JobText.unlimited(), to: "github.json5"), sandbox)
    await home.run(run, ends: 0)
    return (run, try home.tables.texts(Self.paths))
  }

  @Test("gc waits its turn, 75, and verify reads beside it and takes nothing away")
  func beside() async throws {
    let sandbox = try Sandbox.changed {
      $0.gitHub.followers = 120
      $0.gitHub.anonymousPerHour = 1_000_000
    }
    let (run, files) = try await filled(sandbox)
    try #require(files.count > 50)

    // The run is held when it requests its list again.
    let isHeld = Locked(false)
    let mayGoOn = Locked(false)
    sandbox.watch { request in
      guard request.target.holds("/followers?") else { return }
      isHeld.withLock { $0 = true }
      // On a thread of the server, which checks every millisecond.
      for _ in 0..<600_000 where !mayGoOn.withLock({ $0 }) { usleep(1_000) }
    }
    let held = home.start(run)
    try await until("the run is held") { isHeld.withLock { $0 } }
    await home.trawl("media", "gc", "--grace", "0s", ends: 75)
    #expect(try home.tables.texts(Self.paths) == files)
    await home.trawl("media", "gc", "--dry-run", ends: 0)
    home.write("not what it was", to: "\(home.data)/\(files[0])")
    unlink("\(home.data)/\(files[1])")
    await home.trawl("media", "verify", ends: 4, showing: "2 mended, 0 lost")
    mayGoOn.withLock { $0 = true }
    #expect(await held.end().status == 0)
    sandbox.watch(nil)
    #expect(try home.tables.texts(Self.paths) == files)
    #expect(await KillTests.namedFiles(in: home).sorted() == files)
    await home.trawl("media", "gc", ends: 0)
    #expect(await KillTests.namedFiles(in: home).sorted() == files)
  }

  @Test("a verify that is killed while it fetches leaves no row without a file")
  func killed() async throws {
    let sandbox = try Sandbox.small(followers: 60)
    let files = try await filled(sandbox).files
    for path in files.prefix(6) { home.write("not what it was", to: "\(home.data)/\(path)") }
    let plug = Plug(at: 3, pause: 0, sandbox)
    let verify = home.start(["media", "verify", "--data", home.data])
    plug.pulls(verify)
    #expect(await verify.end().wasSignalled)
    sandbox.watch(nil)
    for path in files { #expect(home.holds("\(home.data)/\(path)"), "\(path)") }
    await home.trawl("media", "verify", ends: 4, showing: "4 mended, 0 lost")
    #expect(await KillTests.namedFiles(in: home).sorted() == files)
  }
}
