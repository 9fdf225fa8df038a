import Glibc
import Base
@testable import Commands
import SandboxKit
import TestSupport
import Testing

/// Runs commands in-process and captures their output, against a sandbox of its own, in its own folders and time: the
/// clock stands still except for waits, which take no real time, and a second after each command. So however busy the
/// machine, no quota window ends before the test says so.
final class CommandTrial: Sendable {
  struct Ended: Sendable {
    var status: Commands.ExitStatus
    var output: String
    var errors: String

    var everything: String { output + errors }
    var lines: [String] { output.split(separator: "\n").map(String.init) }
    var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
    /// The whole output as one document.
    var json: JSONValue {
      get throws { try JSONDocument.read(Array(output.utf8)).root }
    }
    var jsonLines: [JSONValue] {
      get throws { try lines.map { try JSONDocument.read(Array($0.utf8)).root } }
    }
  }

  let scratch = ScratchFolder()
  let sandbox: Sandbox
  let time: VirtualTime
  /// A key that must never appear.
  static let canary = "canary-7f3a91e2"

  /// - Parameter ahead: how far the server's clock is ahead.
  init(
    _ options: SandboxOptions = SandboxOptions(size: .small), time: VirtualTime = VirtualTime(),
    ahead: Duration = .zero
  ) throws {
    self.time = time
    var options = options
    options.time = time.timekeeper
    options.time.now = { time.now + ahead }
    sandbox = try Sandbox.start(options)
  }

  deinit { sandbox.stop() }

  var data: String { "\(scratch.path)/data" }
  var github: [String] { ["--endpoint", sandbox.endpoint(for: "github"), "--data", data] }

  /// - Parameters:
  ///   - status: the required exit status.
  ///   - said: words that its errors must contain; `shown`: words that its output must contain.
  func run(
    _ arguments: [String], environment: [String: String] = [:],
    facts: TerminalFacts = TerminalFacts(), ends status: Commands.ExitStatus?, said: [String],
    shown: [String] = [], at place: SourceLocation
  ) async throws -> Ended {
    let home = ["HOME": "\(scratch.path)/home", "TMPDIR": scratch.path]
    defer { time.advance(by: .seconds(1)) }
    let ended = try await watch(facts) { console in
      await Program.perform(
        arguments, Environment(home.merging(environment) { $1 }), console, nil, time.timekeeper)
    }
    if let status {
      #expect(ended.status == status, "\(ended.everything)", sourceLocation: place)
    }
    Words.expect(said, in: ended.errors, at: place)
    Words.expect(shown, in: ended.output, at: place)
    return ended
  }

  @discardableResult
  func run(
    _ arguments: [String], environment: [String: String] = [:],
    facts: TerminalFacts = TerminalFacts(), ends status: Commands.ExitStatus? = nil,
    saying: String..., showing: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Ended {
    try await run(
      arguments, environment: environment, facts: facts, ends: status, said: saying,
      shown: showing, at: sourceLocation)
  }

  /// Runs a command on the trial's data folder; words are separated by blanks: `status github --json`.
  @discardableResult
  func run(
    _ line: String, environment: [String: String] = [:], facts: TerminalFacts = TerminalFacts(),
    ends status: Commands.ExitStatus? = nil, saying: String..., showing: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Ended {
    try await run(
      line.split(separator: " ").map(String.init) + ["--data", data], environment: environment,
      facts: facts, ends: status, said: saying, shown: showing, at: sourceLocation)
  }

  /// The same with each word by itself.
  @discardableResult
  func trawl(
    _ words: String..., environment: [String: String] = [:],
    facts: TerminalFacts = TerminalFacts(), ends status: Commands.ExitStatus? = nil,
    saying: String..., showing: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Ended {
    try await run(
      words + ["--data", data], environment: environment, facts: facts, ends: status,
      said: saying, shown: showing, at: sourceLocation)
  }

  /// The words of a command that reads a job from the sandbox: `backfill github --from 2015`.
  func words(_ line: String) -> [String] {
    let words = line.split(separator: " ").map(String.init)
    return words + ["--endpoint", sandbox.endpoint(for: words[1]), "--data", data]
  }

  /// What the command of a command line gets.
  func context(
    _ words: [String], console: Console = Console(facts: TerminalFacts())
  ) throws -> CommandContext {
    guard case .command(let invocation) = try ArgumentReader(now: time.now).read(words) else {
      throw UsageProblem("\(words) is no command")
    }
    return CommandContext(
      invocation: invocation, environment: Environment(["HOME": "\(scratch.path)/home"]),
      console: console, interruption: nil, time: time.timekeeper)
  }

  /// Captures the output of a body.
  func watch(
    _ facts: TerminalFacts = TerminalFacts(), _ body: (Console) async throws -> Commands.ExitStatus
  ) async throws -> Ended {
    let files = ScratchFolder()
    let output = open("\(files.path)/out", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    let errors = open("\(files.path)/err", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    try #require(output >= 0 && errors >= 0)
    defer {
      close(output)
      close(errors)
    }
    let console = Console(facts: facts, output: output, error: errors)
    let status = try await body(console)
    #expect(console.finish() == nil)
    return Ended(
      status: status, output: Golden.read("\(files.path)/out") ?? "",
      errors: Golden.read("\(files.path)/err") ?? "")
  }

  /// A command line as advised for the trial's folder.
  func advice(_ line: String) -> String {
    let words = line.split(separator: " ", maxSplits: 2)
    return "\(words[0]) \(words[1]) --data \(data) \(words[2])"
  }

  /// Writes a job on the sandbox's GitHub, to be found by name.
  func keep(job name: String, columns: String = "login: \"login\"") {
    keep(
      job: name,
      text: """
        {
          name: "\(name)", about: "a list of people", base: "\(sandbox.endpoint(for: "github"))",
          params: { user: { default: ["octocat"], about: "whose followers" } },
          streams: {
            followers: {
              get: "/users/{user}/followers",
              pages: { by: "link", size: "?per_page=30" },
              records: ".", into: "users", key: ["id"],
              columns: { id: "id as integer", \(columns) },
            },
          },
        }
        """)
  }

  func keep(job name: String, text: String) {
    for folder in ["home", "home/.config", "home/.config/trawl", "home/.config/trawl/jobs"] {
      mkdir("\(scratch.path)/\(folder)", 0o700)
    }
    Golden.write(text, to: file(of: name))
  }

  /// The path of such a job.
  func file(of job: String) -> String {
    "\(scratch.path)/home/.config/trawl/jobs/\(job).json5"
  }

  /// Replaces words in such a file.
  func edit(_ job: String, _ words: String, to others: String) {
    Golden.write(
      (Golden.read(file(of: job)) ?? "").replacing(words, with: others), to: file(of: job))
  }

  var database: Database { Database("\(data)/trawl.db") }
  func rows(_ sql: String) throws -> [String] { try database.rows(sql, null: "") }
  func change(_ sql: String) throws { try database.change(sql) }

  func exists(_ name: String) -> Bool { access("\(scratch.path)/\(name)", F_OK) == 0 }
}
