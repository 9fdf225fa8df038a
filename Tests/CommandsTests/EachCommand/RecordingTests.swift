import Glibc
import Base
@testable import Commands
import SandboxKit
import TestSupport
import Testing

@Suite("A recording")
struct RecordingTests {
  private let scratch = ScratchFolder()
  static let origin = Origin(scheme: "https", host: "api.example", port: 443)
  static let canary = "ca/na\"ry+k€y-7f3a"
  static let credential = Credential(
    place: .query(name: "key"), secret: Secret(canary), origins: [origin])

  static func request(_ target: String) -> Base.Request {
    Request(
      WebAddress(origin: origin, path: "/\(target)"), credential: credential, rule: AddressRule())
  }

  static func answer(_ request: Base.Request, _ status: Int, _ body: [UInt8]) -> Answer {
    Answer(
      status: status, fields: HeaderFields([HeaderField("X-Of", request.address.path)]),
      body: body, address: request.address, sentAt: Instant(seconds: 5),
      receivedAt: Instant(seconds: 6), duration: .milliseconds(70))
  }

  static func recorder(_ inner: any Exchange, _ folder: String) throws -> Recorder {
    Recorder(
      inner, live: VirtualTime().timekeeper, file: try RecordingFile(creating: folder),
      credential: credential,
      heading: Recorder.Heading(
        job: "shop", base: "https://api.example/", command: "run", arguments: ["shop"],
        hasKey: true))
  }

  @Test("holds the key in no form in which a server may echo it, and no cookie")
  func canary() async throws {
    let encoded = PercentEncoding.encoded(Self.canary)
    let echoes = [
      Self.canary, encoded, encoded.lowercased(), #"ca\/na\"ry+k€y-7f3a"#,
    ]
    let exchange = ScriptedExchange { request, number in
      if number == 3 {
        return .failure(
          ExchangeFailure(
            .cut, cause: .network, address: request.address, sentence: "cut at \(Self.canary)"))
      }
      var text = echoes.map { "<a href=\"?key=\($0)\">" }.joined()
      if number == 2 { text += "\u{0}" }
      var answer = Self.answer(request, 200, Array(text.utf8) + (number == 2 ? [0xff] : []))
      for echo in echoes { answer.fields.append(HeaderField("Link", "</x?key=\(echo)>")) }
      answer.fields.append(HeaderField("Set-Cookie", "session=biscuit"))
      answer.address = WebAddress(origin: Self.origin, path: "/a", query: "key=\(encoded)&b=1")
      answer.leadsTo = RedirectTarget(answer.address, shown: answer.address)
      return .success(answer)
    }
    let recorder = try Self.recorder(exchange, "\(scratch.path)/rec")
    var request = Self.request("a")
    request.body = RequestBody(Array("q=\(Self.canary)".utf8), type: "text/plain")
    for _ in 1...3 { _ = try? await recorder.send(request, into: nil) }
    let kept = Self.files(of: "\(scratch.path)/rec")
    #expect(kept.count == 2, "one body is not text")
    for (name, bytes) in kept {
      let text = String(decoding: bytes, as: UTF8.self)
      for echo in echoes + ["7f3a", "7F3A", "biscuit"] {
        #expect(!text.contains(echo), "\(name) holds \(echo)")
      }
      #expect(text.contains("***"))
      #expect(text.contains(#""body":"q=***""#) == (name == RecordingFile.name))
    }
  }

  @Test("gives back what came: text, bytes, failures, bodies that went into a sink or were cut")
  func roundTrip() async throws {
    let image: [UInt8] = [0xff, 0xd8, 0, 10, 13, 0xff]
    let exchange = ScriptedExchange { request, number in
      switch number {
      case 1: .success(Self.answer(request, 200, Array(#"{"a":"\u00e9 line\n"}"#.utf8)))
      case 2: .success(Self.answer(request, 404, image))
      case 3: .success(Self.answer(request, 200, image))
      case 4:
        .failure(
          ExchangeFailure(
            .reset, cause: .network, address: request.address, sentence: "gone", status: 200))
      default: .success(Self.answer(request, 304, []))
      }
    }
    func drive(_ exchange: any Exchange) async -> [String] {
      var told: [String] = []
      let targets: [(String, Bool)] = [
        ("a", false), ("a", false), ("image", true), ("a", false), ("a", false),
      ]
      for (target, isSunk) in targets {
        let sink = isSunk ? GatheringSink() : nil
        do {
          let answer = try await exchange.send(Self.request(target), into: sink)
          told.append(
            "\(answer.status) \(answer.fields.all) \(answer.body) \(answer.bodyBytes) "
              + "\(answer.sentAt.milliseconds) \(answer.duration) \(sink?.bytes ?? [])")
        } catch {
          told.append("\(error.kind) \(error.cause) \(error.sentence) \(error.status ?? 0)")
        }
      }
      return told
    }
    let recorder = try Self.recorder(exchange, "\(scratch.path)/rec")
    let time = recorder.timekeeper
    let before = await drive(recorder)
    try await time.sleep(.seconds(90))
    let drawn = (1...3).map { _ in time.random() }

    let replay = ReplayExchange(try ReplayFile("\(scratch.path)/rec"))
    let replayed = replay.timekeeper
    #expect(await drive(replay) == before)
    try await replayed.sleep(.seconds(90))
    #expect(replayed.now() == time.now() && replayed.elapsed() == time.elapsed())
    #expect((1...3).map { _ in replayed.random() } == drawn)
    #expect(replay.missing == nil)
    await #expect(throws: ExchangeFailure.self) {
      try await replay.send(Self.request("b"), into: nil)
    }
    #expect(replay.missing == "https://api.example/b")
  }

  @Test("is never written over another")
  func twice() throws {
    _ = try RecordingFile(creating: "\(scratch.path)/rec")
    #expect(throws: ExitReport.self) { try RecordingFile(creating: "\(scratch.path)/rec") }
  }

  @Test("with a time that no clock shows is refused")
  func times() throws {
    let lines = [
      #"{"recording":1,"trawl":"0","job":"shop","base":"https://api.example/","command":"run","#
        + #""arguments":[],"hasKey":false,"at":1,"seed":"7"}"#,
      #"{"sleep":1,"at":1,"elapsed":1}"#,
    ]
    for (old, new) in [("", ""), ("at", "\(Int64.max)"), ("elapsed", "9000000000000000000")] {
      let text = lines.joined(separator: "\n").replacing("\"\(old)\":1", with: "\"\(old)\":\(new)")
      let folder = "\(scratch.path)/rec-\(old)"
      mkdir(folder, 0o755)
      Golden.write(text, to: "\(folder)/\(RecordingFile.name)")
      if old.isEmpty {
        #expect(try ReplayFile(folder).sleeps.count == 1)
      } else {
        #expect(throws: ExitReport.self) { try ReplayFile(folder) }
      }
    }
    let path = "\(scratch.path)/rec-/\(RecordingFile.name)"
    Golden.write(lines[0].replacing("https://api.example/", with: ""), to: path)
    #expect(throws: ExitReport.self) { try ReplayFile("\(scratch.path)/rec-") }
    let none = #expect(throws: ExitReport.self) { try ReplayFile("\(scratch.path)/none") }
    #expect(none?.lines.first?.hasSuffix("No such file or directory; is it a recording?") == true)
  }

  @Test("of a run with a key does not hold it, and replays without one")
  func withKey() async throws {
    let trial = try CommandTrial()
    let recording = "\(trial.scratch.path)/rec"
    let first = try await trial.run(
      ["run", "github", "--record", recording, "--send-key-to", trial.sandbox.origin]
        + trial.github, environment: ["GITHUB_TOKEN": CommandTrial.canary], ends: .complete)
    let kept = Self.files(of: "\(recording)/github")
    #expect(!kept.isEmpty)
    for (name, bytes) in kept {
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(!text.contains(CommandTrial.canary), "\(name)")
    }
    let again = try await trial.run(
      ["run", "github", "--replay", recording, "--data", "\(trial.scratch.path)/other"],
      ends: .complete)
    let told = [first, again].map { $0.errors.split(separator: ",").prefix(4) }
    #expect(told[0] == told[1], "verdict, lists and records")
  }

  @Test("of a run with faults and images replays to the same rows and the same report")
  func endToEnd() async throws {
    let port = "\(scratch.path)/port"
    let sandbox = BinaryRun(
      "trawl-sandbox",
      ["--port-file", port, "--seed", "3", "--size", "small", "--faults", "plain=8%"])
    defer { if !sandbox.hasEnded { sandbox.kill(SIGTERM) } }
    try await until("the port file is there") { Golden.bytes(port)?.last == 10 }
    let number = (Golden.read(port) ?? "").trimmingBlanks
    let words = ["run", "github", "--set", "user=octocat", "--data"]
    let recording = "\(scratch.path)/rec"
    let first = await BinaryRun.run(
      "trawl",
      words + [
        "\(scratch.path)/a", "--record", recording, "--endpoint",
        "http://127.0.0.1:\(number)/github",
      ])
    // The server is gone: the replay has only the recording.
    sandbox.kill(SIGTERM)
    _ = await sandbox.end()
    let second = await BinaryRun.run(
      "trawl", words + ["\(scratch.path)/b", "--replay", recording])
    #expect(first.status == second.status && first.status <= 3, "\(first.errors)\(second.errors)")

    let reports = ["a", "b"].map { Self.files(of: "\(scratch.path)/\($0)/reports/github") }
    #expect(reports[0].count == 2)
    #expect(Set(reports[0].keys) == Set(reports[1].keys))
    // Byte for byte, including wall clock and the page with its images.
    for (name, text) in reports[0] { #expect(reports[1][name] == text, "\(name)") }
    let dumps = try ["a", "b"].map { try Self.rows(of: "\(scratch.path)/\($0)/trawl.db") }
    #expect(dumps[0].count > 100)
    #expect(dumps[0] == dumps[1])

    let own = await BinaryRun.run("trawl", ["run", "github", "--replay", recording])
    #expect(own.status == 64, "a replay needs a folder of its own: \(own.errors)")
    let other = await BinaryRun.run(
      "trawl",
      [
        "run", "github", "--set", "user=hubot", "--data", "\(scratch.path)/c", "--replay",
        recording,
      ], ends: 1, saying: "user=octocat")
    #expect(other.errors.contains("failed: the recording holds no answer"), "\(other.errors)")
    #expect(!other.errors.contains("signal"), "\(other.errors)")
    #expect(other.errors.contains("made by the command: run github --set user=octocat"))

    // The recorded run and its replays may be present, but no later run.
    let again = words + ["\(scratch.path)/b", "--replay", recording]
    #expect(await BinaryRun.run("trawl", again).status != 64)
    let replayed = "\(scratch.path)/b/trawl.db"
    try Database(replayed).change(
      "UPDATE trawl_runs SET began_at = '2999-01-01T00:00:00Z' WHERE run = 1")
    let rows = try Self.rows(of: replayed)
    await BinaryRun.run("trawl", again, ends: 64, saying: "since this recording was made")
    #expect(try Self.rows(of: replayed) == rows)
  }

  private static func files(of path: String) -> [String: [UInt8]] {
    let all = ScratchFolder.names(in: path).map { ($0, Golden.bytes("\(path)/\($0)") ?? []) }
    return Dictionary(uniqueKeysWithValues: all)
  }

  private static func rows(of path: String) throws -> [String] {
    let database = Database(path)
    let tables = try database.rows(
      "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    let rows = try tables.flatMap { table in
      try database.rows("SELECT * FROM \"\(table)\"").map { "\(table): \($0)" }
    }
    // The key's account is not part of a recording.
    return rows.filter { !$0.hasPrefix("trawl_facts: asker") }
  }
}
