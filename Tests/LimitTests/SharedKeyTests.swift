import Glibc
import SandboxKit
import TestSupport
import Testing

/// Two real processes with folders of their own and one ledger, on one key.
@Suite("Two processes on one key", .prompt)
struct SharedKeyTests {
  static let quota = Torture.isOn ? 1000 : 150

  @Test("spend together exactly what the quota holds", arguments: 1...(Torture.isOn ? 20 : 1))
  func together(round: Int) async throws {
    var options = SandboxOptions(size: .small)
    options.gitHub.users = 12_000
    options.gitHub.followers = 10_000
    // The server would let everything through: only the ledger keeps count.
    options.gitHub.anonymousPerHour = 1_000_000
    let sandbox = try Sandbox.start(options)
    let scratch = ScratchFolder()
    let job = "\(scratch.path)/people.json5"
    Golden.write(Self.job(sandbox.endpoint(for: "github")), to: job)
    let processes = ["a", "b"].map { name in
      BinaryRun(
        "trawl",
        [
          "run", job, "--data", "\(scratch.path)/\(name)", "--ledger",
          "\(scratch.path)/ledger.db", "--max-wait", "0s", "--allow-loopback",
        ], environment: ["HOME": scratch.path, "XDG_CONFIG_HOME": "\(scratch.path)/config"])
    }
    for process in processes {
      let ended = await process.end()
      #expect(ended.status == 75, "\(ended.errors)")
    }
    #expect(sandbox.requests(api: "github").count == Self.quota, "round \(round)")
    // A job that was run from a path is not found by its name; its quota is still reported.
    let status = await BinaryRun.run(
      "trawl",
      ["status", "people", "--data", "\(scratch.path)/a", "--ledger", "\(scratch.path)/ledger.db"],
      environment: ["HOME": scratch.path])
    #expect(
      status.output.contains("all: 0 of \(Self.quota.formatted) left"), "\(status.output)")
    #expect(status.output.contains("used by people \(Self.quota.formatted)"), "\(status.output)")
  }

  static func job(_ base: String) -> String {
    """
    {
      name: "people", about: "a long list of people", base: "\(base)",
      quotas: { all: { allow: \(quota), per: "hour" } },
      streams: {
        followers: {
          get: "/users/octocat/followers",
          pages: { by: "link", size: "?per_page=10" },
          records: ".", into: "users", key: ["id"],
          columns: { id: "id as integer", login: "login" },
        },
      },
    }
    """
  }
}

extension Int {
  /// `1,000`.
  fileprivate var formatted: String { self < 1000 ? "\(self)" : "\(self / 1000),000" }
}
