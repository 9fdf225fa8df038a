import Glibc
import Base
@testable import Store
import TestSupport
import Testing

@Suite("An upgrade of the database")
struct UpgradeTests {
  let fixture = Fixture()

  /// Renames a column, and adds a table.
  private static let step = """
    ALTER TABLE trawl_certificates ADD COLUMN tries INTEGER;
    UPDATE trawl_certificates SET tries = attempts;
    CREATE TABLE trawl_changes (
      change INTEGER, table_number INTEGER, record_key TEXT, at INTEGER, kind TEXT, seal INTEGER);
    INSERT INTO trawl_changes SELECT 1, table_number, '7', 0, 'changed', 1 FROM trawl_tables WHERE kind = 'records';
    """

  /// A file as the version before that step would have written it.
  private func prepare() async throws {
    let store = try await fixture.walked(1...3)
    try await store.walk([people(1...4)], stream: "profile", values: [])
    await store.close()
    try change { connection in
      try Seals.mark(connection)
      try connection.execute(
        """
        ALTER TABLE trawl_certificates ADD COLUMN attempts INTEGER;
        UPDATE trawl_certificates SET attempts = certificate + 5;
        ALTER TABLE trawl_certificates DROP COLUMN tries;
        DROP TABLE trawl_changes;
        DELETE FROM trawl_facts WHERE kind = 'rows' AND subject = 'trawl_changes';
        UPDATE trawl_facts SET fact = fact - 1 WHERE kind = 'rows' AND subject = 'trawl_facts'
        """)
      try Seals.renew(connection)
    }
  }

  /// As the program that wrote the file would have: the rows keep their seals.
  private func change(_ body: (Connection) throws -> Void) throws {
    let connection = try Connection(fixture.folder.databasePath, .readWrite)
    defer { connection.close() }
    try Functions.define(on: connection)
    try connection.trustSchema()
    try connection.keepLogFiles()
    try connection.transaction { try body(connection) }
  }

  private static func open(
    _ folder: DataFolder, for use: DatabaseFile.Use = .write, _ settings: RecordStore.Settings
  ) throws {
    try DatabaseFile(folder: folder, steps: [step]).open(for: use, settings).close()
  }

  /// Opens the file for writing, which upgrades it, and returns the notes. Afterwards the file has today's form and
  /// version.
  private func upgrade() throws -> [String] {
    let notes = Locked<[String]>([])
    var settings = fixture.settings
    settings.onUpgrade = { note in notes.withLock { $0.append(note) } }
    try Self.open(fixture.folder, settings)
    #expect(try fixture.one("PRAGMA user_version") == "\(Book.version + 1)")
    try fixture.alter("PRAGMA user_version = \(Book.version)")
    return notes.withLock { $0 }
  }

  private func findings() async throws -> [String] {
    try await fixture.prove().findings.map { "\($0.table) \($0.key ?? "-"): \($0.what)" }
  }

  @Test("has the schema of a new file and the rows of the old one, which hold or do not as before")
  func shape() async throws {
    try await prepare()
    try fixture.alter("UPDATE trawl_certificates SET seal = seal + 1 WHERE certificate = 2")
    #expect(try upgrade() == [])
    #expect(
      try fixture.rows("SELECT certificate, tries FROM trawl_certificates") == ["1|6", "2|7"])
    #expect(
      try fixture.rows(
        "SELECT table_name, record_key FROM trawl_changes JOIN trawl_tables USING (table_number)")
        == ["people_users|7"])
    #expect(try await findings() == ["trawl_certificates 2: the row is not as it was written"])
    let fresh = Fixture()
    await (try await fresh.open()).close()
    let schema = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name, type"
    #expect(try fixture.rows(schema) == fresh.rows(schema))
  }

  @Test("never gives the number of a list again, though its list was forgotten")
  func numbers() async throws {
    try await prepare()
    let last = try #require(try fixture.one("SELECT max(list_number) FROM trawl_lists"))
    let numbers = "SELECT seq FROM sqlite_sequence WHERE name = 'trawl_lists'"
    // It is made anew, without that column.
    try fixture.alter(
      "DELETE FROM trawl_lists WHERE list_number = \(last); ALTER TABLE trawl_lists ADD COLUMN former TEXT"
    )
    #expect(try fixture.one(numbers) == last)
    _ = try upgrade()
    #expect(try fixture.rows("SELECT name FROM pragma_table_info('trawl_lists')").last == "seal")
    #expect(try fixture.one(numbers) == last)
  }

  @Test("that is killed in the middle or at its end leaves the file as it was", arguments: 1...2)
  func killed(visit: Int) async throws {
    try await prepare()
    let before = try fixture.everything()
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = try fixture.folder.path as String, visit = visit as Int] in
      var settings = Fixture().settings
      settings.faults = .killing(at: FaultPoint.Place.duringUpgrade.rawValue, visit: visit)
      try UpgradeTests.open(DataFolder(creating: path), settings)
    }
    #expect(try fixture.everything() == before)
    #expect(try upgrade() == [])
    #expect(try await findings() == [])
  }

  @Test("is not made by a command that reads, which says who makes it")
  func reading() async throws {
    try await prepare()
    let before = try fixture.bytes()
    let error = #expect(throws: StoreError.self) {
      try Self.open(fixture.folder, for: .read, fixture.settings)
    }
    #expect(error?.kind == .older && error?.message.contains("The next run upgrades it") == true)
    #expect(try fixture.bytes() == before)
  }

  @Test("is not made where a table is missing: an empty one would hide the loss")
  func missing() async throws {
    try await prepare()
    try fixture.alter("DROP TABLE trawl_due")
    let before = try fixture.everything()
    let error = #expect(throws: StoreError.self) { try Self.open(fixture.folder, fixture.settings) }
    #expect(error?.kind == .damaged && error?.message.contains("trawl_due") == true)
    #expect(try fixture.everything() == before)
  }

  // MARK: what a person added

  @Test("keeps a person's own indexes, triggers and views, and fires no trigger meanwhile")
  func additions() async throws {
    try await prepare()
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
    #expect(try upgrade() == [])
    #expect(try fixture.rows(own) == before)
    #expect(try fixture.rows("SELECT * FROM my_log") == [])
    #expect(try fixture.one("SELECT count(*) FROM my_view") == "2")
    #expect(try fixture.rows("PRAGMA integrity_check") == ["ok"])
    #expect(try await findings() == [])
  }

  @Test("names each addition that no longer fits, and no later write fails over it")
  func unfit() async throws {
    try await prepare()
    try fixture.alter(
      """
      CREATE TABLE my_log (what TEXT);
      CREATE INDEX my_index ON trawl_certificates (attempts);
      CREATE TRIGGER my_trigger AFTER UPDATE ON trawl_certificates BEGIN
        INSERT INTO my_log VALUES (NEW.attempts); END;
      CREATE VIEW my_view AS SELECT attempts FROM trawl_certificates;
      CREATE VIEW my_broken_view AS SELECT absent_column FROM trawl_trust;
      """)
    let notes = try upgrade()
    #expect(notes.count == 3, "\(notes)")
    #expect(
      notes.first
        == "your index my_index on trawl_certificates no longer fits its table and was "
        + "removed (no such column: attempts); it was: CREATE INDEX my_index ON "
        + "trawl_certificates (attempts)")
    #expect(notes.contains { $0.contains("your trigger my_trigger on trawl_certificates") })
    #expect(
      notes.last == "your view my_view can no longer be read (no such column: attempts); "
        + "it was left as it is")
    #expect(
      try fixture.rows("SELECT name FROM sqlite_schema WHERE name GLOB 'my_*' ORDER BY 1") == [
        "my_broken_view", "my_log", "my_view",
      ])
    let store = try await fixture.openBare()
    _ = try await store.reset(.progress, of: "people")
    #expect(try await store.prove().holds)
  }

  @Test(
    "of a job's table by a changed job file keeps a person's own index and trigger, or names it")
  func jobTables() async throws {
    func things(_ kind: Column.Kind, key: [String] = ["id"]) -> Job {
      .things([Column("id"), Column("slug"), Column("size", nil, kind)], key: key)
    }
    let store = try await fixture.openBare()
    try await store.adopt(things(.integer))
    await store.close()
    try fixture.alter(
      """
      CREATE TABLE my_log (what TEXT);
      CREATE INDEX my_index ON box_things (size, slug);
      CREATE INDEX box_things_by_size ON box_things (size);
      CREATE TRIGGER my_trigger AFTER INSERT ON box_things BEGIN
        INSERT INTO my_log VALUES (NEW.id); END;
      """)
    let own =
      "SELECT name, tbl_name, sql FROM sqlite_schema WHERE name GLOB 'my_*' "
      + "OR name GLOB 'box_things_by_*' ORDER BY 1"
    let before = try fixture.rows(own)
    let later = try await fixture.openBare()
    let messages = try await later.adopt(things(.text))
    #expect(messages == ["box_things.size is TEXT now, was INTEGER"])
    #expect(try fixture.rows(own) == before)
    // With another key the table is made anew, and has them too.
    try await later.adopt(things(.text, key: ["slug"]))
    #expect(try fixture.rows(own) == before)
    try await later.walk(things: #"[{"id": "a", "slug": "b", "size": "c"}]"#)
    await later.close()
    #expect(try fixture.rows("SELECT what FROM my_log") == ["a"])
  }
}
