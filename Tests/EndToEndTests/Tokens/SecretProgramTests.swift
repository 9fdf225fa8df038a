import Glibc
import TestSupport
import Testing

@Suite("A secret that a program prints", .prompt)
struct SecretProgramTests {
  private let home = Home()

  private static func job(_ base: String) -> String {
    Shelf.job(
      base: base,
      more: "auth: { to: \"header:X-Key\", secret: \"shelf-key\" },")
  }

  private static func settings(_ home: Home, _ words: String, more: String = "") {
    home.makeFolder("\(home.settings)/trawl/jobs")
    home.write(
      "{ name: \"mine\", use: \"shelf\", secrets: { \"shelf-key\": [\(words)] } }",
      to: "\(home.settings)/trawl/jobs/mine.json5")
  }

  private static func program(_ home: Home, _ text: String) -> String {
    home.write("#!/bin/sh\n\(text)\n", to: "vault", mode: 0o755)
  }

  private static func arguments(_ home: Home, _ server: AnswerServer) -> [String] {
    ["run", "mine", "--data", home.data, "--send-key-to", server.origin]
  }

  @Test("is sent as it is; its words go to no shell, and what it says beside is not shown")
  func printed() async throws {
    let server = AnswerServer { _ in .json("{\"items\": [{\"id\": 1, \"title\": \"canary-1\"}]}") }
    home.makeFolder("\(home.settings)/trawl/jobs")
    home.write(Self.job(server.origin), to: "\(home.settings)/trawl/jobs/shelf.json5")
    let vault = Self.program(
      home, "echo called >>\(home.scratch.path)/calls; echo beside >&2; echo \"canary-$#\"")
    Self.settings(home, "\"\(vault)\", \"$(id); echo\"")
    let ended = await home.run(Self.arguments(home, server))
    #expect(ended.status == 0 && !ended.errors.holds("beside"), "\(ended.errors)")
    #expect(server.calls.first?.field("X-Key") == "canary-1")
    #expect(!ended.errors.holds("canary"), "\(ended.errors)")
    // The record differs from the API's, which is reported.
    #expect(ended.errors.holds("repeats one of the job's secrets"), "\(ended.errors)")
    let found = await home.shell("grep -rlaF canary \"$D\"")
    #expect(found.output.isEmpty, "\(found.output)")
    // Commands that only read run nothing; a run runs it once.
    await home.trawl("status", "mine", ends: 0)
    let calls = await home.shell("cat \(home.scratch.path)/calls")
    #expect(calls.output == "called\n")
    await home.run(["check", "mine", "--offline"], ends: 0)
    await home.run(
      ["check", "mine", "--send-key-to", server.origin], showing: "there, from the program \(vault)"
    )
  }

  struct Failure: Sendable, CustomTestStringConvertible {
    var script: String
    var words: String
    var testDescription: String { words }
  }

  @Test(
    "ends the run with 77 where there is none, and says why without what the program said",
    arguments: [
      Failure(
        script: "echo 'no canary-1 for you' >&2; exit 3",
        words: "ended with 3"),
      Failure(script: "true", words: "it is empty"),
      Failure(script: "printf 'canary-1\\ncanary-2\\n'", words: "one line is due"),
    ])
  func fails(_ failure: Failure) async throws {
    let server = AnswerServer { _ in .json("{\"items\": []}") }
    home.makeFolder("\(home.settings)/trawl/jobs")
    home.write(Self.job(server.origin), to: "\(home.settings)/trawl/jobs/shelf.json5")
    Self.settings(home, "\"\(Self.program(home, failure.script))\"")
    let ended = await home.run(Self.arguments(home, server), ends: 77, saying: failure.words)
    #expect(!ended.errors.holds("canary") && server.calls.isEmpty, "\(ended.errors)")
  }

  @Test("is never named by a job file")
  func notByJob() async throws {
    let text = Self.job("https://api.example.com").pieces(around: "secret: \"shelf-key\"")
      .joined(separator: "secret: { exec: [\"touch\", \"\(home.scratch.path)/ran\"] }")
    let job = home.write(text, to: "shelf.json5")
    await home.run(
      ["check", job, "--offline"], ends: 78, showing: "\"exec\" must be the name of a secret")
    #expect(!home.holds("\(home.scratch.path)/ran"))
  }
}
