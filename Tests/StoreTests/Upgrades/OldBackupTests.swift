import Model
import SQLite
import Store
import TestSupport
import Testing

@Suite("A backup of a file that an earlier version wrote")
struct OldBackupTests {
  @Test(
    "stays as old as it is, and is proved all the same", arguments: ["schema-3", "schema-5-from-4"])
  func keepsItsVersion(name: String) async throws {
    let fixture = Fixture()
    let folder = try fixture.folder
    try await OldFile.unpack(name, to: folder.databasePath, beside: Fixture.place)
    let path = "\(fixture.scratch.path)/backup.db"
    let before = try fixture.one("PRAGMA user_version")
    let draft = try BackupDraft(of: folder, at: path, fixture.settings)
    try draft.add(ledger: nil, program: "test")
    #expect(try await draft.prove().holds)
    try draft.place()
    let connection = try Connection(path, .readOnly)
    defer { connection.close() }
    #expect(try connection.text("PRAGMA user_version") == before)
    #expect(try fixture.one("PRAGMA user_version") == before)

    let other = try DataFolder(creating: "\(fixture.scratch.path)/other")
    let restored = try RestoreDraft(from: path, into: other, fixture.settings)
    #expect(try await restored.prove().holds)
    #expect(try restored.place() == nil)
    let store = try await RecordStore.openForReading(other, fixture.settings)
    #expect(try await store.prove().holds)
    await store.close()
  }
}
