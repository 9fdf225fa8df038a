import Base
@testable import Store
internal import Testing

@Suite("A reader that keeps the log from shrinking")
struct PinnedLogTests {
  let fixture = Fixture()

  @Test("is named, and pauses the run at the ceiling; without it nothing does")
  func pinned() async throws {
    let store = try await fixture.open { $0.logMax = 200_000 }
    try await store.walk((0..<20).map { people($0 * 100 + 1...$0 * 100 + 100) })
    #expect(store.log.pauseReason == nil, "a log as long as this is moved, since nobody reads it")

    let reader = try Connection(fixture.folder.databasePath, .readOnly)
    try reader.run("BEGIN")
    _ = try reader.integer("SELECT count(*) FROM people_users")
    try await store.walk((20..<40).map { people($0 * 100 + 1...$0 * 100 + 100) }, values: .user(2))
    let reason = try #require(store.log.pauseReason)
    #expect(reason.contains("--max-wal"), "\(reason)")
    #expect(reason.contains("still reads an older state"), "\(reason)")

    try reader.run("COMMIT")
    reader.close()
    try await store.walk([people(1...3)], values: .user(3))
    #expect(store.log.pauseReason == nil, "the reader has gone")
  }
}
