import Base
@testable import Store
import TestSupport
internal import Testing

@Suite("Tables of a job file that was edited, or that somebody touched")
struct EditedJobTests {
  let fixture = Fixture()

  private static func job(
    into table: String = "things", list: String = "found", key: String = "id", extra: Bool = false
  ) -> Job {
    let columns = [Column.id, Column("slug")] + (extra ? [Column("more")] : [])
    return .things(columns, key: [key]) { stream in
      stream.table = table
      stream.membership = Membership(table: list, columns: [], keyNames: [key])
      stream.marksVanished = true
    }
  }

  private static func page(_ ids: [Int]) -> String {
    "[\(ids.map { "{\"id\": \($0), \"slug\": \"s\($0)\"}" }.joined(separator: ","))]"
  }

  private func walk(_ ids: [Int], _ store: RecordStore, _ mapping: UInt64) async throws {
    try await store.walk(things: Self.page(ids), prints: Fingerprints(request: 1, mapping: mapping))
  }

  @Test(
    "take the records of another table, or under another key, and keep the old lists aside",
    arguments: [("others", "found", "id"), ("things", "found", "slug"), ("others", "seen", "id")])
  func moved(table: String, list: String, key: String) async throws {
    let edited = Self.job(into: table, list: list, key: key)
    let store = try await fixture.open(Self.job())
    try await walk([1, 2], store, 1)
    let told = try await store.adopt(edited)
    #expect(told.contains { $0.contains("its old rows are in box_") }, "\(told)")
    #expect(try await store.adopt(edited) == [])
    try await walk([1, 2, 3], store, 2)
    #expect(try await store.prove().rowsHold)
    let counts = try ["box_\(table)", "box_\(list)", "box_\(list)_before_1"].map {
      try fixture.one("SELECT count(*) FROM \($0)")
    }
    #expect(counts == ["3", "3", "2"])
  }

  @Test(
    "begin a new list with all that was there: who leaves that night is marked",
    arguments: [nil, "thing"])
  func begun(name: String?) async throws {
    let before = Job.things([Column.id, Column("slug")]) { stream in
      stream.membership = name.map { Membership(table: "found", columns: [], keyNames: [$0]) }
      stream.marksVanished = true
    }
    let store = try await fixture.open(before)
    try await walk([1, 2, 3], store, 1)
    fixture.time.advance(by: .seconds(86_400))
    try await store.adopt(Self.job())
    try await walk([1, 2], store, 2)
    #expect(try fixture.gone("box_things") == ["3"])
    #expect(try fixture.gone("box_found") == ["3"])
    #expect(try await store.prove().rowsHold)
  }

  @Test("keep the rows of a list that got another name: who leaves that night is marked")
  func renamed() async throws {
    let store = try await fixture.open(Self.job())
    try await walk([1, 2, 3], store, 1)
    fixture.time.advance(by: .seconds(86_400))
    let told = try await store.adopt(Self.job(list: "seen"))
    #expect(told.first == "box_found is called box_seen now, with its rows")
    try await walk([1, 2], store, 2)
    #expect(try fixture.gone("box_seen") == ["3"])
    #expect(try fixture.gone("box_things") == ["3"])
    #expect(try fixture.rows("SELECT DISTINCT date(first_seen_at) FROM box_seen").count == 1)
    #expect(try fixture.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'box_found%'") == [])
    #expect(try await store.prove().rowsHold)
  }

  @Test(
    "are missed when somebody has removed one, whatever the job file says by now",
    arguments: [
      "DROP TABLE box_things", "DROP TABLE box_found", "ALTER TABLE box_things DROP COLUMN slug",
      "ALTER TABLE box_found RENAME TO elsewhere",
    ])
  func removed(harm: String) async throws {
    let store = try await fixture.open(Self.job())
    try await walk([1, 2], store, 1)
    await store.close()
    try fixture.alter("PRAGMA foreign_keys = OFF; \(harm)")
    for edited in [Self.job(), Self.job(extra: true)] {
      let again = try await fixture.openBare()
      let error = await #expect(throws: StoreError.self) { try await again.adopt(edited) }
      #expect(error?.kind == .damaged)
      #expect(error?.message.contains("trawl reset records box") == true)
      #expect(try await !again.prove().holds)
      await again.close()
    }
    // The cure that it names.
    let last = try await fixture.openBare()
    _ = try await last.reset(.records, of: "box")
    try await last.adopt(Self.job())
    try await walk([1, 2], last, 1)
    #expect(try await last.prove().rowsHold)
  }
}
