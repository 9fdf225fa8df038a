import SandboxKit
import TestSupport
import Testing

@Suite("A disk that is full", .prompt, .enabled(if: SmallDisk.isPossible))
struct FullDiskTests {
  /// Beside what the files of an empty database take.
  @Test(
    "ends a run with 74 and a clear line; the database is whole, and goes on once there is room",
    arguments: [900_000, 1_400_000])
  func full(room: Int) async throws {
    let disk = try #require(SmallDisk(bytes: 24 << 20))
    let sandbox = try Sandbox.small(followers: 1_500, users: 2_000)
    defer { sandbox.stop() }
    let home = Home()
    let job = home.write(JobText.unlimited(), to: "github.json5")
    let data = "\(disk.path)/data"
    let arguments = [
      "run", job, "--endpoint", sandbox.endpoint(for: "github"), "--data", data,
    ]
    disk.fill(leaving: room)
    let stopped = await home.run(arguments)
    #expect(stopped.status == 74, "\(stopped.status) \(stopped.errors)")
    #expect(stopped.errors.holds("full") || stopped.errors.holds("No space"), "\(stopped.errors)")
    let tables = Tables(path: "\(data)/trawl.db")
    #expect(try tables.texts("PRAGMA integrity_check") == ["ok"])
    #expect(try tables.texts("PRAGMA foreign_key_check") == [])

    disk.makeRoom()
    let ended = await home.run(arguments, ends: 0)
    let truth = try #require(sandbox.truth("github"))
    let due = try #require(truth.list("followers", of: "octocat")).keys
    let own = "user_id = (SELECT id FROM github_users WHERE login = 'octocat')"
    #expect(
      try tables.count("SELECT count(*) FROM github_follows WHERE \(own)") == Set(due).count)
    #expect(try tables.texts("PRAGMA integrity_check") == ["ok"])
    // Less than 500 MB are free here: images wait, and that is no failure.
    #expect(ended.errors.holds("less than 500 MB are free on the disk"), "\(ended.errors)")
    #expect(try tables.count("SELECT count(*) FROM trawl_media") == 0)
  }
}
