import Base
@testable import Store
internal import TestSupport
internal import Testing

@Suite("A stored count that is no count any more")
struct DamagedCountTests {
  private let fixture = Fixture()

  @Test(
    "is found by the proof, and stops neither it nor what resumes the walk",
    arguments: ["trawl_pages", "trawl_certificates", "trawl_windows", "trawl_lists"],
    [Int64.max, .min])
  func counts(table: String, value: Int64) async throws {
    let store = try await fixture.walked(1...3)
    try await store.store([people([1]), people([3, 4])])
    await store.close()
    let sound = "\(fixture.scratch.path)/sound.db"
    try fixture.copyDatabase(from: fixture.folder.databasePath, to: sound)
    let columns = try fixture.rows(
      "SELECT name FROM pragma_table_info('\(table)') WHERE type = 'INTEGER' AND pk = 0 "
        + "AND name NOT IN ('list_number', 'window', 'seal')")
    #expect(columns.count > 1)
    for column in columns {
      try fixture.alter(
        "PRAGMA ignore_check_constraints = ON; UPDATE \(table) SET \(column) = \(value)")
      #expect(try await !fixture.prove().holds, "\(column)")
      let damaged = try await fixture.openBare()
      do {
        try await damaged.adopt(.people())
        try await damaged.walk([people(1...5)])
        _ = try await damaged.overview()
      } catch is StoreError {
        // Where SQLite itself can add no more, a sentence ends the run.
      }
      await damaged.close()
      try fixture.copyDatabase(from: sound, to: fixture.folder.databasePath)
    }
  }

  @Test(
    "at the end of numbers stops what would count on from it, with a sentence",
    arguments: ["change", "generation", "asker"])
  func next(fact: String) async throws {
    let store = try await fixture.walked(1...3)
    _ = try await store.era(of: "people", askedBy: "a")
    try await store.raiseGenerations()
    await store.close()
    try fixture.alter("UPDATE trawl_facts SET fact = \(Int64.max) WHERE kind = '\(fact)'")
    let damaged = try await fixture.open()
    let error = await #expect(throws: StoreError.self) {
      try await damaged.walk([people(1...5)])
      try await damaged.raiseGenerations()
      _ = try await damaged.era(of: "people", askedBy: "b")
    }
    #expect(error?.kind == .damaged)
  }
}
