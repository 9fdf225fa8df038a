internal import Glibc
import Base
import Store
import TestSupport
internal import Testing

@Suite("A reader without write permission")
struct ReaderTests {
  let fixture: Fixture

  /// Reads as the user nobody (when run by root), or through files and folders without any write
  /// permission: in both cases SQLite can create and change nothing.
  private func count() async throws -> String {
    let path = try fixture.folder.databasePath
    var line = ["/usr/bin/sqlite3", "-readonly", path, "SELECT count(*) FROM people_users"]
    if getuid() == 0 {
      line = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] + line
    }
    let ended = await BinaryRun.run(line[0], Array(line.dropFirst()))
    return (ended.output + ended.errors).trimmingBlanks
  }

  /// Lets strangers read: by the modes that the store sets, only the group may.
  private func letStrangersRead() throws {
    let folder = try fixture.folder.path
    #expect(chmod(fixture.scratch.path, 0o755) == 0)
    #expect(chmod(folder, 0o755) == 0)
    for name in ["trawl.db", "trawl.db-wal", "trawl.db-shm"] {
      #expect(chmod("\(folder)/\(name)", 0o644) == 0)
    }
    if getuid() != 0 { #expect(chmod(folder, 0o555) == 0) }
  }

  @Test("opens the database before, during and after a run")
  func phases() async throws {
    let store = try await fixture.walked(1...3)
    try letStrangersRead()
    #expect(try await count() == "3")
    try await store.store([people(4...6)])
    #expect(try await count() == "6")
    await store.close()
    #expect(try await count() == "6")
    let again = try await fixture.open()
    #expect(try await count() == "6")
    await again.close()
  }

  @Test("opens what a killed run left: a full log and nobody to tidy it")
  func afterKill() async throws {
    try await fixture.open().close()
    try letStrangersRead()
    // A connection that is never closed leaves its files as a kill does.
    let copy = Fixture()
    let open = try await fixture.open()
    try await open.walk([people(1...5)])
    let from = try fixture.folder.path
    let to = try copy.folder.path
    for name in ["trawl.db", "trawl.db-wal", "trawl.db-shm"] {
      let ended = await BinaryRun.run("/bin/cp", ["-p", "\(from)/\(name)", "\(to)/\(name)"])
      #expect(ended.status == 0)
    }
    let reader = ReaderTests(fixture: copy)
    try reader.letStrangersRead()
    #expect(try await reader.count() == "5")
    await open.close()
  }

  init() { fixture = Fixture() }
  private init(fixture: Fixture) { self.fixture = fixture }
}
