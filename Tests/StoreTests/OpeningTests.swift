internal import Glibc
import Base
@testable import Store
import TestSupport
internal import Testing

@Suite("Opening a data folder")
struct OpeningTests {
  let fixture = Fixture()

  func mode(_ path: String) -> mode_t {
    var facts = stat()
    return stat(path, &facts) == 0 ? facts.st_mode & 0o7777 : 0
  }

  @Test("makes the folder 2750 and the files 0640, whatever the umask took")
  func modes() async throws {
    let store = try await fixture.walked([1])
    let folder = try fixture.folder.path
    #expect(mode(folder) == 0o2750)
    for name in ["trawl.db", "trawl.db-wal", "trawl.db-shm"] {
      #expect(mode("\(folder)/\(name)") == 0o640, "\(name)")
    }
    await store.close()
    for name in ["trawl.db", "trawl.db-wal", "trawl.db-shm"] {
      #expect(mode("\(folder)/\(name)") == 0o640, "\(name), after closing")
    }
    var facts = stat()
    #expect(stat("\(folder)/trawl.db-wal", &facts) == 0 && facts.st_size == 0)
  }

  @Test(
    "takes an empty file for a new database, but not in a folder that was used",
    arguments: [nil, "reports", "media"])
  func emptied(trace: String?) async throws {
    let folder = try fixture.folder
    #expect(creat(folder.databasePath, 0o640) >= 0)
    if let trace {
      _ = try folder.folder(trace)
      let error = await #expect(throws: StoreError.self) { try await fixture.open().close() }
      #expect(error?.kind == .damaged)
      #expect(error?.message.contains("remove the file to begin anew") == true)
      #expect(unlink(folder.databasePath) == 0)
    }
    try await fixture.open().close()
  }

  @Test("makes no database beside the log of a missing one, which would be replayed into it")
  func lostDatabase() async throws {
    let log = try fixture.folder.databasePath + "-wal"
    Golden.write([1, 2, 3], to: log)
    let error = await #expect(throws: StoreError.self) { try await fixture.open().close() }
    #expect(error?.kind == .damaged)
    #expect(error?.message.contains("\(log) holds changes that belong to it") == true)
    #expect(try !fixture.folder.hasDatabase && Fixture.bytes(of: log) == [1, 2, 3])
  }

  @Test(
    "restores no file of a newer Trawl, of another program, or of an older one's .dump",
    arguments: [
      ("PRAGMA user_version = 99", "written by a newer Trawl (schema 99"),
      (
        "PRAGMA application_id = 0; DROP TABLE trawl_certificates",
        "not a database of Trawl; left as it is"
      ),
      (
        "PRAGMA application_id = 0; ALTER TABLE trawl_jobs ADD COLUMN former TEXT",
        "not the two numbers that tell what it is"
      ),
    ])
  func otherBackups(sql: String, says: String) async throws {
    try await fixture.open().close()
    let backup = try fixture.backUp()
    try Database(backup).change("PRAGMA journal_mode = DELETE; \(sql)")
    let error = #expect(throws: StoreError.self) {
      try RestoreDraft(from: backup, into: fixture.folder, fixture.settings)
    }
    #expect(error?.message.contains(says) == true, "\(error?.message ?? "")")
  }

  @Test("removes what a killed restore left of its draft, and no draft that is still written")
  func leftDraft() async throws {
    try await fixture.open().close()
    let path = try fixture.folder.databasePath + ".partial"
    func isThere() -> Bool { access(path, F_OK) == 0 }
    let writing = try FileLock(path)
    try await fixture.open().close()
    #expect(isThere() && writing != nil)
    withExtendedLifetime(writing) {}
    let other = OpeningTests()
    try await other.fixture.open().close()
    let left = try other.fixture.folder.databasePath + ".partial"
    #expect(close(creat(left, 0o600)) == 0)
    try await other.fixture.open().close()
    #expect(access(left, F_OK) != 0)
  }

  @Test("follows a symbolic link once")
  func link() async throws {
    let real = "\(fixture.scratch.path)/real"
    let link = "\(fixture.scratch.path)/link"
    _ = try DataFolder(creating: real)
    #expect(symlink(real, link) == 0)
    #expect(try DataFolder(creating: link).path.hasSuffix("/real"))
  }

  static let strangers: [(String, StoreError.Kind)] = [
    ("newer", .newer), ("foreign", .foreign), ("garbage", .damaged),
    ("headless", .damaged), ("stripped", .damaged), ("development 1", .foreign),
    ("development 11", .foreign),
  ]

  @Test(
    "refuses what is not ours, newer, of a development version or damaged, and leaves it byte for byte",
    arguments: strangers)
  func refusals(_ name: String, _ kind: StoreError.Kind) async throws {
    let folder = try fixture.folder
    let version = name.split(separator: " ").last ?? ""
    let isOfDevelopment = name.hasPrefix("development")
    switch name {
    case "foreign":
      let other = try Connection(folder.databasePath, .create)
      try other.execute("CREATE TABLE mine (v); INSERT INTO mine VALUES (1)")
      other.close()
    case "garbage":
      let line = "not a database, but longer than a header "
      try write(Array(String(repeating: line, count: 40).utf8))
    default:
      try await fixture.open().close()
      if name == "newer" { try fixture.alter("PRAGMA user_version = 99") }
      if name == "stripped" { try fixture.alter("DROP TABLE trawl_pages") }
      if isOfDevelopment {
        try fixture.alter("PRAGMA application_id = 0x5472776c; PRAGMA user_version = \(version)")
      }
      let ours = try Connection(folder.databasePath, .readWrite)
      _ = try ours.checkpoint(.truncate)
      ours.close()
      if name == "headless" {
        var bytes = try fixture.bytes()
        for index in 0..<16 { bytes[index] = 0 }
        try write(bytes)
      }
    }
    let before = try fixture.bytes()
    do {
      _ = try await RecordStore.open(folder, fixture.settings)
      Issue.record("\(name) was opened")
    } catch {
      #expect(error.kind == kind)
      if isOfDevelopment {
        let words = "(its schema \(version)), which no release reads: begin in a fresh data folder"
        #expect(error.message.contains(words), "\(error)")
        let restored = #expect(throws: StoreError.self) {
          try RestoreDraft(
            from: folder.databasePath, into: DataFolder(creating: "\(fixture.scratch.path)/new"),
            fixture.settings)
        }
        #expect(restored?.message == error.message)
      }
      #expect(error.place == folder.databasePath)
    }
    #expect(try fixture.bytes() == before)
    await #expect(throws: StoreError.self, "to read it too") {
      try await RecordStore.openForReading(folder, fixture.settings)
    }
    #expect(try fixture.bytes() == before)
  }

  private func write(_ bytes: [UInt8]) throws {
    Golden.write(bytes, to: try fixture.folder.databasePath)
  }

  @Test(
    "refuses rows of another origin; a person may say that it is the same API at another address")
  func origins() async throws {
    let store = try await fixture.openBare()
    let here = Origin(scheme: "http", host: "api.example", port: 80)
    let there = Origin(scheme: "https", host: "api.example", port: 443)
    func origin() throws -> String? { try fixture.one("SELECT origin FROM trawl_jobs") }
    _ = try await store.adopt(.people(), origin: here)
    try await store.walk([people(1...4)])
    let refused = await #expect(throws: StoreError.self) {
      try await store.adopt(.people(), origin: there)
    }
    #expect(refused?.kind == .otherOrigin)
    for cure in ["--moved", "trawl reset records people"] {
      #expect(refused?.message.contains(cure) == true)
    }
    // Another API, by mistake: nothing of it is kept, and the job's origin stays.
    _ = try await store.adopt(.people(), origin: there, hasMoved: true)
    await #expect(throws: StoreError.self) { try await store.walk([people([4, 11, 12, 13])]) }
    #expect(try origin() == "\(here)")
    #expect(try fixture.one("SELECT count(*) FROM people_users") == "4")
    // The same API: records missing now do not count as gone before the next walk.
    let done = try await store.walk([people([1, 2, 9])]).0
    #expect(try origin() == "\(there)" && done.vanished == 0 && done.withheld == 0)
    let other = try await fixture.openBare()
    _ = try await other.adopt(.people(), origin: there)
    #expect(try await other.walk([people([1, 2, 9])]).0.vanished == 2)
  }

  @Test(
    "takes an empty page for no sign that it is the same API elsewhere, unless no list has rows to mix",
    arguments: [0, 4])
  func emptyMove(rows: Int) async throws {
    let store = try await fixture.walked(1..<(rows + 1))
    let there = Origin(scheme: "https", host: "elsewhere.example", port: 443)
    _ = try await store.adopt(.people(), origin: there, hasMoved: true)
    try await store.store(["[]"])
    let origin = try fixture.one("SELECT origin FROM trawl_jobs")
    #expect(origin == "\(rows == 0 ? there : Fixture.origin)")
  }

  @Test("takes another origin for a job as long as nothing has come from the first")
  func unusedOrigin() async throws {
    let store = try await fixture.openBare()
    let slip = Origin(scheme: "http", host: "127.0.0.1", port: 9)
    _ = try await store.adopt(.people(), origin: slip)
    try await store.adopt(.people())
    #expect(try fixture.rows("SELECT origin FROM trawl_jobs") == ["\(Fixture.origin)"])
    try await store.walk([people(1...2)])
    await #expect(throws: StoreError.self) { try await store.adopt(.people(), origin: slip) }
  }

  @Test("leaves the file's locks to the stores of the same process that are open already")
  func locksOfFile() async throws {
    let first = try await fixture.open()
    // Closed last: closing it releases every lock of this process.
    let file = Glibc.open(try fixture.folder.databasePath, O_RDWR | O_CLOEXEC)
    defer { close(file) }
    let second = try await fixture.openBare()
    let reader = try await fixture.openForReading()
    // SQLite's lock of readers, asked about for this descriptor alone (F_OFD_GETLK).
    var range = flock()
    (range.l_type, range.l_whence) = (Int16(F_WRLCK), Int16(SEEK_SET))
    (range.l_start, range.l_len) = (0x4000_0002, 510)
    #expect(fcntl(file, 36, &range) == 0 && range.l_type == Int16(F_RDLCK))
    for store in [first, second, reader] { await store.close() }
  }

  @Test("gives a job's lock to one holder, and takes it back with it")
  func locks() throws {
    let folder = try fixture.folder
    var first = try JobLock.take("people", in: folder)
    #expect(first != nil)
    #expect(try JobLock.take("people", in: folder) == nil)
    #expect(try JobLock.take("other", in: folder) != nil)
    #expect(JobLock.holder(of: "people", in: folder) == Int(getpid()))
    first = nil
    #expect(try JobLock.take("people", in: folder) != nil)
    #expect(throws: StoreError.self) { try JobLock.take("../x", in: folder) }
  }

  @Test("takes a job's lock back though a child that is being born has the file open still")
  func lockWithChild() throws {
    let folder = try fixture.folder
    var lock = try JobLock.take("people", in: folder)
    var held = stat()
    try #require(stat("\(folder.path)/locks/people.lock", &held) == 0)
    // What a child inherits until it becomes another program: the same open file.
    let copy = (CInt(3)..<65_536).first { number in
      var facts = stat()
      return fstat(number, &facts) == 0 && facts.st_ino == held.st_ino
        && facts.st_dev == held.st_dev
    }.map { fcntl($0, F_DUPFD_CLOEXEC, 0) }
    let child = try #require(copy)
    defer { close(child) }
    #expect(lock != nil)
    lock = nil
    #expect(try JobLock.take("people", in: folder) != nil)
  }
}
