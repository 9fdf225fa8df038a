import Base
import Store
import TestSupport
internal import Testing

@Suite("Rows that are gone")
struct LostRowTests {
  let fixture = Fixture()

  /// A job with a history, a reject, certificates, runs, an image.
  private func fill() async throws {
    let store = try await fixture.open()
    try await store.walk([people(1...30), people(31...40)])
    for followers in [5, 6] {
      let page = profile(5, followers: followers, createdAt: "not a time")
      try await store.walk([page], stream: "profile", values: .user(5))
      fixture.time.advance(by: .seconds(60))
    }
    #expect(try await store.prove().holds)
  }

  @Test("of any table of the book are missed, all of them or one")
  func lost() async throws {
    try await fill()
    let tables = try fixture.filledTables()
    #expect(
      Set(tables).isSuperset(of: [
        "trawl_changes", "trawl_rejects", "trawl_certificates", "trawl_runs", "trawl_facts",
      ]), "\(tables)")
    for table in tables {
      for rows in ["", " LIMIT 1"] {
        try fixture.alter(
          "PRAGMA foreign_keys = OFF; CREATE TABLE aside AS SELECT * FROM \(table); "
            + "DELETE FROM \(table) WHERE (SELECT count(*) FROM aside) > 0 AND EXISTS "
            + "(SELECT 1 FROM (SELECT * FROM aside\(rows)) a WHERE \(try Self.same(table, fixture)))"
        )
        let proof = try await fixture.prove()
        #expect(!proof.holds, "\(table)")
        #expect(proof.findings.contains { $0.table == table && $0.key == nil }, "\(table)\(rows)")
        try fixture.alter(
          "PRAGMA foreign_keys = OFF; DELETE FROM \(table); "
            + "INSERT INTO \(table) SELECT * FROM aside; DROP TABLE aside")
        #expect(try await fixture.prove().holds, "\(table)")
      }
    }
  }

  private static func same(_ table: String, _ fixture: Fixture) throws -> String {
    try fixture.rows("SELECT name FROM pragma_table_info('\(table)') WHERE pk > 0").map {
      "a.\($0) = \(table).\($0)"
    }.joined(separator: " AND ")
  }

  @Test("are missed no longer once the records of the only job are reset")
  func reset() async throws {
    try await fill()
    try fixture.alter("DELETE FROM trawl_certificates")
    let store = try await fixture.open()
    #expect(try await !store.prove().holds)
    _ = try await store.reset(.records, of: "people")
    #expect(try await store.prove().findings == [])
    // Nor are they in the rows of the next walks.
    try await fill()
  }

  @Test("by a reset, a later walk or a fold are none that is missed")
  func rightly() async throws {
    try await fill()
    let store = try await fixture.open()
    for _ in 0..<3 { try await store.walk([people(1...20)]) }
    _ = try await store.reset(.coverage, of: "people")
    #expect(try await store.prove().holds)
    try await fill()
  }

  @Test("of the counts themselves are missed, too")
  func counts() async throws {
    try await fill()
    for table in ["trawl_changes", "trawl_runs"] {
      try fixture.alter(
        "CREATE TABLE aside AS SELECT * FROM trawl_facts; "
          + "DELETE FROM trawl_facts WHERE kind = 'rows' AND subject = '\(table)'")
      #expect(try await fixture.prove().findings.contains { $0.table == table && $0.key == nil })
      try fixture.alter("INSERT OR IGNORE INTO trawl_facts SELECT * FROM aside; DROP TABLE aside")
    }
    #expect(try await fixture.prove().holds)
  }
}
