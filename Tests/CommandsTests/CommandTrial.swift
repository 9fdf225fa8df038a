import Glibc
import Model
import SandboxKit
import TestSupport
import Testing

@testable import Commands

/// Commands as a person types them, through the library, with what they said; against a sandbox of
/// its own and in folders of its own.
final class CommandTrial: Sendable {
  struct Ended: Sendable {
    var status: Commands.ExitStatus
    var output: String
    var errors: String

    var everything: String { output + errors }
    var lines: [String] { output.split(separator: "\n").map(String.init) }
    var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
  }

  let scratch = ScratchFolder()
  let sandbox: Sandbox
  /// The key that must never be seen.
  static let canary = "canary-7f3a91e2"

  init(_ options: SandboxOptions = SandboxOptions(size: .small)) throws {
    sandbox = try Sandbox.start(options)
  }

  deinit { sandbox.stop() }

  var data: String { "\(scratch.path)/data" }
  var github: [String] { ["--endpoint", sandbox.endpoint(for: "github"), "--data", data] }

  func run(
    _ arguments: [String], environment: [String: String] = [:],
    facts: TerminalFacts = TerminalFacts()
  ) async throws -> Ended {
    let home = ["HOME": "\(scratch.path)/home", "TMPDIR": scratch.path]
    return try await watch(facts) { console in
      await Program.perform(
        arguments, Environment(home.merging(environment) { $1 }), console, nil)
    }
  }

  /// The day is the test's; the clock goes on as the machine's does, so that no wait that ticks
  /// moves the day.
  static func calendar(_ time: VirtualTime) -> Timekeeper {
    let (live, own) = (Timekeeper.live, time.timekeeper)
    let began = live.elapsed()
    return Timekeeper(
      now: { own.now() + (live.elapsed() - began) },
      elapsed: { own.elapsed() + live.elapsed() }, sleep: live.sleep, random: own.random)
  }

  /// The same under a clock of the test's own.
  func run(_ arguments: [String], at time: Timekeeper) async throws -> Ended {
    let request = try ArgumentReader(table: .shipped, now: time.now()).read(arguments)
    guard case .command(let invocation) = request else { throw CancellationError() }
    let environment = Environment(["HOME": "\(scratch.path)/home"])
    return try await watch(TerminalFacts()) { console in
      do {
        return try await CommandTable.perform(invocation, environment, console, nil, time)
      } catch let ending as ExitReport {
        ending.tell(on: console)
        return ending.status
      }
    }
  }

  /// What is said while a body runs.
  private func watch(
    _ facts: TerminalFacts, _ body: (Console) async throws -> Commands.ExitStatus
  ) async throws -> Ended {
    let files = ScratchFolder()
    let output = open("\(files.path)/out", O_RDWR | O_CREAT, 0o600)
    let errors = open("\(files.path)/err", O_RDWR | O_CREAT, 0o600)
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

  /// A job of a test's own on the sandbox's GitHub, found by its name.
  func keep(job name: String, columns: String) {
    for folder in ["home", "home/.config", "home/.config/trawl", "home/.config/trawl/jobs"] {
      mkdir("\(scratch.path)/\(folder)", 0o700)
    }
    Golden.write(
      """
      {
        name: "\(name)", about: "a list of people", base: "\(sandbox.endpoint(for: "github"))",
        params: { user: { default: ["octocat"], about: "whose followers" } },
        streams: {
          followers: {
            get: "/users/{user}/followers",
            pages: { by: "link", size: { param: "per_page", value: 30 } },
            records: ".", into: "users", key: ["id"],
            columns: { id: "id as integer", \(columns) },
          },
        },
      }
      """, to: "\(scratch.path)/home/.config/trawl/jobs/\(name).json5")
  }

  func exists(_ name: String) -> Bool { access("\(scratch.path)/\(name)", F_OK) == 0 }
}
