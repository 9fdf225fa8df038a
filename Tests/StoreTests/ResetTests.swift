import Base
import Store
internal import Testing

@Suite("A reset")
struct ResetTests {
  let fixture = Fixture()

  private let list = RecordStore.ListKey(
    job: "people", unit: Unit(stream: "followers", values: .user(1)),
    prints: Fixture.prints)

  @Test("a job that was backfilled is forgotten whole: the file proves, and a new job begins in it")
  func backfilled() async throws {
    let store = try await fixture.walked(1...3)
    try await store.noteDensity(0.5, of: list)
    _ = try await store.reset(.records, of: "people")
    #expect(try await store.prove().findings == [])
    try await store.adopt(.things([Column.id]))
  }

  @Test("of what a reset deletes nothing is left in the file")
  func overwritten() async throws {
    let store = try await fixture.open()
    func isLeft() throws -> Bool {
      try fixture.alter("PRAGMA wal_checkpoint(TRUNCATE)")
      return String(decoding: try fixture.bytes(), as: UTF8.self).contains("whoever-this-is")
    }
    try await store.walk([people(1...40) { "whoever-this-is-\($0)" }])
    #expect(try isLeft())
    _ = try await store.reset(.records, of: "people")
    #expect(try !isLeft())
    #expect(try await store.prove().findings == [])
  }
}
