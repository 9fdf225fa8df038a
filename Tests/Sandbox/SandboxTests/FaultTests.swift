@testable import Base
@testable import SandboxKit
import TestSupport
import Testing

@Suite("A fault of the sandbox", .prompt)
struct FaultTests {
  @Test("meets the share of the requests that was asked for, the same ones for the same seed")
  func shares() async throws {
    let faults = try FaultSpec(parsing: "status500=10%,429-seconds=0.05,reset-early=0.05")
    var runs: [[String]] = []
    for seed: UInt64 in [7, 7, 8] {
      let outcomes = try await withSandbox(
        {
          $0.faults = faults
          $0.seed = seed
        }
      ) { sandbox, client in
        for _ in 0..<400 {
          // Some of them end in a reset.
          _ = try? await client.get("/github/rate_limit")
        }
        return sandbox.requests().map(\.outcome)
      }
      runs.append(outcomes)
    }
    #expect(runs[0] == runs[1])
    #expect(runs[0] != runs[2])
    // 80 of 400 are expected; six standard deviations are 48.
    #expect((32...128).contains(runs[0].filter { $0 != "answered" }.count))
    #expect(Set(runs[0]) == ["answered", "status500", "429-seconds", "reset-early"])
  }

  @Test("can be armed for one request: the second page of followers, twice")
  func armed() async throws {
    try await withSandbox { sandbox, client in
      sandbox.arm(ArmedFault(.status503, target: "&page=2", count: 2))
      let control = "/_sandbox/arm?fault=429-none&target=/users/octocat?x&skip=1"
      _ = try await client.get(control)
      let path = "/github/users/octocat/followers?per_page=10"
      var statuses: [Int] = []
      for target in [
        path, path + "&page=2", path + "&page=2", path + "&page=2", "/github/users/octocat?x",
        "/github/users/octocat?x", "/github/users/octocat?x",
      ] {
        statuses.append(try await client.get(target).status)
      }
      #expect(statuses == [200, 503, 503, 200, 200, 429, 200])
      sandbox.arm(ArmedFault(.status500))
      _ = try await client.get("/_sandbox/disarm")
      #expect(try await client.get(path).status == 200)
      #expect(try await client.get("/_sandbox/arm?fault=none").status == 404)
    }
  }
}
