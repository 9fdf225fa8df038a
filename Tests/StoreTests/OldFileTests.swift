internal import Glibc
internal import Model
internal import SQLite
@testable import Store
internal import TestSupport
internal import Testing

@Suite("A database that an earlier commit wrote")
struct OldFileTests {
  let fixture = Fixture()

  static let upgradable = [
    "schema-1", "schema-1-with-fills", "schema-2-from-1", "schema-2-with-fills",
    "schema-2-with-misses", "schema-2", "schema-3", "schema-4-from-3", "schema-5-from-4",
    "schema-6-from-5", "schema-7-from-6", "schema-8-from-7", "schema-9-from-8",
    "schema-10-from-9",
  ]

  private func unpack(_ name: String) async throws {
    try await OldFile.unpack(name, to: fixture.folder.databasePath, beside: #filePath)
  }

  private func open() async throws -> RecordStore {
    try await RecordStore.open(fixture.folder, fixture.settings)
  }

  private func refusal(ofReading: Bool = false) async throws -> StoreError? {
    let folder = try fixture.folder
    do {
      let store =
        ofReading
        ? try await RecordStore.openForReading(folder, fixture.settings)
        : try await RecordStore.open(folder, fixture.settings)
      await store.close()
      return nil
    } catch {
      return error
    }
  }

  /// What `Book` calls it by now.
  private static let newNames = ["trawl_units": "trawl_windows"]

  /// Rows of every table but those that an upgrade fills itself, under today's names.
  private func counts() throws -> [String: String] {
    var counts: [String: String] = [:]
    let tables = try fixture.rows(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN "
        + "('sqlite_sequence', 'trawl_verdicts', 'trawl_row_counts', 'trawl_history_columns', "
        + "'trawl_tallies') "
        + "AND name NOT GLOB 'trawl_search_*'")
    for table in tables {
      let count = try fixture.one("SELECT count(*) FROM \"\(table)\"")
      let name = table.hasSuffix("_history") ? table + "_rows" : table
      if count != "0" { counts[Self.newNames[table] ?? name] = count }
    }
    return counts
  }

  private func schema() throws -> [String] {
    try fixture.rows(
      "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE (tbl_name GLOB 'trawl_*' "
        + "AND tbl_name NOT GLOB 'trawl_search_*') OR name = 'sqlite_sequence' ORDER BY 1, 2")
      + fixture.rows(
        "SELECT m.name, c.* FROM sqlite_schema m, pragma_table_info(m.name) c "
          + "WHERE m.type = 'table' AND m.name GLOB 'trawl_*' AND m.name NOT GLOB "
          + "'trawl_search_*' ORDER BY m.name, c.cid")
  }

  @Test(
    "is upgraded and loses nothing: rows, verdicts and the proof are as before",
    arguments: upgradable)
  func upgrade(name: String) async throws {
    try await unpack(name)
    let before = try counts()
    let keepsProofs = (5...10).contains { name.hasPrefix("schema-\($0)-") }
    let isNamedAnew = keepsProofs || ["schema-3", "schema-4-from-3"].contains(name)
    let (number, list) = isNamedAnew ? ("list_number", "list") : ("list", "found_by")
    let resumes = keepsProofs || name == "schema-4-from-3" ? "resumes_at" : "goes_on_at"
    // What was called complete before proofs were kept is so no more, unless its numbers show it.
    let proven =
      keepsProofs
      ? "1"
      : "EXISTS (SELECT 1 FROM trawl_certificates c WHERE c.why = trawl_trust.why AND "
        + "c.trust = 'counted' AND c.first_total = c.last_total AND c.last_total = c.distinct_keys)"
    let trust = try fixture.rows(
      "SELECT table_name, \(list), rows, CASE WHEN verdict = 'complete' AND NOT \(proven) "
        + "THEN 'unproven' ELSE verdict END, CASE WHEN verdict = 'complete' AND NOT \(proven) "
        + "THEN why || '; certified before proofs were kept' ELSE why END, as_of, \(resumes) "
        + "FROM trawl_trust ORDER BY 1, 2")
    let lists = try fixture.rows(
      "SELECT \(number), \(list), parameters FROM trawl_lists ORDER BY \(number)")
    let store = try await open()
    let proof = try await store.prove()
    await store.close()
    #expect(proof.findings == [])
    #expect(
      proof.certificates.count
        == [
          "schema-10-from-9": 23, "schema-9-from-8": 22, "schema-8-from-7": 21,
          "schema-7-from-6": 16,
        ][name, default: keepsProofs ? 15 : 11] && proof.rows > 300)
    #expect(try counts() == before)
    #expect(
      try fixture.rows(
        "SELECT table_name, list, rows, verdict, why, as_of, resumes_at FROM trawl_trust "
          + "ORDER BY 1, 2") == trust)
    #expect(
      try fixture.rows("SELECT list_number, list, parameters FROM trawl_lists ORDER BY 1") == lists)
  }

  @Test("finds words before its job has brought the new search index up, and after it")
  func search() async throws {
    try await unpack("schema-7-from-6")
    let store = try await open()
    let rest = "SELECT count(*) FROM trawl_search_github_users_due"
    #expect(try fixture.one(rest) == fixture.one("SELECT count(*) FROM github_users"))
    let before = try await store.search(["octocat"], limit: 50).hits
    #expect(!before.isEmpty)
    let index = SearchIndex(
      table: "github_users", columns: ["login", "name", "bio", "location", "company"])
    try await store.write { try index.bringUp($0) }
    #expect(try fixture.one(rest) == "0")
    #expect(try await store.search(["octocat"], limit: 50).hits == before)
    await store.close()
  }

  @Test("has exactly the schema of a new one after its upgrade", arguments: upgradable)
  func witness(name: String) async throws {
    try await unpack(name)
    await (try open()).close()
    let upgraded = try schema()
    let fresh = OldFileTests()
    await (try fresh.open()).close()
    #expect(try upgraded == fresh.schema())
    #expect(
      try fixture.one("PRAGMA user_version") == fresh.fixture.one("PRAGMA user_version"))
  }

  @Test(
    "is not upgraded by a command that reads, which says who does it",
    arguments: upgradable)
  func reading(name: String) async throws {
    try await unpack(name)
    let before = try fixture.bytes()
    let error = try #require(await refusal(ofReading: true))
    #expect(error.kind == .older && error.message.contains("The next run upgrades it"))
    #expect(try fixture.bytes() == before)
  }

  @Test("is refused and left as it is where nothing says which rows are a list's")
  func tooOld() async throws {
    try await unpack("without-list-places")
    let before = try fixture.bytes()
    let error = try #require(await refusal())
    #expect(error.kind == .foreign && error.message.contains("Sync into another --data"))
    #expect(try fixture.bytes() == before)
  }

  @Test("keeps its damage: a row that was not as it was written is not either after the upgrade")
  func damage() async throws {
    try await unpack("schema-2")
    try fixture.alter(
      "UPDATE trawl_lists SET rows = rows + 1 WHERE list = 3; "
        + "UPDATE trawl_misses SET tries = 9; UPDATE trawl_goals SET seal = NULL WHERE goal = 1")
    let store = try await open()
    let proof = try await store.prove()
    await store.close()
    #expect(
      proof.findings.map { "\($0.table) \($0.key ?? "-"): \($0.what)" } == [
        "trawl_goals 1: the row was not written by Trawl",
        "trawl_lists 3: the row is not as it was written",
        #"trawl_misses ["odd","kinds","User"]: the row is not as it was written"#,
      ])
    let list = proof.certificates.filter { $0.listNumber == 3 }
    #expect(list.map(\.holds) == [false])
  }

  @Test("stays as it was where the upgrade cannot be finished")
  func failed() async throws {
    try await unpack("schema-2")
    try fixture.alter("DROP TABLE trawl_rounds")
    let before = try fixture.rows("SELECT name, sql FROM sqlite_schema ORDER BY 1")
    let error = try #require(await refusal())
    #expect(error.kind == .damaged && error.message.contains("trawl_rounds"))
    #expect(try fixture.rows("SELECT name, sql FROM sqlite_schema ORDER BY 1") == before)
    #expect(try fixture.one("PRAGMA user_version") == "2")
  }

  @Test(
    "stays as it was on a full disk, and is upgraded once there is room",
    .enabled(if: SmallDisk.isPossible))
  func fullDisk() async throws {
    let disk = try #require(SmallDisk(bytes: 8 << 20))
    let folder = try DataFolder(creating: "\(disk.path)/data")
    try await OldFile.unpack("schema-2", to: folder.databasePath, beside: #filePath)
    disk.fill(leaving: 300_000)
    do {
      _ = try await RecordStore.open(folder, fixture.settings)
      Issue.record("there was no room")
    } catch {
      #expect(error.kind == .cannotWrite, "\(error)")
    }
    let connection = try Connection(folder.databasePath, .readOnly)
    #expect(try connection.integer("PRAGMA user_version") == 2)
    #expect(try connection.integer("SELECT count(*) FROM trawl_units") == 11)
    connection.close()
    disk.makeRoom()
    let store = try await RecordStore.open(folder, fixture.settings)
    #expect(try await store.prove().holds)
    await store.close()
  }

  @Test("never gives the number of a list again, though its list was forgotten")
  func numbers() async throws {
    try await unpack("schema-2")
    let store = try await open()
    _ = try await store.forget(.coverage, of: "odd")
    _ = try await store.adopt(.people(), origin: Fixture.origin)
    try await store.walk([people([1])])
    await store.close()
    #expect(try fixture.one("SELECT max(list_number) FROM trawl_lists") == "12")
    let ended = try await open()
    _ = try await ended.forget(.records, of: "people")
    _ = try await ended.adopt(.people(), origin: Fixture.origin)
    try await ended.walk([people([1])])
    await ended.close()
    #expect(try fixture.one("SELECT max(list_number) FROM trawl_lists") == "13")
  }
}
