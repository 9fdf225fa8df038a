import Base
@testable import Store
import TestSupport
import Testing

@Suite("A verdict survives a power cut")
struct DurableVerdictTests {
  private let fixture = Fixture()

  /// A list of one record, read and certified now.
  private func walk(_ number: Int, _ store: RecordStore) async throws {
    _ = try await store.walk([people([number])], values: .user(number))
  }

  @Test("at once where it stands alone")
  func alone() async throws {
    let store = try await fixture.open()
    for number in 1...3 {
      try await walk(number, store)
      #expect(await !store.sync.isOwed)
      fixture.time.advance(by: SyncPace.interval)
    }
  }

  @Test("with the first write a tenth of a second behind it, where many lists end at once")
  func many() async throws {
    let store = try await fixture.open()
    for number in 1...3 { try await walk(number, store) }
    #expect(await store.sync.isOwed)
    fixture.time.advance(by: SyncPace.interval - .milliseconds(1))
    let (list, _) = try await store.store([people([4])], values: .user(4))
    #expect(await store.sync.isOwed)
    fixture.time.advance(by: .milliseconds(1))
    // A page, of any list.
    _ = try await store.commit(try Page(people([5])), step: Step(page: 2), of: list)
    #expect(await !store.sync.isOwed)
  }

  @Test("before the run says how it ended")
  func ended() async throws {
    let store = try await fixture.open()
    let run = try await store.newRun()
    for number in 1...3 { try await walk(number, store) }
    #expect(await store.sync.isOwed)
    try await store.endRun(run, outcome: "complete", exitCode: 0)
    #expect(await !store.sync.isOwed)
  }
}
