import Glibc
import Model
import SQLite
import TestSupport
import Testing

@testable import Store

@Suite("An upgrade of the database")
struct UpgradeTests {
  let fixture = Fixture()

  private func unpack(_ name: String = "schema-3") async throws {
    try await OldFile.unpack(name, to: fixture.folder.databasePath, beside: Fixture.place)
  }

  /// As the program that wrote the file would have: the rows keep their seals.
  private func change(_ body: (Connection) throws -> Void) throws {
    let connection = try Connection(fixture.folder.databasePath, .readWrite)
    defer { connection.close() }
    try Functions.define(on: connection)
    try connection.keepLogFiles()
    try body(connection)
  }

  /// Opens the file for writing, which upgrades it, and gives what it says.
  private func upgrade() async throws -> [String] {
    let notes = Locked<[String]>([])
    var settings = fixture.settings
    settings.onUpgrade = { note in notes.withLock { $0.append(note) } }
    await (try RecordStore.open(fixture.folder, settings)).close()
    return notes.withLock { $0 }
  }

  private func everything() throws -> [String] {
    let tables = try fixture.rows(
      "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    return try fixture.rows("SELECT name, sql FROM sqlite_schema ORDER BY name, type")
      + tables.flatMap { try fixture.rows("SELECT '\($0)', * FROM \"\($0)\"") }
      + fixture.rows("PRAGMA user_version")
  }

  // MARK: kill -9

  /// Kills this process at a visit of the place between two changes of an upgrade.
  private static func kill(atVisit visit: Int) -> FaultPoint {
    let visits = Locked(0)
    return FaultPoint { place in
      guard place == .duringUpgrade else { return }
      let isDue = visits.withLock {
        $0 += 1
        return $0 == visit
      }
      if isDue { Glibc.kill(getpid(), SIGKILL) }
    }
  }

  /// One visit for each change of schema 2 and later, and one before the commit: all of them with
  /// `make torture`, else every third and the last.
  static let visits: [Int] = {
    let last = Ladder.steps.reduce(0) { $0 + $1.changes.count } + 1
    return Torture.isOn ? Array(1...last) : Array(stride(from: 1, to: last, by: 3)) + [last]
  }()

  @Test("that is killed between any two changes leaves the file as it was", arguments: visits)
  func killed(visit: Int) async throws {
    try await unpack("schema-1")
    let before = try everything()
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = try fixture.folder.path as String, visit = visit as Int] in
      var settings = Fixture().settings
      settings.faults = UpgradeTests.kill(atVisit: visit)
      _ = try await RecordStore.open(DataFolder(creating: path), settings)
    }
    #expect(try everything() == before)
    #expect(try await upgrade() == [])
    let store = try await RecordStore.open(fixture.folder, fixture.settings)
    #expect(try await store.prove().holds)
    await store.close()
  }

  // MARK: steps

  @Test("gives a rule its new name, and its rows hold as before")
  func rewritten() async throws {
    try await unpack()
    try change { connection in
      try Seals.keep(connection)
      try connection.execute(
        "UPDATE trawl_certificates SET rule = 'knownGround' WHERE certificate IN (1, 3)")
      try connection.execute("UPDATE trawl_certificates SET seal = seal + 1 WHERE certificate = 3")
    }
    #expect(try await upgrade() == [])
    #expect(
      try fixture.rows(
        "SELECT certificate FROM trawl_certificates WHERE rule = 'lastCompleteRange'") == [
          "1", "3",
        ]
    )
    let store = try await RecordStore.open(fixture.folder, fixture.settings)
    let proof = try await store.prove()
    await store.close()
    #expect(
      proof.findings.map { "\($0.table) \($0.key ?? "-"): \($0.what)" }
        == ["trawl_certificates 3: the row is not as it was written"])
  }

  @Test("adds a column with its value, and each row holds or does not as before")
  func addedColumn() async throws {
    try await unpack()
    try change { connection in
      // A file from before this column.
      try connection.transaction {
        try Seals.mark(connection)
        try connection.execute("ALTER TABLE trawl_certificates DROP COLUMN tries")
        try connection.execute("UPDATE trawl_certificates SET seal = 0 WHERE certificate = 2")
        try Seals.renew(connection)
      }
    }
    var steps = Ladder.steps
    let last = steps.removeLast()
    steps.append(
      Ladder.Step(
        version: last.version,
        changes: [
          .addsColumn("tries", to: "trawl_certificates", value: "iif(verdict = 'absent', 1, 0)")
        ] + last.changes))
    try change { connection in
      let notes = try Upgrade(connection: connection, steps: steps).run()
      #expect(notes == [])
    }
    #expect(
      try fixture.rows("SELECT DISTINCT verdict, tries FROM trawl_certificates ORDER BY 1") == [
        "absent|1", "complete|0", "paused|0", "unproven|0",
      ])
    let fresh = Fixture()
    await (try RecordStore.open(fresh.folder, fresh.settings)).close()
    let shape = "SELECT sql FROM sqlite_schema WHERE name = 'trawl_certificates'"
    #expect(try fixture.one(shape) == fresh.one(shape))
    let store = try await RecordStore.open(fixture.folder, fixture.settings)
    let proof = try await store.prove()
    await store.close()
    #expect(
      proof.findings.map { "\($0.table) \($0.key ?? "-"): \($0.what)" }
        == ["trawl_certificates 2: the row is not as it was written"])
  }

  // MARK: what a person added

  @Test("keeps a person's own indexes, triggers and views, and fires no trigger meanwhile")
  func additions() async throws {
    try await unpack()
    try fixture.alter(
      """
      CREATE TABLE my_log (what TEXT);
      CREATE INDEX mine ON trawl_certificates (verdict, issued_at) WHERE verdict <> 'complete';
      CREATE UNIQUE INDEX trawl_pages_mine ON trawl_pages (page, run);
      CREATE TRIGGER my_new AFTER INSERT ON trawl_certificates BEGIN
        INSERT INTO my_log VALUES ('new ' || NEW.verdict); END;
      CREATE TRIGGER my_change AFTER UPDATE ON trawl_runs BEGIN
        INSERT INTO my_log VALUES ('run ' || NEW.name); END;
      CREATE VIEW my_view AS SELECT list, verdict FROM trawl_trust;
      """)
    let own =
      "SELECT type, name, sql FROM sqlite_schema WHERE name GLOB 'm[iy]*' "
      + "OR name = 'trawl_pages_mine' ORDER BY name"
    let before = try fixture.rows(own)
    #expect(before.count == 6)
    #expect(try await upgrade() == [])
    #expect(try fixture.rows(own) == before)
    #expect(try fixture.rows("SELECT * FROM my_log") == [])
    #expect(try fixture.one("SELECT count(*) FROM my_view") == "11")
    #expect(try fixture.rows("PRAGMA integrity_check") == ["ok"])
    let store = try await RecordStore.open(fixture.folder, fixture.settings)
    _ = try await store.beginRun(job: "odd", command: "run", arguments: [])
    #expect(try await store.prove().holds)
    await store.close()
  }

  @Test("names each addition that no longer fits, and no later write fails over it")
  func unfit() async throws {
    try await unpack()
    try fixture.alter(
      """
      CREATE TABLE my_log (what TEXT);
      CREATE INDEX my_index ON trawl_certificates (goes_on_at);
      CREATE TRIGGER my_trigger AFTER UPDATE ON trawl_certificates BEGIN
        INSERT INTO my_log VALUES (NEW.goes_on_at); END;
      CREATE VIEW my_view AS SELECT goes_on_at FROM trawl_trust;
      CREATE VIEW my_broken_view AS SELECT absent_column FROM trawl_trust;
      """)
    let notes = try await upgrade()
    #expect(notes.count == 3, "\(notes)")
    #expect(
      notes.first
        == "your index my_index on trawl_certificates no longer fits its table and was "
        + "removed (no such column: goes_on_at); it was: CREATE INDEX my_index ON "
        + "trawl_certificates (goes_on_at)")
    #expect(notes.contains { $0.contains("your trigger my_trigger on trawl_certificates") })
    #expect(
      notes.last == "your view my_view can no longer be read (no such column: "
        + "goes_on_at); it was left as it is")
    #expect(
      try fixture.rows("SELECT name FROM sqlite_schema WHERE name GLOB 'my_*' ORDER BY 1") == [
        "my_broken_view", "my_log", "my_view",
      ])
    let store = try await RecordStore.open(fixture.folder, fixture.settings)
    _ = try await store.forget(.progress, of: "github")
    #expect(try await store.prove().holds)
    await store.close()
  }

  @Test("of a table that has another name now says which index of a person's it removed")
  func renamed() async throws {
    try await unpack("schema-2")
    try fixture.alter("CREATE INDEX my_index ON trawl_units (traversal)")
    let notes = try await upgrade()
    #expect(notes.count == 1 && notes[0].contains("your index my_index on trawl_units"))
    #expect(try fixture.rows("SELECT name FROM sqlite_schema WHERE name = 'my_index'") == [])
  }

  @Test(
    "of a job's table by a changed job file keeps a person's own index and trigger, or names it")
  func jobTables() async throws {
    func things(_ kind: Column.Kind, key: [String] = ["id"]) -> Job {
      .things([Column("id"), Column("slug"), Column("size", nil, kind)], key: key)
    }
    let store = try await RecordStore.open(fixture.folder, fixture.settings)
    _ = try await store.adopt(things(.integer), origin: Fixture.origin)
    await store.close()
    try fixture.alter(
      """
      CREATE TABLE my_log (what TEXT);
      CREATE INDEX my_index ON box_things (size, slug);
      CREATE TRIGGER my_trigger AFTER INSERT ON box_things BEGIN
        INSERT INTO my_log VALUES (NEW.id); END;
      """)
    let own = "SELECT name, tbl_name, sql FROM sqlite_schema WHERE name GLOB 'my_*' ORDER BY 1"
    let before = try fixture.rows(own)
    let later = try await RecordStore.open(fixture.folder, fixture.settings)
    let messages = try await later.adopt(things(.text), origin: Fixture.origin)
    #expect(messages == ["box_things.size is TEXT now, was INTEGER"])
    #expect(try fixture.rows(own) == before)
    // With another key it is another table, which has them too.
    _ = try await later.adopt(things(.text, key: ["slug"]), origin: Fixture.origin)
    #expect(try fixture.rows(own) == before)
    try await later.walk(
      [#"[{"id": "a", "slug": "b", "size": "c"}]"#], stream: "all", of: "box", values: [])
    await later.close()
    #expect(try fixture.rows("SELECT what FROM my_log") == ["a"])
  }
}
