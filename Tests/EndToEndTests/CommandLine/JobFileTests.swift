import SandboxKit
import TestSupport
import Testing

/// `JobsTests` tests the table of mistakes; this tests that the program reports them.
@Suite("A job file with a slip", .prompt)
struct JobFileTests {
  private static let slips: [(String, String)] = [
    ("base: \"https://api.github.com\"", "base: \"ftp://api.github.com\""),
    ("get: \"/users/{user}\"", "get: \"/users/{usr}\""),
    ("params: {", "params: ["),
    ("/settings/tokens\",", "/settings/tokens\""),
  ]

  @Test("is refused with 78, file, line and column, before any request", arguments: slips)
  func refused(old: String, new: String) async throws {
    let sandbox = try Sandbox.small(followers: 10, users: 30)
    let home = Home()
    let parts = JobText.github.pieces(around: old)
    try #require(parts.count > 1, "jobs/github.json5 no longer holds \(old)")
    // The first occurrence only.
    let job = home.write(
      parts[0] + new + parts[1...].joined(separator: old), to: "github.json5")
    let ended = await home.run(home.arguments(job, sandbox))
    #expect(ended.status == 78, "\(new): \(ended.status) \(ended.errors)")
    // FILE:LINE:COLUMN: what is wrong, and what would be right.
    let places = ended.errors.split(separator: "\n").filter { line in
      guard line.hasPrefix("\(job):") else { return false }
      let parts = line.dropFirst(job.count + 1).split(separator: ":", maxSplits: 2)
      return parts.count == 3 && parts.prefix(2).allSatisfy { Int($0).map { $0 > 0 } ?? false }
        && parts[2].count > 10
    }
    #expect(!places.isEmpty, "\(ended.errors)")
    #expect(sandbox.requests().isEmpty)
    #expect(!home.holds(home.data))
  }
}
