import Base
@testable import Store
import TestSupport
internal import Testing

@Suite("Several writers on one file")
struct ConcurrencyTests {
  let fixture = Fixture()

  @Test("each end as they would alone, also in a new folder; readers in between see whole pages")
  func writers() async throws {
    let folder = try fixture.folder
    let settings = fixture.settings
    let pages = 20
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...5 {
        group.addTask {
          let store = try await RecordStore.open(folder, settings)
          let name = "job\(number)"
          let job = Job.people { $0.name = name }
          _ = try await store.adopt(job, origin: Fixture.origin)
          let bodies = (0..<pages).map { people(($0 * 10 + 1)...($0 * 10 + 10)) }
          let (certified, _) = try await store.walk(bodies, of: name)
          #expect(certified.rows == pages * 10)
          await store.close()
        }
      }
      group.addTask {
        for _ in 0..<30 where folder.hasDatabase {
          let reader = try Connection(folder.databasePath, .readOnly)
          let odd = try reader.snapshot {
            try reader.integer(
              "SELECT count(*) FROM trawl_pages WHERE received <> 10 OR length(keys) <> 80")
          }
          #expect(odd == 0)
          reader.close()
          await Task.yield()
        }
      }
      try await group.waitForAll()
    }
    for number in 1...5 {
      #expect(try fixture.one("SELECT count(*) FROM job\(number)_users") == "200")
    }
    #expect(try await fixture.prove().holds)
  }

  /// A store that meets another program's lock, and the waits that it reports.
  private func blocked(
    _ max: Duration, isHurried: Bool = false
  ) async throws -> (RecordStore, Connection, Locked<[Duration]>) {
    _ = try await fixture.open()
    let told = Locked<[Duration]>([])
    var settings = RecordStore.Settings(
      time: fixture.time.timekeeper, waitMax: max,
      onWait: { wait in told.withLock { $0.append(wait) } })
    settings.isHurried = { isHurried }
    let store = try await RecordStore.open(fixture.folder, settings)
    let blocker = try Connection(fixture.folder.databasePath, .readWrite)
    try blocker.execute("BEGIN IMMEDIATE")
    return (store, blocker, told)
  }

  @Test("wait for a lock within a bound, tell that they wait, and name it when it is too long")
  func bound() async throws {
    let (other, blocker, told) = try await blocked(.milliseconds(1200))
    let error = await #expect(throws: StoreError.self, "two writers at once") {
      _ = try await other.beginRun(job: "people", command: "run", arguments: [])
    }
    let words = "another program holds the write lock; repeat the command"
    #expect(error?.kind == .busy && error?.message.contains(words) == true)
    #expect(told.withLock { $0.count } == 1)
    #expect(await other.waited >= .milliseconds(1200))
    try blocker.execute("ROLLBACK")
    _ = try await other.beginRun(job: "people", command: "run", arguments: [])
    await other.close()
  }

  @Test("wait a second, and no minute, once a signal has come or the run's time is over")
  func hurried() async throws {
    let (other, blocker, told) = try await blocked(.seconds(600), isHurried: true)
    for _ in 1...2 {
      await #expect(throws: StoreError.self) {
        _ = try await other.beginRun(job: "people", command: "run", arguments: [])
      }
    }
    #expect(told.withLock { $0.count } <= 2)
    try blocker.execute("ROLLBACK")
    _ = try await other.beginRun(job: "people", command: "run", arguments: [])
    await other.close()
  }

  @Test("are not waited for a second time by one that has waited in vain")
  func once() async throws {
    let (other, blocker, told) = try await blocked(.milliseconds(2_200))
    var waits: [Duration] = []
    for _ in 1...3 {
      let before = await other.waited
      await #expect(throws: StoreError.self) {
        _ = try await other.beginRun(job: "people", command: "run", arguments: [])
      }
      waits.append(await other.waited - before)
    }
    // By its own count of what it has slept.
    #expect(waits[0] >= .milliseconds(2_200) && waits[1] < .milliseconds(1_100))
    #expect(waits[2] < .milliseconds(1_100))
    // Reported after one second and after two, not each second.
    #expect(told.withLock { $0 }.map { $0.components.seconds }.prefix(2) == [1, 2])
    try blocker.execute("ROLLBACK")
    await other.close()
  }

  @Test("a reader that pins the log holds up neither a run nor its end")
  func pinned() async throws {
    let store = try await fixture.walked(1...10)
    let reader = try Connection(fixture.folder.databasePath, .readOnly)
    try reader.execute("BEGIN")
    _ = try reader.integer("SELECT count(*) FROM people_users")
    try await store.walk([people(11...20)], values: [ParameterValue("user", "2")])
    await store.close()
    #expect(try reader.integer("SELECT count(*) FROM people_users") == 10)
    try reader.execute("COMMIT")
    #expect(try reader.integer("SELECT count(*) FROM people_users") == 20)
  }
}
