import Dispatch
import Glibc
import Base
@testable import Store
import TestSupport
internal import Testing

@Suite("A restore beside other commands")
struct RestoreLockTests {
  let fixture = Fixture()

  /// A backup, and a database that has a table more since then.
  private func backedUp() async throws -> String {
    await (try fixture.walked(1...5)).close()
    let path = try fixture.backUp()
    try fixture.alter("CREATE TABLE later (id)")
    return path
  }

  private func restore(
    _ backup: String, _ settings: RecordStore.Settings? = nil,
    _ between: () async throws -> Void = {}
  ) async throws {
    let draft = try RestoreDraft(from: backup, into: fixture.folder, settings ?? fixture.settings)
    #expect(try await draft.prove().findings == [])
    try await between()
    _ = try draft.place()
  }

  private var isRestored: Bool {
    get throws {
      try fixture.rows("SELECT name FROM sqlite_schema WHERE name = 'later'").isEmpty
    }
  }

  private func expectRefused(_ words: String, _ restore: () async throws -> Void) async throws {
    do {
      try await restore()
      Issue.record("the database was replaced")
    } catch let error as StoreError {
      #expect(error.kind == .busy && error.message.contains(words), "\(error)")
    }
    // Nothing was set aside, and the database has its log as before.
    let (isRestored, folder) = (try isRestored, try fixture.folder.path)
    #expect(!isRestored)
    #expect(try fixture.one("PRAGMA journal_mode") == "wal")
    #expect(!FolderNames.all(of: folder).contains { $0.contains(".before-") })
  }

  /// What a test and a thread of its own tell each other.
  private struct Seen {
    var isReading = false
    var isOver = false
    var isOfTwoFiles: Bool?
    var hasLater: Bool?
    var error = ""
  }

  /// How often this process has the file open.
  private static func openings(of path: String) -> Int {
    let wanted = FileIdentity(path: path)
    let folder = "/proc/self/fd"
    return FolderNames.all(of: folder).count { FileIdentity(path: "\(folder)/\($0)") == wanted }
  }

  @Test(
    "is waited for by whoever opened the old database before the swap, and then works on the new one"
  )
  func openedBefore() async throws {
    let backup = try await backedUp()
    let (folder, plain) = (try fixture.folder, fixture.settings)
    let seen = Locked(Seen())
    let opener = DispatchGroup()
    var settings = plain
    settings.faults = FaultPoint { place in
      // The old database is locked, and still at its path.
      guard place == .beforeDraftRename else { return }
      let before = Self.openings(of: folder.databasePath)
      DispatchQueue(label: "opener").async(group: opener) {
        do {
          let connection = try DatabaseFile(folder: folder).open(for: .write, plain)
          defer { connection.close() }
          let hasLater = try !connection.columns(of: "later").isEmpty
          seen.withLock { ($0.isOfTwoFiles, $0.hasLater) = (connection.hasMoved, hasLater) }
        } catch {
          seen.withLock { $0.error = "\(error)" }
        }
      }
      while Self.openings(of: folder.databasePath) == before,
        seen.withLock({ $0.error.isEmpty && $0.isOfTwoFiles == nil })
      {
        usleep(500)  // until it has opened the file
      }
    }
    try await restore(backup, settings)
    await Self.end(opener)
    let found = seen.withLock { $0 }
    #expect(found.isOfTwoFiles == false && found.hasLater == false, "\(found.error)")
    #expect(try isRestored)
    #expect(try fixture.one("PRAGMA integrity_check") == "ok")
  }

  private static func end(_ group: DispatchGroup) async {
    await withCheckedContinuation { ended in
      group.notify(queue: DispatchQueue(label: "end")) { ended.resume() }
    }
  }

  @Test("takes away nothing that was written since it took over what was forgotten: it says so")
  func writtenBetween() async throws {
    let backup = try await backedUp()
    try await expectRefused("it was written while the backup was proved") {
      try await restore(backup) {
        let store = try await fixture.open()
        try await ForgetTests.forget([2], store)
        await store.close()
      }
    }
    try await restore(backup)
    #expect(try isRestored)
    #expect(try fixture.rows("SELECT id FROM people_users ORDER BY id") == ["1", "3", "4", "5"])
  }

  @Test("takes no database for its own that was put there while it proved the backup")
  func putThere() async throws {
    let backup = try await backedUp()
    let new = try DataFolder(creating: "\(fixture.scratch.path)/new")
    let draft = try RestoreDraft(from: backup, into: new, fixture.settings)
    #expect(try await draft.prove().findings == [])
    Golden.write(try Fixture.bytes(of: backup), to: new.databasePath)
    let refused = #expect(throws: StoreError.self) { try draft.place() }
    #expect(refused?.kind == .busy, "\(refused as Any)")
    #expect(try Fixture.bytes(of: new.databasePath) == Fixture.bytes(of: backup))
  }

  @Test("waits for a reader that is soon done")
  func readerLeaves() async throws {
    let backup = try await backedUp()
    let path = try fixture.folder.databasePath
    let seen = Locked(Seen())
    let reader = DispatchGroup()
    DispatchQueue(label: "reader").async(group: reader) {
      func look(_ connection: Connection) throws {
        _ = try connection.integer("SELECT count(*) FROM trawl_runs")
      }
      do {
        let reading = try Connection(path, .readOnly)
        defer { reading.close() }
        try look(reading)
        seen.withLock { $0.isReading = true }
        // Nobody else can begin to read once the restore is about to lock the file.
        while !seen.withLock({ $0.isOver }) {
          let other = try Connection(path, .readOnly, waiting: .zero)
          defer { other.close() }
          try look(other)
          usleep(500)  // leaves the file to the restore
        }
      } catch {
        seen.withLock { $0.error = "\(error)" }
      }
    }
    try await until("the reader") { seen.withLock { $0.isReading || !$0.error.isEmpty } }
    do { try await restore(backup) } catch { Issue.record("\(error)") }
    seen.withLock { $0.isOver = true }
    await Self.end(reader)
    let error = seen.withLock { $0.error }
    #expect(error.contains("locked"))
    #expect(try isRestored)
  }

  @Test("gives up on a reader that stays, and leaves the database and its log to it")
  func readerStays() async throws {
    let backup = try await backedUp()
    let hasty = RecordStore.Settings(time: fixture.time.timekeeper, waitMax: .zero)
    let reader = try Connection(fixture.folder.databasePath, .readOnly)
    defer { reader.close() }
    _ = try reader.integer("SELECT count(*) FROM trawl_runs")
    try await expectRefused("another program has it open") { try await restore(backup, hasty) }
    #expect(try reader.integer("SELECT count(*) FROM people_users") == 5)
  }
}
