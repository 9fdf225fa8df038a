import Glibc
import TestSupport
import Testing

@Suite("A secret that a program prints", .prompt)
struct SecretProgramTests {
  private let home = Home()

  private static func job(_ base: String) -> String {
    Shelf.job(base: base, more: "auth: { to: \"header:X-Key\", secret: \"shelf-key\" },")
  }

  /// Writes the job, and settings with a program for its secret.
  private static func settings(_ home: Home, _ server: AnswerServer, _ words: String) {
    home.makeFolder("\(home.settings)/trawl/jobs")
    home.write(job(server.origin), to: "\(home.settings)/trawl/jobs/shelf.json5")
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
    let vault = Self.program(
      home, "echo called >>\(home.scratch.path)/calls; echo beside >&2; echo \"canary-$#\"")
    Self.settings(home, server, "\"\(vault)\", \"$(id); echo\"")
    // The record differs from the API's, which is reported.
    let ended = await home.run(
      Self.arguments(home, server), ends: 0, saying: "repeats one of the job's secrets")
    #expect(server.calls.first?.field("X-Key") == "canary-1")
    for word in ["beside", "canary"] { #expect(!ended.errors.holds(word), "\(ended.errors)") }
    let found = await home.shell("grep -rlaF canary \"$D\"")
    #expect(found.output.isEmpty, "\(found.output)")
    // Commands that only read run nothing; a run runs it once.
    await home.trawl("status", "mine", ends: 0)
    #expect(Golden.read("\(home.scratch.path)/calls") == "called\n")
    await home.run(["check", "mine", "--offline"], ends: 0)
    await home.run(
      ["check", "mine", "--send-key-to", server.origin], showing: "there, from the program \(vault)"
    )
  }

  @Test(
    "ends the run with 77 where there is none, and says why without what the program said",
    arguments: [
      ("echo 'no canary-1 for you' >&2; exit 3", "ended with 3"), ("true", "it is empty"),
      ("printf 'canary-1\\ncanary-2\\n'", "one line is due"),
    ])
  func fails(script: String, words: String) async throws {
    let server = AnswerServer { _ in .json("{\"items\": []}") }
    Self.settings(home, server, "\"\(Self.program(home, script))\"")
    await home.run(Self.arguments(home, server), ends: 77, saying: words, without: "canary")
    #expect(server.calls.isEmpty)
  }

  @Test("is said to come before a key that is kept")
  func precedes() async throws {
    let server = AnswerServer { _ in .json("{}") }
    Self.settings(home, server, "\"true\"")
    await home.shell(
      "echo canary-2 | \"$T\" key mine", ends: 0,
      saying:
        "names a program for \"shelf-key\", which takes precedence over the key that was kept",
      without: "canary")
  }

  @Test("that fails is noticed under a parent, too, that keeps no exit codes of children")
  func ignored() async throws {
    let server = AnswerServer { _ in .json("{\"items\": []}") }
    Self.settings(home, server, "\"\(Self.program(home, "echo canary-1; exit 3"))\"")
    let words = Self.arguments(home, server).joined(separator: " ")
    await home.shell("env --ignore-signal=CHLD \"$T\" \(words)", ends: 77, saying: "ended with 3")
    #expect(server.calls.isEmpty)
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
