import Glibc
import Base
import TestSupport
import Testing

@Suite("A login by a browser that comes back", .prompt)
struct BrowserLoginTests {
  private let home = Home()

  /// A login that waits for its browser.
  private func waiting(
    _ job: String, _ more: [String: String] = [:]
  ) async throws -> (run: BinaryRun, parameters: [String: String], port: Int) {
    let run = home.start(["key", job], more)
    try await until("it waits") { run.errorsSoFar.holds("waiting for it") }
    let (parameters, port) = try #require(Browser.page(run.errorsSoFar))
    return (run, parameters, port)
  }

  @Test("takes one answer, that to its own state, and shows the server that it is who began")
  func logsIn() async throws {
    let api = LoginAPI()
    let job = home.write(api.job("browser"), to: "shop.json5")
    let (run, page, port) = try await waiting(job)
    #expect(page["client_id"] == "canary-client" && page["response_type"] == "code")
    #expect(page["scope"] == "read it" && page["code_challenge_method"] == "S256")
    let state = try #require(page["state"])
    #expect(state.utf8.count == 43)
    #expect(Browser.get(port, "/favicon.ico")?.hasPrefix("HTTP/1.1 404 ") == true)
    #expect(
      Browser.get(port, "/back?code=canary-x&state=\(state)")?.hasPrefix("HTTP/1.1 404 ") == true)
    for foreign in [
      "code=canary-x", "code=canary-x&state=\(state)x", "code=canary-x&state=\(state)&state=x",
      "state=\(state)", "code=a&code=b&state=\(state)", "error=access_denied&state=x",
    ] {
      #expect(Browser.get(port, "/?\(foreign)")?.hasPrefix("HTTP/1.1 400 ") == true, "\(foreign)")
    }
    #expect(Browser.ask(port, "POST /?code=canary-x&state=\(state) HTTP/1.1\r\n\r\n") != nil)
    #expect(Browser.ask(port, "\u{16}\u{3}\u{1}\r\n\r\n") != nil)
    #expect(Browser.ask(port, "GET /" + String(repeating: "x", count: 1 << 17)) != nil)
    // A browser opens connections that it does not use.
    let idle = Loopback.connect(to: port)
    defer { if let idle { close(idle) } }
    let answer = Browser.get(port, "/?code=canary%2Bcode&state=\(state)")
    #expect(answer?.hasPrefix("HTTP/1.1 200 ") == true, "\(answer ?? "")")
    let ended = await run.end()
    #expect(ended.status == 0 && ended.errors.holds("still waiting"), "\(ended.errors)")
    #expect(Browser.get(port, "/?code=canary-2&state=\(state)") == nil)
    let call = try #require(api.calls("/oauth/token").first)
    #expect(
      call.body.holds("grant_type=authorization_code") && call.body.holds("code=canary%2Bcode")
        && call.body.holds("redirect_uri=http%3A%2F%2F127.0.0.1%3A\(port)%2F"), "\(call.body)")
    let verifier = call.body.pieces(around: "code_verifier=").last?.prefix { $0 != "&" } ?? ""
    let digest = await home.shell(
      "printf %s \(verifier) | openssl dgst -sha256 -binary | base64 | tr '+/' '-_' | tr -d '=\\n'")
    #expect(verifier.utf8.count == 43 && page["code_challenge"] == digest.output)
    let shown = ended.errors.pieces(around: "canary-client").joined()
    #expect(!shown.holds("canary") && !shown.holds(String(verifier)), "\(ended.errors)")
    #expect(
      await DeviceLoginTests.keys(home)
        == "canary-refresh-1\norigin \(api.origin) for tokens of \(api.origin)\n")
    await home.run(api.run(home, job), ends: 0)
  }

  @Test("is begun in the browser that a person has, with the whole address")
  func opened() async throws {
    let api = LoginAPI()
    let job = home.write(api.job("browser"), to: "shop.json5")
    let seen = "\(home.scratch.path)/seen"
    let program = home.write(
      "#!/bin/sh\necho noise; echo \"$#\" \"$1\" > '\(seen).new'; mv '\(seen).new' '\(seen)'\n",
      to: "browser", mode: 0o755)
    let (run, page, port) = try await waiting(job, ["BROWSER": program])
    try await until("the browser was started") { home.holds(seen) }
    let opened = await home.shell("cat '\(seen)'")
    #expect(opened.output.hasPrefix("1 \(api.origin)/oauth/page?"), "\(opened.output)")
    #expect(opened.output.holds("&code_challenge_method=S256"))
    _ = Browser.get(port, "/?code=canary&state=\(page["state"] ?? "")")
    let ended = await run.end()
    #expect(ended.status == 0 && !ended.errors.holds("noise"), "\(ended.errors)")
  }

  @Test("comes back to the address that the job names, to the letter")
  func redirect() async throws {
    let api = LoginAPI()
    // A port that was free.
    let free = DeadPort()
    let port = free.port
    let job = home.write(
      api.job("browser", more: "redirect: \"http://localhost:\(port)/back\""), to: "shop.json5")
    // A port that another program uses is reported.
    let holder = Loopback.listen()
    let taken = home.write(
      api.job("browser", more: "redirect: \"http://localhost:\(holder.port)/back\""),
      to: "taken.json5")
    await home.run(
      ["key", taken], ends: 69, saying: "nothing can listen on 127.0.0.1:\(holder.port)")
    close(holder.descriptor)
    withExtendedLifetime(free) {}
    _ = consume free
    let (run, page, heard) = try await waiting(job)
    #expect(page["redirect_uri"] == "http://localhost:\(port)/back" && heard == port)
    _ = Browser.get(port, "/back?code=canary&state=\(page["state"] ?? "")")
    #expect(await run.end().status == 0)
  }

  @Test("on another machine ends with an address that is pasted, and only with its own")
  func pasted() async throws {
    let api = LoginAPI()
    let job = home.write(api.job("browser"), to: "shop.json5")
    let pipe = "\(home.scratch.path)/pipe"
    #expect(mkfifo(pipe, 0o600) == 0)
    for (change, status) in [("x", 77), ("", 0)] as [(String, Int32)] {
      let run = BinaryRun(
        "/bin/sh",
        ["-c", "exec '\(BinaryRun.products)/trawl' key '\(job)' --no-browser < '\(pipe)'"],
        environment: home.environment)
      let descriptor = open(pipe, O_WRONLY | O_CLOEXEC)
      try await until("it asks") { run.errorsSoFar.holds("it ends at a page") }
      let (page, _) = try #require(Browser.page(run.errorsSoFar))
      let line = Array(
        "http://127.0.0.1/?code=canary-code&state=\(page["state"] ?? "")\(change)\n".utf8)
      #expect(write(descriptor, line, line.count) == line.count)
      close(descriptor)
      let ended = await run.end()
      #expect(ended.status == status, "\(ended.errors)")
      #expect(!ended.errors.pieces(around: "canary-client").joined().holds("canary"))
      #expect(home.holds("\(home.settings)/trawl") == (status == 0))
    }
    let device = home.write(api.job("device"), to: "device.json5")
    await home.run(["key", device, "--no-browser"], ends: 64)
  }

  @Test("that is refused on its page, or whose code is not taken, changes nothing")
  func refused() async throws {
    let api = LoginAPI()
    let job = home.write(api.job("browser"), to: "shop.json5")
    let denied = "error=access_denied&error_description=Not%20today"
    let invalid = #"{"error": "invalid_grant", "error_description": "canary-c"}"#
    let long = #"{"access_token": "\#(String(repeating: "x", count: 2_000_000))"}"#
    /// What the page brings back, or the token server's answer to its code.
    let replies: [(String?, AnswerServer.Reply, String, Int32)] = [
      (denied, .json(""), #"refused on its page: "Not today""#, 77),
      ("error=server_error", .json(""), "no login: server_error", 77),
      (nil, .json(invalid, status: 400), "does not take the login's code", 77),
      (nil, .json(#"{"error": "invalid_client"}"#, status: 401), "secrets are wrong", 77),
      (
        nil, .init(status: 302, fields: ["Location: /login?code=canary-c"]),
        "/login?code=***; it is not followed", 69
      ),
      (nil, .json("<html>", status: 500), "answers 500", 77),
      (
        nil, .json(#"{"refresh_token": "canary-r"}"#), #"without a token at "access_token""#, 77
      ),
      (nil, .json(long), "more than", 69),
    ]
    for (brought, reply, words, status) in replies {
      let query = brought ?? "code=canary-c"
      api.change { $0.tokens = [reply] }
      let (run, page, port) = try await waiting(job)
      #expect(Browser.get(port, "/?\(query)&state=\(page["state"] ?? "")") != nil)
      let ended = await run.end()
      #expect(ended.status == status && ended.errors.holds(words), "\(query): \(ended.errors)")
      #expect(ended.errors.holds("nothing was changed"), "\(ended.errors)")
      let shown = ended.errors.pieces(around: "canary-client").joined()
      #expect(!shown.holds("canary"), "\(ended.errors)")
      #expect(!home.holds("\(home.settings)/trawl"))
    }
  }

  @Test("leaves nothing where it is killed while it listens, or while its code is on its way")
  func killed() async throws {
    let run = Locked<BinaryRun?>(nil)
    let api = LoginAPI { heard in if heard == "/oauth/token" { run.withLock { $0?.kill() } } }
    let job = home.write(api.job("browser"), to: "shop.json5")
    let (first, _, _) = try await waiting(job)
    first.kill()
    #expect(await first.end().wasSignalled)
    let (second, page, port) = try await waiting(job)
    run.withLock { $0 = second }
    _ = Browser.get(port, "/?code=canary&state=\(page["state"] ?? "")")
    #expect(await second.end().wasSignalled)
    #expect(!home.holds("\(home.settings)/trawl"))
  }

  @Test("shows no secret to another server, and begins at none without encryption")
  func lured() async throws {
    let api = LoginAPI()
    let stranger = AnswerServer { _ in .json("{}") }
    let far = "\(stranger.origin)/page"
    for (job, words) in [
      (api.job("device", begins: far), "would get the secrets that are for \(api.origin)"),
      (
        api.job("browser", client: "{id}", key: "id: \"shop-id\", key: \"shop-key\",", begins: far),
        "would get \"{id}\""
      ),
      (api.job("browser", begins: "http://login.example.com/"), "over HTTPS"),
    ] {
      let file = home.write(job, to: "shop.json5")
      for command in [["key", file], ["check", file, "--offline", "--send-key-to", api.origin]] {
        let ended = await home.run(command)
        #expect((ended.output + ended.errors).holds(words), "\(ended)")
      }
    }
    #expect(stranger.calls.isEmpty && api.server.calls.isEmpty)
    #expect(!home.holds("\(home.settings)/trawl"))
    // A client ID that is not secret may go there.
    let file = home.write(api.job("browser", begins: far), to: "shop.json5")
    let (run, _, _) = try await waiting(file)
    run.kill()
    _ = await run.end()
  }
}
