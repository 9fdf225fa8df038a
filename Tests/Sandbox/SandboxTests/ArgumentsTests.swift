import Glibc
import SandboxKit
import TestSupport
import Testing

@Suite("The command line of trawl-sandbox")
struct ArgumentsTests {
  private struct Unexpected: Error {}

  private static func parsed(_ words: [String]) throws -> SandboxArguments {
    guard case .serve(let arguments) = try SandboxArguments.parse(words) else {
      throw Unexpected()
    }
    return arguments
  }

  @Test("reads every option in both spellings, in any order")
  func options() throws {
    let words = [
      "--faults", "drip=5%", "--port=4000", "--port-file", "p", "--seed=18446744073709551615",
      "--drift", "3", "--plan=business", "--until-stdin-closes", "--size", "large",
    ]
    let arguments = try Self.parsed(words)
    #expect(arguments.options.port == 4000)
    #expect(arguments.options.seed == .max)
    #expect(arguments.options.size == .large)
    #expect(arguments.options.gitHub.users == GitHubOptions(.large).users)
    #expect(arguments.options.plan == .business)
    #expect(arguments.options.drift == 3)
    #expect(arguments.options.faults.shares.map(\.share) == [0.05])
    #expect(arguments.portFile == "p")
    #expect(arguments.endsWithStandardInput)
  }

  @Test("is the demo of seed 1 without arguments")
  func defaults() throws {
    let arguments = try Self.parsed([])
    #expect(arguments.options.size == .demo)
    #expect(arguments.options.seed == 1)
    #expect(arguments.options.port == 0)
    #expect(arguments.options.faults.shares.isEmpty)
  }

  @Test(
    "refuses what it does not know, with a hint",
    arguments: [
      (["--sed", "1"], "did you mean --seed?"), (["--size", "dmo"], "did you mean \"demo\"?"),
      (["--port", "70000"], "from 0 to 65535"), (["--port"], "needs a value"),
      (["--help=x"], "takes no value"), (["--seed", "-1"], "whole number"),
      (["serve"], "--help lists"), (["--faults", "dripp=1"], "did you mean \"drip\"?"),
      (["--plan", "gold"], "one of developer, business"), (["--port-file="], "name of a file"),
      (["--drift", "1e3"], "from 0 to 1000"),
    ])
  func problems(words: [String], hint: String) {
    let problem = #expect(throws: SandboxArguments.Problem.self) {
      try SandboxArguments.parse(words)
    }
    #expect(problem?.description.contains(hint) == true, "\(problem?.description ?? "")")
  }

  @Test("--help tells every fault, every API and every control path within 100 columns")
  func help() throws {
    guard case .show(let text) = try SandboxArguments.parse(["--help"]) else {
      Issue.record("no help")
      return
    }
    for kind in FaultKind.allCases { #expect(text.contains("\n  \(kind.rawValue) ")) }
    for api in Sandbox.apis { #expect(text.contains("\n  /\(api)  ")) }
    for path in ["truth", "requests", "drift", "fault/KIND", "reset-log", "echo"] {
      #expect(text.contains("/_sandbox/\(path)"))
    }
    for line in text.split(separator: "\n") { #expect(line.utf8.count <= 100, "\(line)") }
  }

  @Test("the program writes its port file whole, serves, and ends by the signal it gets")
  func program() async throws {
    let folder = ScratchFolder()
    let file = "\(folder.path)/port"
    let run = BinaryRun("trawl-sandbox", ["--size", "small", "--port-file", file])
    let client = RawClient(port: try await Self.port(in: file))
    #expect(try await client.get("/github/users/octocat").status == 200)
    run.kill(SIGTERM)
    let ended = await run.end()
    #expect(ended.wasSignalled && ended.status == 128 + SIGTERM)
    #expect(ended.output == "trawl-sandbox listens on http://127.0.0.1:\(client.port)\n")
    #expect(access(file, F_OK) != 0, "the port of a server that is gone misleads")
  }

  @Test("the program ends with 0 when its input does, and with 64 for a wrong option")
  func ends() async throws {
    let closed = await BinaryRun.run("trawl-sandbox", ["--until-stdin-closes"])
    #expect(closed.status == 0 && !closed.wasSignalled)
    let wrong = await BinaryRun.run("trawl-sandbox", ["--prot", "1"])
    #expect(wrong.status == 64)
    #expect(wrong.errors.contains("did you mean --port?"))
    #expect(wrong.output.isEmpty)
    let unwritable = await BinaryRun.run("trawl-sandbox", ["--port-file", "/no/such/folder/port"])
    #expect(unwritable.status == 73)
  }

  /// The port, as soon as the file has its name; the program writes it before anything else.
  private static func port(in file: String) async throws -> Int {
    try await until("the port file is there") { access(file, F_OK) == 0 }
    let stream = try #require(fopen(file, "re"))
    defer { fclose(stream) }
    var buffer = [UInt8](repeating: 0, count: 16)
    let count = fread(&buffer, 1, buffer.count, stream)
    let text = String(decoding: buffer[..<count], as: UTF8.self)
    #expect(text.hasSuffix("\n"), "the file is there before it is whole")
    return try #require(Int(text.dropLast()))
  }
}
