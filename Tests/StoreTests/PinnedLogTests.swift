internal import Glibc
import Base
@testable import Store
internal import Testing

@Suite("A reader that keeps the log from shrinking")
struct PinnedLogTests {
  let fixture = Fixture()

  @Test("is named, and pauses the run at the ceiling; without it nothing does")
  func pinned() async throws {
    var settings = fixture.settings
    settings.logMax = 200_000
    let store = try await RecordStore.open(fixture.folder, settings)
    _ = try await store.adopt(.people(), origin: Fixture.origin)
    try await store.walk((0..<20).map { people($0 * 100 + 1...$0 * 100 + 100) })
    #expect(store.log.pauseReason == nil, "a log as long as this is moved, since nobody reads it")

    let reader = try Connection(fixture.folder.databasePath, .readOnly)
    try reader.run("BEGIN")
    _ = try reader.integer("SELECT count(*) FROM people_users")
    try await store.walk(
      (20..<40).map { people($0 * 100 + 1...$0 * 100 + 100) }, stream: "followers",
      values: [.init("user", "2")])
    let reason = try #require(store.log.pauseReason)
    #expect(reason.contains("--max-wal") && reason.contains("process \(getpid())"), "\(reason)")

    try reader.run("COMMIT")
    reader.close()
    try await store.walk([people(1...3)], values: [.init("user", "3")])
    #expect(store.log.pauseReason == nil, "the reader has gone")
  }

  @Test("names its readers in one sentence, and the number of those that would make it too long")
  func sentence() {
    func hold(_ readers: Int) -> String {
      HeldLog(bytes: 1, readers: (0..<readers).map { "process \($0)" }).hold
    }
    #expect(hold(0) == "a reader that cannot be named from here still reads an older state of it")
    #expect(hold(1) == "process 0 still reads an older state of it")
    #expect(hold(2) == "process 0 and process 1 still read an older state of it")
    #expect(
      hold(4) == "process 0, process 1, process 2 and process 3 still read an older state of it")
    #expect(
      hold(9) == "process 0, process 1, process 2 and 6 others still read an older state of it")
  }
}
