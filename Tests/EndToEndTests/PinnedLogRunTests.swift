import Glibc
import SandboxKit
import TestSupport
import Testing

@Suite("A run beside a reader that never ends", .prompt)
struct PinnedLogRunTests {
  @Test("pauses with 75 at --max-wal and names the reader; the next run goes on without it")
  func pinned() async throws {
    let sandbox = try Sandbox.small(followers: 900, users: 1_200)
    defer { sandbox.stop() }
    let home = Home()
    let job = home.write(JobText.unlimited(pageSize: 20), to: "github.json5")
    let begun = await home.run(home.arguments(job, sandbox, ["--max-requests", "3"]))
    try #require(begun.status == 75, "\(begun.errors)")

    // A real sqlite3 with a transaction open, until a file says that it may end.
    let reader = Task {
      await home.shell(
        "sqlite3 -readonly \"$D/trawl.db\" 'BEGIN; SELECT count(*) FROM trawl_runs;' "
          + "'.shell touch \"$D-reading\"; while [ ! -e \"$D-enough\" ]; do sleep 0.05; done'")
    }
    try await until("the reader reads") { home.holds("\(home.data)-reading") }
    let paused = await home.run(home.arguments(job, sandbox, ["--max-wal", "150KB"]))
    #expect(paused.status == 75, "\(paused.status) \(paused.errors)")
    #expect(
      paused.errors.holds("--max-wal") && paused.errors.holds("(sqlite3)"), "\(paused.errors)")
    #expect(try Tables(home).verdicts()["followers of octocat"] == "paused")

    home.write("", to: "\(home.data)-enough")
    _ = await reader.value
    await home.run(home.arguments(job, sandbox, ["--max-wal", "150KB"]), ends: 0)
    try TruthTests.expectTruth(of: sandbox, in: home)
  }
}
