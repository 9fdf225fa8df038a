import Glibc
import Base
import Store
import TestSupport
import Testing

/// Killed on both sides of the instant in which the file gets its name.
@Suite("A backup that is killed")
struct KilledBackupTests {
  private static func back(
    up folder: String, to path: String, _ faults: FaultPoint = .none
  ) async throws {
    var settings = Fixture().settings
    settings.faults = faults
    let draft = try BackupDraft(of: DataFolder(existing: folder), at: path, settings)
    try draft.add(ledger: nil, program: "test")
    #expect(try await draft.prove().holds)
    try draft.place()
  }

  private static func has(_ path: String, _ table: String) throws -> Bool {
    let connection = try Connection(path, .readOnly)
    defer { connection.close() }
    #expect(try connection.text("PRAGMA integrity_check") == "ok")
    return try !connection.columns(of: table).isEmpty
  }

  @Test(
    "leaves the earlier one or the new one, whole, and the next one is made all the same",
    arguments: [FaultPoint.Place.beforeDraftRename, .afterDraftRename])
  func killed(place: FaultPoint.Place) async throws {
    let fixture = Fixture()
    await (try fixture.open()).close()
    let (folder, path) = (try fixture.folder.path, "\(fixture.scratch.path)/backup.db")
    try await Self.back(up: folder, to: path)
    try fixture.alter("CREATE TABLE later (id)")
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [folder = folder as String, path = path as String, name = place.rawValue as String] in
      try await KilledBackupTests.back(up: folder, to: path, .killing(at: name, visit: 1))
    }
    #expect(try Self.has(path, "later") == (place == .afterDraftRename))
    try await Self.back(up: folder, to: path)
    #expect(try Self.has(path, "later"))
    #expect(access(path + ".partial", F_OK) != 0)
  }

  @Test(
    "as a restore is: the database is the old one or the new one",
    arguments: [FaultPoint.Place.beforeDraftRename, .afterDraftRename])
  func restored(place: FaultPoint.Place) async throws {
    let fixture = Fixture()
    await (try fixture.open()).close()
    let (folder, path) = (try fixture.folder, try fixture.backUp())
    try fixture.alter("CREATE TABLE later (id)")
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [folder = folder.path as String, path = path as String, name = place.rawValue as String] in
      var settings = Fixture().settings
      settings.faults = .killing(at: name, visit: 1)
      let draft = try RestoreDraft(from: path, into: DataFolder(existing: folder), settings)
      _ = try await draft.prove()
      _ = try draft.place()
    }
    #expect(try Self.has(folder.databasePath, "later") == (place == .beforeDraftRename))
    // A second name of the database in use is no copy: nobody is told to remove it.
    func aside() -> [String] { FolderNames.all(of: folder.path).filter { $0.contains(".before-") } }
    #expect(aside().count == 1)
    let reader = try await RecordStore.openForReading(folder, fixture.settings)
    let copies = (place == .beforeDraftRename ? [] : aside()).map { "\(folder.path)/\($0)" }
    #expect(try await reader.knownCopies().filter { $0.contains(".before-") } == copies)
    await reader.close()
    try await fixture.restore(path)
    #expect(try !Self.has(folder.databasePath, "later"))
    #expect(aside().count == 2)
  }

  @Test(
    "leaves no journal beside the database, which those who may only read it could not roll back")
  func withoutJournal() async throws {
    let fixture = Fixture()
    await (try fixture.open()).close()
    let (folder, path) = (try fixture.folder, try fixture.backUp())
    let draft = try RestoreDraft(from: path, into: folder, fixture.settings)
    #expect(try await draft.prove().holds)
    let events = inotify_init1(Int32(IN_NONBLOCK))
    defer { close(events) }
    try #require(inotify_add_watch(events, folder.path, UInt32(IN_CREATE)) >= 0)
    #expect(try draft.place() != nil)
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(events, &bytes, bytes.count)
    let names = String(decoding: bytes[..<max(0, count)], as: UTF8.self)
    #expect(names.contains(".before-") && !names.contains("-journal"), "\(names)")
  }
}
