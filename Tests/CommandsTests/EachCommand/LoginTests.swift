import Glibc
import Base
@testable import Commands
import TestSupport
import Testing

@Suite("trawl key of a job with a login, in a time of its own")
struct LoginTests {
  private static let origin = "https://auth.example.com"

  /// The provider's answers to token requests, in order; the last one repeats.
  private static func exchange(
    begins: String = """
    {"device_code": "canary-device", "user_code": "WDJB-MJHT", "interval": 5, "expires_in": 60,
     "verification_uri": "https://example.com/device"}
    """, status: Int = 200, _ tokens: [(Int, String)]
  ) -> ScriptedExchange {
    let asked = Locked(0)
    return ScriptedExchange { request, _ in
      guard request.address.path == "/token" else {
        return .success(.json(request, begins, status: status, at: Instant(seconds: 0)))
      }
      let number = asked.withLock { count in
        count += 1
        return count
      }
      let (status, body) = tokens[min(number, tokens.count) - 1]
      guard status > 0 else {
        return .failure(
          ExchangeFailure(
            .timedOut, cause: .network, address: request.address,
            sentence: "\(origin) does not answer"))
      }
      return .success(.json(request, body, status: status, at: Instant(seconds: 0)))
    }
  }

  private static let pending = (400, "{\"error\": \"authorization_pending\"}")
  private static let slower = (400, "{\"error\": \"slow_down\"}")
  private static let token = (
    200, "{\"access_token\": \"canary-a\", \"refresh_token\": \"canary-r\"}"
  )

  /// A user's home with the job's other secret.
  private static func prepare(_ home: String) -> String {
    for folder in ["", "/.config", "/.config/trawl", "/.config/trawl/keys"] {
      mkdir(home + folder, 0o700)
    }
    let key = "\(home)/.config/trawl/keys/shop-key"
    Golden.write(
      "canary-key\norigin \(origin) for tokens of https://api.example.com\n", to: key)
    chmod(key, 0o600)
    let job = "\(home)/shop.json5"
    Golden.write(
      """
      {
        name: "shop", base: "https://api.example.com",
        auth: {
          to: "header:Authorization Bearer {secret}", secret: { key: "shop-key", refresh: "shop-refresh" },
          token: {
            post: "\(origin)/token",
            form: { grant_type: "refresh_token", client_id: "shop", client_secret: "{key}", refresh_token: "{refresh}" },
            login: { grant: "device", begins: "\(origin)/device" },
          },
        },
        streams: { books: { get: "/books", records: "items", into: "books", key: ["id"], columns: { id: "id" } } },
      }
      """, to: job)
    return job
  }

  private static func kept(_ home: String) -> String? {
    Golden.read("\(home)/.config/trawl/keys/shop-refresh")
  }

  private func logIn(
    _ exchange: ScriptedExchange, _ time: VirtualTime = VirtualTime()
  ) async throws -> (ended: CommandTrial.Ended, kept: String?) {
    let trial = try CommandTrial()
    let job = Self.prepare(trial.scratch.path)
    let ended = try await trial.watch { console in
      await Program.perform(
        ["key", job], Environment(["HOME": trial.scratch.path, "TMPDIR": trial.scratch.path]),
        console, nil, time.timekeeper, StandIns(exchange: exchange, time: time.timekeeper))
    }
    #expect(!ended.everything.contains("canary"), "\(ended.everything)")
    return (ended, Self.kept(trial.scratch.path))
  }

  private static let rhythms: [(what: String, answers: [(Int, String)], slept: [Int64])] = [
    (
      "as often as the server allows: five seconds less often with each slow_down",
      [pending, slower, pending, slower, token], [5, 5, 10, 10, 15]
    ),
    (
      "less and less often where nothing comes that can be read, and says so",
      [(0, ""), (200, "<html>"), (502, ""), token], [5, 10, 20, 25]
    ),
    (
      "on where another's page comes between, once the server took its secrets",
      [pending, (403, "<html>"), (404, "<html>"), token], [5, 5, 10, 20]
    ),
  ]

  @Test("asks", arguments: rhythms.map { $0.what })
  func rhythm(what: String) async throws {
    let (_, answers, slept) = try #require(Self.rhythms.first { $0.what == what })
    let time = VirtualTime()
    let (ended, kept) = try await logIn(Self.exchange(answers), time)
    #expect(ended.status == .complete && kept?.hasPrefix("canary-r\n") == true, "\(ended.errors)")
    #expect(time.slept == slept.map { .seconds($0) })
    let saysSo = ended.errors.contains("it is asked again, less often")
    #expect(saysSo || !what.hasSuffix("says so"), "\(ended.errors)")
  }

  @Test(
    "waits as long as the server asks for; if before it began, it says when to try again",
    arguments: [1, 2])
  func limited(request limited: Int) async throws {
    let time = VirtualTime()
    let wait = ScriptedExchange { request, number in
      let body =
        request.address.path == "/device"
        ? "{\"device_code\": \"canary-d\", \"user_code\": \"A B\", \"verification_url\": \"https://x.example\"}"
        : "{\"access_token\": \"canary-a\", \"refresh_token\": \"canary-r\"}"
      return .success(
        .json(
          request, body, number == limited ? [HeaderField("Retry-After", "30")] : [],
          status: number == limited ? 429 : 200, at: time.now))
    }
    let (ended, kept) = try await logIn(wait, time)
    if limited == 1 {
      #expect(ended.status == .paused && kept == nil && time.slept.isEmpty, "\(ended.errors)")
      for words in ["nothing was changed: ", "asks for a wait (429)", "try again after "] {
        #expect(ended.errors.contains(words), "\(ended.errors)")
      }
      return
    }
    #expect(ended.status == .complete && kept != nil, "\(ended.errors)")
    #expect(time.slept == [.seconds(5), .seconds(30)])
    #expect(
      ended.errors.contains("asks for a wait (429)") && !ended.errors.contains("1 times"),
      "\(ended.errors)")
  }

  @Test("ends when the code does, with one last question")
  func lapses() async throws {
    let time = VirtualTime()
    let exchange = Self.exchange([Self.pending])
    let (ended, kept) = try await logIn(exchange, time)
    #expect(ended.status == .secret && kept == nil)
    #expect(ended.errors.contains("the code was not entered in time"), "\(ended.errors)")
    #expect(ended.errors.contains("to log in again: trawl key"), "\(ended.errors)")
    #expect(time.slept.count == 12 && exchange.asked.count == 13)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var begins: String?
    var status = 200
    var token = LoginTests.pending
    var words: String
    var testDescription: String { words }
  }

  static let cases: [Case] = [
    Case(
      token: (400, "{\"error\": \"access_denied\"}"), words: "the login was refused on its page"),
    Case(token: (400, "{\"error\": \"expired_token\"}"), words: "was not entered in time"),
    Case(
      token: (200, "{\"error\": \"access_denied\"}"), words: "the login was refused on its page"),
    Case(
      token: (401, "{\"error\": \"invalid_client\", \"error_description\": \"canary-key?\"}"),
      words: "secrets are wrong"),
    Case(token: (200, "{}"), words: "without a token"),
    Case(
      token: (404, ""),
      words: "answers 404 to the request for a token; see token.post, or token.login,"),
    Case(begins: "<html>", words: "with something that is not JSON"),
    Case(begins: "", status: 404, words: "/device answers 404"),
    Case(
      begins: "{\"error\": \"invalid_client\"}", status: 401,
      words:
        "/device refuses the login (401) (invalid_client): the secrets are wrong or were revoked\n"),
    Case(begins: "{\"error\": \"unauthorized_client\"}", words: "unauthorized_client"),
    Case(begins: "{\"device_code\": \"canary-d\"}", words: "a code without a page"),
    Case(
      begins:
        "{\"device_code\": \"canary-d\", \"user_code\": \"A\", \"verification_uri\": \"http://x.example\"}",
      words: "a code without a page (HTTPS)"),
    Case(
      begins:
        "{\"device_code\": \"canary-d\", \"user_code\": \"A\\u001b[2J\", \"verification_uri\": \"https://x.example\"}",
      words: "a code without a page"),
    Case(
      begins: "{\"device_code\": \"\(String(repeating: "x", count: 5_000))\"}",
      words: "sends no code"),
  ]

  @Test("says in a sentence why nothing came of it, and changes nothing", arguments: cases)
  func told(_ one: Case) async throws {
    let exchange = one.begins.map { Self.exchange(begins: $0, status: one.status, [one.token]) }
    let (ended, kept) = try await logIn(exchange ?? Self.exchange([one.token]))
    #expect(ended.status == .secret && kept == nil, "\(ended.errors)")
    #expect(ended.errors.contains(one.words), "\(ended.errors)")
    #expect(ended.errors.contains("nothing was changed"), "\(ended.errors)")
    #expect(ended.errors.matches(of: /trawl key/).count == 1, "\(ended.errors)")
  }

  @Test(
    "killed while it keeps what came, has kept it or has not; the next login goes on",
    arguments: [FaultPoint.Place.beforeSecretKept, .afterSecretKept])
  func killed(place: FaultPoint.Place) async throws {
    let scratch = ScratchFolder()
    let home = "\(scratch.path)/home"
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [home = home as String, place = place.rawValue as String] in
      let time = VirtualTime()
      let faults = FaultPoint { reached in
        if reached.rawValue == place { Glibc.kill(getpid(), SIGKILL) }
      }
      _ = await Program.perform(
        ["key", Self.prepare(home)], environment: ["HOME": home, "TMPDIR": home], output: 1,
        errors: 2,
        StandIns(exchange: Self.exchange([Self.token]), time: time.timekeeper, faults: faults))
    }
    let whole = "canary-r\norigin \(Self.origin) for tokens of https://api.example.com\n"
    #expect(Self.kept(home) == (place == .afterSecretKept ? whole : nil))
    let time = VirtualTime()
    let code = await Program.perform(
      ["key", Self.prepare(home)], environment: ["HOME": home, "TMPDIR": home], output: 1,
      errors: 2,
      StandIns(exchange: Self.exchange([Self.token]), time: time.timekeeper))
    #expect(code == 0 && Self.kept(home) == whole)
  }

  @Test("keeps nothing while a run uses the secret, whose successor would replace the new one")
  func inUse() async throws {
    let scratch = ScratchFolder()
    let home = scratch.path
    let job = Self.prepare(home)
    let text = Golden.read(job) ?? ""
    Golden.write(
      text.replacing("login:", with: "rotates: { refresh: \"refresh_token\" }, login:"), to: job)
    let keys = "\(home)/.config/trawl/keys"
    let run = Locked(try FileLock("\(keys)/.shop-refresh.lock", mode: 0o600))
    let time = VirtualTime()
    var keeper = time.timekeeper
    keeper.sleep = { [sleep = keeper.sleep] duration in
      if duration == .milliseconds(100) {
        #expect(Self.kept(home) == nil)
        run.withLock { $0 = nil }
      }
      try await sleep(duration)
    }
    let code = await Program.perform(
      ["key", job], environment: ["HOME": home, "TMPDIR": home], output: 1, errors: 2,
      StandIns(exchange: Self.exchange([Self.token]), time: keeper))
    #expect(code == 0 && Self.kept(home)?.hasPrefix("canary-r\n") == true)
    #expect(time.slept.contains(.milliseconds(100)))
  }

  @Test("leaves a browser's answer that comes drop by drop, which would hold up all others")
  func drops() throws {
    let listener = try RedirectListener(nil, nil)
    let head = Array("GET /?code=x HTTP/1.1\r\n\r\n".utf8)
    for parts in [1, RedirectListener.partsMax, RedirectListener.partsMax + 1] {
      // Each packet is received by itself.
      var ends: [Int32] = [-1, -1]
      let pair = socketpair(
        AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
      #expect(pair == 0)
      for index in 0..<parts {
        let part = index < parts - 1 ? [head[index]] : Array(head[index...])
        #expect(send(ends[0], part, part.count, 0) == part.count)
      }
      let target: String? = parts > RedirectListener.partsMax ? nil : "/?code=x"
      #expect(listener.target(of: ends[1]) == target)
      for end in ends { close(end) }
    }
  }
}
