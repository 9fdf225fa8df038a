import Base
@testable import Store
import TestSupport
internal import Testing

@Suite("Several writers on one file")
struct ConcurrencyTests {
  let fixture = Fixture()

  @Test("each end as they would alone, also in a new folder; readers in between see whole pages")
  func writers() async throws {
    let pages = 20
    // What a reader finds before and after each page of any of them.
    let odd = Locked<[Int64?]>([])
    let folder = try fixture.folder
    var settings = fixture.settings
    settings.faults = FaultPoint { place in
      guard place == .beforePageCommit || place == .afterPageCommit else { return }
      // One that cannot read has not found 0 either.
      let found = try? Self.oddPages(folder)
      odd.withLock { $0.append(found) }
    }
    try await withThrowingTaskGroup(of: Void.self) { [settings] group in
      for number in 1...5 {
        group.addTask {
          let store = try await RecordStore.open(folder, settings)
          let name = "job\(number)"
          try await store.adopt(Job.people { $0.name = name })
          let bodies = (0..<pages).map { people(($0 * 10 + 1)...($0 * 10 + 10)) }
          let (certified, _) = try await store.walk(bodies, of: name)
          #expect(certified.rows == pages * 10)
          await store.close()
        }
      }
      try await group.waitForAll()
    }
    let found = odd.withLock { $0 }
    #expect(found.count >= 5 * pages * 2 && found.allSatisfy { $0 == 0 })
    for number in 1...5 {
      #expect(try fixture.one("SELECT count(*) FROM job\(number)_users") == "200")
    }
    #expect(try await fixture.prove().holds)
  }

  private static func oddPages(_ folder: DataFolder) throws -> Int64? {
    let reader = try Connection(folder.databasePath, .readOnly)
    defer { reader.close() }
    return try reader.integer(
      "SELECT count(*) FROM trawl_pages WHERE received <> 10 OR length(keys) <> 80")
  }

  /// A store that meets another program's lock, and the waits that it reports.
  private func blocked(
    _ max: Duration, isHurried: Bool = false
  ) async throws -> (RecordStore, Connection, Locked<[Duration]>) {
    _ = try await fixture.open()
    let told = Locked<[Duration]>([])
    var settings = fixture.settings
    settings.waitMax = max
    settings.onWait = { wait in told.withLock { $0.append(wait) } }
    settings.isHurried = { isHurried }
    let store = try await RecordStore.open(fixture.folder, settings)
    let blocker = try Connection(fixture.folder.databasePath, .readWrite)
    try blocker.execute("BEGIN IMMEDIATE")
    return (store, blocker, told)
  }

  @Test(
    "wait for a lock within a bound, tell that they wait, name it, and wait no second time for it")
  func bound() async throws {
    let (other, blocker, told) = try await blocked(.milliseconds(2_200))
    for number in 1...3 {
      let before = await other.waited
      let error = await #expect(throws: StoreError.self, "two writers at once") {
        _ = try await other.newRun()
      }
      let words = "another program holds the write lock; repeat the command"
      #expect(error?.kind == .busy && error?.message.contains(words) == true)
      // By its own count of what it has slept.
      let slept = await other.waited - before
      #expect(number == 1 ? slept >= .milliseconds(2_200) : slept < .milliseconds(1_100))
    }
    // Reported after one second and after two, not each second.
    #expect(told.withLock { $0 }.map { $0.components.seconds }.prefix(2) == [1, 2])
    try blocker.execute("ROLLBACK")
    _ = try await other.newRun()
  }

  @Test("wait a second, and no minute, once a signal has come or the run's time is over")
  func hurried() async throws {
    let (other, blocker, told) = try await blocked(.seconds(600), isHurried: true)
    for _ in 1...2 {
      await #expect(throws: StoreError.self) {
        _ = try await other.newRun()
      }
    }
    #expect(told.withLock { $0.count } <= 2)
    try blocker.execute("ROLLBACK")
    _ = try await other.newRun()
  }

  @Test("a reader that pins the log holds up neither a run nor its end")
  func pinned() async throws {
    let store = try await fixture.walked(1...10)
    let reader = try Connection(fixture.folder.databasePath, .readOnly)
    try reader.execute("BEGIN")
    _ = try reader.integer("SELECT count(*) FROM people_users")
    try await store.walk([people(11...20)], values: .user(2))
    await store.close()
    #expect(try reader.integer("SELECT count(*) FROM people_users") == 10)
    try reader.execute("COMMIT")
    #expect(try reader.integer("SELECT count(*) FROM people_users") == 20)
  }
}
