import Glibc
import Base
@testable import Store
import Testing

@Suite("Lists that are written at the same moment")
struct SharedTransactionTests {
  private let fixture = Fixture()
  private let reached = Locked<[FaultPoint.Place]>([])

  private func open() async throws -> RecordStore {
    try await fixture.open {
      $0.faults = FaultPoint { [reached] place in reached.withLock { $0.append(place) } }
    }
  }

  /// Opens a list for each user, all at once.
  private func open(_ users: Range<Int>, _ store: RecordStore) async throws -> [UnitID] {
    let run = try await store.newRun()
    return try await store.atOnce(users) { store, user in
      let unit = Unit(stream: "followers", values: .user(user))
      return try await store.openAnswers(unit, of: "people", run: run).id
    }
  }

  /// The same, and commits the only page of each, all at once.
  private func fill(_ users: Range<Int>, _ store: RecordStore) async throws -> [PageReceipt] {
    let lists = try await open(users, store)
    return try await store.atOnce(users) { store, user in
      // Neighbours share a record.
      let page = try Page(people([user, user + 1]))
      return try await store.commit(page, step: Step(page: 1), of: lists[user - users.lowerBound])
    }
  }

  @Test("share a transaction, and none is told before all of it is kept")
  func shared() async throws {
    let store = try await open()
    let receipts = try await fill(1..<7, store)
    #expect(receipts.map(\.summary.counts.received) == Array(repeating: 2, count: 6))
    #expect(receipts.map(\.summary.counts.new) == [2, 1, 1, 1, 1, 1])
    let before = Array(repeating: FaultPoint.Place.beforePageCommit, count: 6)
    let after = Array(repeating: FaultPoint.Place.afterPageCommit, count: 6)
    #expect(reached.withLock { $0 } == before + after)
    #expect(try await store.prove().findings == [])
  }

  @Test("wait for answers that came with theirs and are being read")
  func gathered() async throws {
    let store = try await open()
    let answers = HeldTasks()
    await store.expectAnswers(on: answers)
    let lists = try await open(1..<3, store)
    #expect(answers.count == 0)
    var writes: [Task<PageReceipt, any Error>] = []
    for (index, list) in lists.enumerated() {
      writes.append(
        await store.begin { store in
          try await store.commit(Page(people([index])), step: Step(page: 1), of: list)
        })
    }
    #expect(await store.waitingCount == 2)
    #expect(answers.count == 1)
    #expect(reached.withLock { $0 } == [])
    answers.release()
    for write in writes { _ = try await write.value }
    #expect(
      reached.withLock { $0 }
        == [.beforePageCommit, .beforePageCommit, .afterPageCommit, .afterPageCommit])
  }

  @Test("wait for nobody where one list is read")
  func alone() async throws {
    let store = try await open()
    await store.expectAnswers(on: HeldTasks())
    _ = try await store.store([people([1]), people([2])], values: .user(1))
    #expect(reached.withLock { $0.count } == 4)
  }

  @Test("hold what each would hold by itself")
  func same() async throws {
    let other = SharedTransactionTests()
    let (together, alone) = (try await open(), try await other.open())
    _ = try await fill(1..<9, together)
    for user in 1..<9 {
      _ = try await alone.store([people([user, user + 1])], values: .user(user))
    }
    for table in ["people_users", "people_follows", "trawl_windows", "trawl_lists"] {
      let sql = "SELECT * FROM \(table) ORDER BY 1, 2"
      #expect(try fixture.rows(sql) == other.fixture.rows(sql), "\(table)")
    }
  }

  @Test("are kept or lost together, and each hears why")
  func lost() async throws {
    let store = try await open()
    let run = try await store.newRun()
    let path = try fixture.folder.databasePath
    try #require(rename(path, path + ".aside") == 0)
    let errors = try await store.atOnce(1..<5) { store, user in
      let unit = Unit(stream: "followers", values: .user(user))
      do {
        _ = try await store.openAnswers(unit, of: "people", run: run)
        return StoreError.Kind?.none
      } catch let error as StoreError {
        return error.kind
      }
    }
    #expect(errors == Array(repeating: StoreError.Kind.cannotWrite, count: 4))
    try #require(rename(path + ".aside", path) == 0)
    #expect(try fixture.one("SELECT count(*) FROM trawl_lists") == "0")
  }
}

/// Holds the jobs that read answers until they are released.
private final class HeldTasks: TaskExecutor {
  private let tasks = Locked<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    tasks.withLock { $0.append(job) }
  }

  var count: Int { tasks.withLock { $0.count } }

  func release() {
    let held = tasks.withLock { tasks in
      defer { tasks = [] }
      return tasks
    }
    for task in held { task.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}

extension RecordStore {
  fileprivate var waitingCount: Int { waiting.count }

  /// Later calls of the store queue behind it.
  fileprivate func begin<T: Sendable>(
    _ body: @escaping @Sendable (isolated RecordStore) async throws -> T
  ) -> Task<T, any Error> {
    Task { try await body(self) }
  }

  /// Begins all of them before the store has time for one.
  fileprivate func atOnce<T: Sendable>(
    _ numbers: Range<Int>, _ body: @escaping @Sendable (isolated RecordStore, Int) async throws -> T
  ) async throws -> [T] {
    // Each is awaited here.
    let begun = numbers.map { number in Task { try await body(self, number) } }
    var all: [T] = []
    for task in begun { all.append(try await task.value) }
    return all
  }
}
