internal import Model
@testable import Store
internal import TestSupport
internal import Testing

@Suite("The histories of an older file")
struct OldHistoryTests {
  let fixture = Fixture()
  private static let histories = ["counters_named_history", "counters_numbered_history"]

  private func unpack() async throws {
    try await OldFile.unpack(
      "schema-8-from-7", to: fixture.folder.databasePath, beside: Fixture.place)
  }

  /// Opens it for writing, which upgrades it, and gives what that has to say.
  private func upgrade() async throws -> [String] {
    let notes = Locked<[String]>([])
    var settings = fixture.settings
    settings.onUpgrade = { note in notes.withLock { $0.append(note) } }
    let store = try await RecordStore.open(fixture.folder, settings)
    await store.close()
    return notes.withLock { $0 }
  }

  private func shown() throws -> [String] {
    try Self.histories.flatMap { table in
      try fixture.rows(
        "SELECT '\(table)', \(table.contains("named") ? "login" : "id"), column_name, at, value, "
          + "typeof(at), typeof(value) FROM \(table) ORDER BY 2, 3, 4")
    }
  }

  private func findings() async throws -> [ProofFinding] {
    let store = try await RecordStore.openForReading(fixture.folder, fixture.settings)
    let proof = try await store.prove()
    await store.close()
    return proof.findings
  }

  @Test("show what they showed before, and hold")
  func same() async throws {
    try await unpack()
    let before = try shown()
    #expect(before.count == 16)
    #expect(try await upgrade() == [])
    #expect(try shown() == before)
    #expect(try await findings() == [])
    #expect(
      try fixture.rows(
        "SELECT name, type FROM sqlite_schema WHERE name GLOB 'counters_*_history*' ORDER BY 1")
        == [
          "counters_named_history|view", "counters_named_history_rows|table",
          "counters_numbered_history|view", "counters_numbered_history_rows|table",
        ])
  }

  @Test("keep their damage, also in a name or an instant, and what is gone stays missed")
  func damage() async throws {
    try await unpack()
    try fixture.alter(
      """
      UPDATE counters_named_history SET value = 1 WHERE login = 'hubot' AND column_name = 'followers';
      UPDATE counters_named_history SET at = 'one day' WHERE login = 'octocat'
        AND column_name = 'public_repos';
      UPDATE counters_numbered_history SET column_name = 'fallowing' WHERE id = 583231
        AND column_name = 'following';
      DELETE FROM counters_numbered_history WHERE id = 583232 AND column_name = 'followers'
      """)
    _ = try await upgrade()
    let found = try await findings().map { "\($0.table) \($0.key ?? "-")" }
    #expect(
      found.count == 4
        && found.count { $0.hasPrefix("counters_named_history_rows [") } == 2
        && found.count { $0.hasPrefix("counters_numbered_history_rows [583231,") } == 1
        && found.contains("counters_numbered_history_rows -"), "\(found)")
    #expect(
      try fixture.rows("SELECT column_name FROM counters_numbered_history WHERE id = 583231")
        .contains("fallowing"))
    #expect(try fixture.one("SELECT count(*) FROM counters_named_history") == "8")
  }

  @Test("leave a person's view as it is, and say what of an index no longer fits")
  func additions() async throws {
    try await unpack()
    try fixture.alter(
      "CREATE INDEX mine ON counters_named_history (at); "
        + "CREATE VIEW my_counts AS SELECT login, value FROM counters_named_history")
    let notes = try await upgrade()
    #expect(notes.count == 1 && notes[0].contains("your index mine on counters_named_history"))
    #expect(try fixture.one("SELECT count(*) FROM my_counts") == "8")
  }

  @Test("are left as they are where the name of their rows is taken")
  func taken() async throws {
    try await unpack()
    try fixture.alter("CREATE TABLE counters_named_history_rows (a)")
    let before = try shown()
    await #expect(throws: StoreError.self) { _ = try await upgrade() }
    #expect(try shown() == before)
    try fixture.alter("ALTER TABLE counters_named_history_rows RENAME TO mine")
    #expect(try await upgrade() == [])
    #expect(try shown() == before)
  }
}
