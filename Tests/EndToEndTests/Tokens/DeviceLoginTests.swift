import Glibc
import Base
import TestSupport
import Testing

@Suite("A login by a code that is entered on another machine", .prompt)
struct DeviceLoginTests {
  private let home = Home()

  static func keys(_ home: Home) async -> String {
    await home.shell("cd '\(home.settings)/trawl/keys' 2>/dev/null && cat *").output
  }

  @Test(
    "shows page and code, waits, and keeps what comes for its servers alone; a run goes on with it")
  func logsIn() async throws {
    let api = LoginAPI(.init(pending: 1))
    let job = home.write(
      api.job("device", client: "{id}", key: "id: \"shop-id\", key: \"shop-key\","),
      to: "shop.json5")
    await home.shell(
      "printf 'canary-id\\ncanary-key\\n' | \"$T\" key \(job)", ends: 0,
      saying: "open  https://example.com/device\n", "WDJB-MJHT", without: "canary")
    let bond = "\norigin \(api.origin) for tokens of \(api.origin)\n"
    #expect(
      await Self.keys(home) == "canary-id\(bond)canary-key\(bond)canary-refresh-1\(bond)")
    let mode = await home.shell("stat -c %a '\(home.settings)/trawl/keys/shop-refresh'")
    #expect(mode.output == "600\n")
    // A client with a secret authenticates at each step.
    for call in api.calls("/oauth") {
      #expect(call.body.holds("client_id=canary-id&client_secret=canary-key"), "\(call.body)")
    }
    #expect(api.calls("/oauth/device")[0].body.hasSuffix("&scope=read%20it"))
    #expect(
      api.calls("/oauth/token").allSatisfy {
        $0.body.holds("device_code=canary-device") && !$0.body.holds("refresh_token")
      })
    await home.run(api.run(home, job), ends: 0)
    #expect(try home.count("shop_books") == 1)
    let last = try #require(api.calls("/oauth/token").last).body
    #expect(last.holds("grant_type=refresh_token") && last.holds("refresh_token=canary-refresh-1"))
  }

  @Test("asks for no client that is there, and names where it is")
  func again() async throws {
    let api = LoginAPI()
    let job = home.write(api.job("device", key: "key: \"shop-key\","), to: "shop.json5")
    for line in ["printf 'canary-key\\n' |", ""] {
      let ended = await home.shell("\(line) \"$T\" key \(job)", ends: 0)
      #expect(ended.errors.holds("goes on with") == line.isEmpty, "\(ended.errors)")
    }
    #expect(api.calls("/oauth/device").count == 2)
  }

  @Test("that is missing is one command, in a run and in a check")
  func missing() async throws {
    let api = LoginAPI()
    let job = home.write(api.job("device", key: "key: \"shop-key\","), to: "shop.json5")
    let words = "needs a login at \(api.origin): run: "
    await home.run(api.run(home, job), ends: 77, saying: words + home.advice("trawl key \(job)"))
    let check = await home.run(["check", job, "--send-key-to", api.origin], ends: 77)
    #expect(check.everything.holds("\(words)trawl key \(job)"), "\(check)")
  }

  @Test("without a refresh token says when it ends; it serves until then, and then is one command")
  func noRefresh() async throws {
    let api = LoginAPI(.init(givesRefresh: false))
    let job = home.write(api.job("device"), to: "shop.json5")
    await home.run(
      ["key", job], ends: 0, saying: "gave no refresh token: this login ends at",
      "then run again: trawl key \(job)")
    #expect(await Self.keys(home) == "canary-access\norigin \(api.origin)\n")
    await home.run(api.run(home, job), ends: 0)
    #expect(api.calls("/oauth/token").count == 1)
    api.change { $0.refusesAll = true }
    await home.run(
      api.run(home, job), ends: 77, saying: home.advice("trawl key \(job)"), without: "canary")
    // If there is a refresh token later, it works as usual.
    api.change { ($0.refusesAll, $0.givesRefresh) = (false, true) }
    await home.run(["key", job], ends: 0)
    await home.run(api.run(home, job), ends: 0)
    #expect(api.calls("/oauth/token").last?.body.holds("refresh_token=canary-refresh-1") == true)
  }

  @Test(
    "leaves nothing where it is killed, at any of its requests",
    arguments: [("/oauth/device", 0), ("/oauth/token", 1), ("/oauth/token", 0)])
  func killed(path: String, pending: Int) async throws {
    let run = Locked<BinaryRun?>(nil)
    let api = LoginAPI(.init(pending: pending)) { heard in
      if heard == path { run.withLock { $0?.kill() } }
    }
    let job = home.write(api.job("device"), to: "shop.json5")
    let started = run.start { home.start(["key", job]) }
    #expect(await started.end().wasSignalled)
    #expect(!home.holds("\(home.settings)/trawl"))
    run.withLock { $0 = nil }
    await home.run(["key", job], ends: 0)
    await home.run(api.run(home, job), ends: 0)
  }

  @Test("ends at once by Ctrl-C, and leaves nothing", arguments: ["device", "browser"])
  func interrupted(grant: String) async throws {
    let api = LoginAPI(.init(pending: 1000))
    let job = home.write(api.job(grant), to: "shop.json5")
    let run = home.start(["key", job])
    try await until("it waits") { run.errorsSoFar.holds("waiting for it") }
    run.kill(SIGINT)
    let ended = await run.end()
    #expect(ended.wasSignalled, "\(ended)")
    ended.expect(130, saying: ["stopped: nothing was changed"], at: #_sourceLocation)
    #expect(!home.holds("\(home.settings)/trawl"))
  }
}
