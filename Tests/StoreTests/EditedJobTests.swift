import Base
@testable import Store
import TestSupport
internal import Testing

@Suite("Tables of a job file that was edited, or that somebody touched")
struct EditedJobTests {
  let fixture = Fixture()

  private func job(
    into table: String = "things", list: String = "found", key: String = "id", extra: Bool = false
  ) -> Job {
    let columns = [Column("id", nil, .integer), Column("slug")] + (extra ? [Column("more")] : [])
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

  @Test("take the records of another table, or under another key, and keep the old lists aside")
  func moved() async throws {
    for edited in [job(into: "others"), job(key: "slug"), job(into: "others", list: "seen")] {
      let one = EditedJobTests()
      let store = try await one.fixture.open(job())
      try await one.walk([1, 2], store, 1)
      let told = try await store.adopt(edited, origin: Fixture.origin)
      #expect(told.contains { $0.contains("its old rows are in box_") }, "\(told)")
      #expect(try await store.adopt(edited, origin: Fixture.origin) == [])
      try await one.walk([1, 2, 3], store, 2)
      #expect(try await store.prove().rowsHold)
      let stream = edited.streams[0]
      let list = "box_\(stream.membership?.table ?? "")"
      #expect(try one.fixture.one("SELECT count(*) FROM box_\(stream.table)") == "3")
      #expect(try one.fixture.one("SELECT count(*) FROM \(list)") == "3")
      #expect(try one.fixture.one("SELECT count(*) FROM \(list)_before_1") == "2")
      await store.close()
    }
  }

  @Test(
    "begin a new list with all that was there: who leaves that night is marked",
    arguments: [nil, "thing"])
  func begun(name: String?) async throws {
    let before = Job.things([Column("id", nil, .integer), Column("slug")]) { stream in
      stream.membership = name.map { Membership(table: "found", columns: [], keyNames: [$0]) }
      stream.marksVanished = true
    }
    let store = try await fixture.open(before)
    try await walk([1, 2, 3], store, 1)
    fixture.time.advance(by: .seconds(86_400))
    _ = try await store.adopt(job(), origin: Fixture.origin)
    try await walk([1, 2], store, 2)
    let gone = "WHERE vanished_at IS NOT NULL"
    #expect(try fixture.rows("SELECT id FROM box_things \(gone)") == ["3"])
    #expect(try fixture.rows("SELECT id FROM box_found \(gone)") == ["3"])
    #expect(try await store.prove().rowsHold)
  }

  @Test("keep the rows of a list that got another name: who leaves that night is marked")
  func renamed() async throws {
    let store = try await fixture.open(job())
    try await walk([1, 2, 3], store, 1)
    fixture.time.advance(by: .seconds(86_400))
    let told = try await store.adopt(job(list: "seen"), origin: Fixture.origin)
    #expect(told.first == "box_found is called box_seen now, with its rows")
    try await walk([1, 2], store, 2)
    let gone = "WHERE vanished_at IS NOT NULL"
    #expect(try fixture.rows("SELECT id FROM box_seen \(gone)") == ["3"])
    #expect(try fixture.rows("SELECT id FROM box_things \(gone)") == ["3"])
    #expect(try fixture.rows("SELECT DISTINCT date(first_seen_at) FROM box_seen").count == 1)
    #expect(
      try fixture.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'box_found%'") == [])
    #expect(try await store.prove().rowsHold)
  }

  @Test("are missed when somebody has removed one, whatever the job file says by now")
  func removed() async throws {
    let harms = [
      "DROP TABLE box_things", "DROP TABLE box_found", "ALTER TABLE box_things DROP COLUMN slug",
      "ALTER TABLE box_found RENAME TO elsewhere",
    ]
    for harm in harms {
      let one = EditedJobTests()
      let store = try await one.fixture.open(job())
      try await one.walk([1, 2], store, 1)
      await store.close()
      try one.fixture.alter("PRAGMA foreign_keys = OFF; \(harm)")
      for edited in [job(), job(extra: true)] {
        let again = try await RecordStore.open(one.fixture.folder, one.fixture.settings)
        let error = await #expect(throws: StoreError.self, "\(harm)") {
          _ = try await again.adopt(edited, origin: Fixture.origin)
        }
        #expect(error?.kind == .damaged)
        #expect(error?.message.contains("trawl reset records box") == true, "\(harm)")
        #expect(try await !again.prove().holds)
        await again.close()
      }
      // The cure that it names.
      let last = try await RecordStore.open(one.fixture.folder, one.fixture.settings)
      _ = try await last.reset(.records, of: "box")
      _ = try await last.adopt(job(), origin: Fixture.origin)
      try await one.walk([1, 2], last, 1)
      #expect(try await last.prove().rowsHold)
      await last.close()
    }
  }
}
