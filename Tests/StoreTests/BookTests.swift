import Base
@testable import Store
import Testing

@Suite("The book")
struct BookTests {
  let fixture = Fixture()

  @Test("ranks every verdict there is")
  func verdicts() async throws {
    let ranked = Book.claims
    #expect(
      Set(ranked) == Set(Verdict.allCases.map(\.rawValue) + ["void", "unfinished", Book.orphaned]))
    #expect(ranked.compactMap(Verdict.init) == Verdict.worstFirst && ranked.last == Book.orphaned)
  }

  @Test("lets whatever belongs to a list go with it")
  func cascades() async throws {
    await (try fixture.open()).close()
    let owned = try fixture.rows(
      "SELECT m.name, f.on_delete FROM sqlite_schema m, pragma_foreign_key_list(m.name) f "
        + "WHERE f.\"table\" IN ('trawl_lists', 'trawl_windows') ORDER BY 1")
    #expect(owned.count == 4 && owned.allSatisfy { $0.hasSuffix("|CASCADE") }, "\(owned)")
  }
}

@Suite("The structure of a file")
struct FileStructureTests {
  let fixture = Fixture()

  static let losses = [
    ("PRAGMA foreign_keys = OFF; DELETE FROM people_users WHERE id = 2", "people_follows"),
    ("ALTER TABLE trawl_goals DROP COLUMN seal", "trawl_goals"),
    ("ALTER TABLE trawl_goals ADD COLUMN mine TEXT", "trawl_goals"),
    ("PRAGMA foreign_keys = OFF; DROP TABLE people_follows", "people_follows"),
    ("ALTER TABLE people_users DROP COLUMN changed_at", "people_users"),
  ]
  /// Nothing is lost with them.
  static let lapses = [
    ("DROP VIEW trawl_trust", "trawl_trust"),
    ("DROP INDEX trawl_pages_by_address", "trawl_pages"),
    ("DROP VIEW people_users_media", "people_users_media"),
    (
      "DROP VIEW people_users_media; CREATE VIEW people_users_media AS SELECT 1 AS id",
      "people_users_media"
    ),
    ("DROP VIEW people_users_history", "people_users_history"),
    ("DROP VIEW favorites", "favorites"),
    ("DROP VIEW items; CREATE VIEW items AS SELECT 1 AS title", "items"),
  ]

  @Test("is looked at by check as by prove, with the same findings", arguments: losses + lapses)
  func agreement(sql: String, table: String) async throws {
    let store = try await fixture.walked(1...3)
    #expect(try await store.proveStructure().holds)
    await store.close()
    try fixture.alter(sql)
    let damaged = try await fixture.openForReading()
    let structure = try await damaged.proveStructure()
    #expect(structure.findings.map(\.table).contains(table), "\(structure.findings)")
    let all = try await damaged.prove().findings
    for finding in structure.findings { #expect(all.contains(finding)) }
  }

  @Test(
    "is made again by the next run where nothing is lost with it", arguments: lapses.map { $0.0 })
  func madeAgain(sql: String) async throws {
    try await fixture.walked(1...3).close()
    try fixture.alter("\(sql); CREATE INDEX mine ON trawl_pages (run)")
    let again = try await fixture.open()
    #expect(try await again.proveStructure().holds)
    #expect(try await again.trustedLists().map(\.verdict) == ["complete"])
    await again.close()
    #expect(try fixture.one("SELECT count(*) FROM sqlite_schema WHERE name = 'mine'") == "1")
  }

  @Test("keeps no other job from making its tables; what was broken before is named by prove")
  func migration() async throws {
    try await fixture.walked(1...3).close()
    try fixture.alter("PRAGMA foreign_keys = OFF; DELETE FROM people_users WHERE id = 2")
    let again = try await fixture.openBare()
    try await again.adopt(.things([Column.id]))
    #expect(try await again.proveStructure().findings.map(\.table) == ["people_follows"])
  }

  @Test("holds with a column that another program added, whatever it holds, and without it again")
  func columnOfOthers() async throws {
    await (try await fixture.walked(1...3)).close()
    try fixture.alter("ALTER TABLE people_users ADD COLUMN mine TEXT")
    let edited = Job.people { $0.streams[0].columns.append(Column("bio")) }
    for (index, job) in [Job.people(), edited, edited].enumerated() {
      try fixture.alter("UPDATE people_users SET mine = '\(index)'")
      let store = try await fixture.open(job)
      try await store.walk([people(1...4 + index)])
      #expect(try await store.proveStructure().holds)
      #expect(try await store.prove().rowsHold)
      await store.close()
      #expect(try fixture.one("SELECT mine FROM people_users WHERE id = 1") == "\(index)")
    }
    try fixture.alter("ALTER TABLE people_users DROP COLUMN mine")
    let store = try await fixture.open(edited)
    try await store.walk([people(1...9)])
    #expect(try await store.prove().rowsHold)
  }

  @Test(
    "names what another program made, where it is in the way",
    arguments: [
      "CREATE UNIQUE INDEX mine ON people_users (iif(id > 3, 1, id))",
      "CREATE TRIGGER mine BEFORE INSERT ON people_users BEGIN SELECT raise(ABORT, 'no'); END",
      "CREATE TRIGGER mine AFTER INSERT ON people_users BEGIN INSERT INTO lost VALUES (1); END",
      "CREATE TRIGGER mine AFTER INSERT ON people_users BEGIN SELECT json_extract('{', '$'); END",
      "DROP VIEW items; CREATE TABLE items (a)",
    ])
  func refusing(sql: String) async throws {
    await (try await fixture.walked(1...3)).close()
    try fixture.alter("\(sql); CREATE TABLE trawl_mine (a)")
    let error = await #expect(throws: StoreError.self) {
      try await fixture.open().walk([people(1...4)])
    }
    #expect(error?.kind == .foreign)
    let cure = ": not Trawl's, and in its way; drop it, or rename a table"
    let said = error?.description ?? ""
    #expect(
      ["index mine", "trigger mine", "table items"].contains {
        sql.lowercased().contains($0) && said.hasSuffix(": \($0)\(cure)")
      }, "\(said)")
  }

  @Test("names nothing that is not in the way of what failed")
  func harmless() async throws {
    await (try await fixture.walked(1...3)).close()
    try fixture.alter(
      """
      CREATE TABLE seen (id); CREATE UNIQUE INDEX mine ON people_users (id, login);
      CREATE TRIGGER own AFTER INSERT ON people_users BEGIN INSERT INTO seen VALUES (NEW.id); END
      """)
    let error = SQLiteError(
      code: 1, message: "no such column: missing", sql: "SELECT missing FROM people_users")
    #expect(try fixture.read { try UserAdditions.refusing(error, $0) } == [])
  }

  @Test("says of a view that was dropped that the next run makes it again")
  func lostView() async throws {
    await (try await fixture.walked(1...3)).close()
    try fixture.alter("DROP VIEW trawl_trust")
    let store = try await fixture.openForReading()
    let error = await #expect(throws: StoreError.self) {
      try await store.trustedLists(of: "people")
    }
    #expect(error?.kind == .damaged)
    #expect(error?.description.hasSuffix(": the next run makes this view again") == true)
  }
}
