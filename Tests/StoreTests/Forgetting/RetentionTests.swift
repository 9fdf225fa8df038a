import Base
@testable import Store
import TestSupport
internal import Testing

@Suite("Records that a job keeps for so long")
struct RetentionTests {
  let fixture = Fixture()
  private let job = Job.people { job in
    for index in job.streams.indices { job.streams[index].retain = .seconds(30 * 86_400) }
  }

  private func passDays(_ days: Int) { fixture.time.advance(by: .seconds(days * 86_400)) }

  private func outlived(_ store: RecordStore) async throws -> [[SQLValue]] {
    try await store.outlived(of: job, by: fixture.time.now).flatMap(\.keys)
  }

  private func forgetOutlived(_ store: RecordStore) async throws {
    for one in try await store.outlived(of: job, by: fixture.time.now) {
      _ = try await store.forget(one.keys, of: one.table, job, .retention)
    }
  }

  @Test("are those that were not seen again for so long, whatever their rows say")
  func seen() async throws {
    let store = try await fixture.open(job)
    try await store.walk([people(1...5)])
    passDays(20)
    try await store.walk([people(1...4)])
    passDays(20)
    // No row of 1 to 4 was written on day 20, and its page is gone with the next walk.
    #expect(try await outlived(store) == [[.integer(5)]])
    try await store.walk([people(1...2)])
    #expect(try fixture.one("SELECT count(*) FROM trawl_facts WHERE kind = 'seen'") == "1")
    #expect(try await outlived(store) == [[.integer(5)]])
    try await forgetOutlived(store)
    #expect(try await store.prove().findings == [])
    passDays(11)
    #expect(try await outlived(store) == [[.integer(3)], [.integer(4)]])
    try await forgetOutlived(store)
    #expect(try fixture.rows("SELECT id FROM people_users ORDER BY id") == ["1", "2"])
    #expect(try await store.prove().findings == [])
    // Read again, they are new.
    try await store.walk([people(1...5)])
    #expect(try fixture.one("SELECT count(*) FROM people_users") == "5")
    #expect(try await store.prove().findings == [])
  }

  @Test("leave marks that go with the last page that names their keys")
  func marks() async throws {
    let store = try await fixture.open(job)
    func marks() throws -> String? {
      try fixture.one("SELECT count(*) FROM trawl_facts WHERE kind = 'forgotten'")
    }
    try await store.walk([people(1...3)])
    passDays(31)
    #expect(try fixture.one("SELECT rows FROM trawl_lists") == "3")
    try await forgetOutlived(store)
    #expect(try fixture.one("SELECT rows FROM trawl_lists") == "0")
    #expect(try marks() == "3")
    #expect(try await store.prove().findings == [])
    for _ in 1...2 { try await store.walk([people(2...3)]) }
    _ = try await outlived(store)
    #expect(try marks() == "2")
    #expect(try await store.prove().findings == [])
  }

  @Test("are stored again by a run that finds them, and why says so")
  func why() async throws {
    let store = try await fixture.open(job)
    try await store.walk([people(1...2)])
    passDays(31)
    try await forgetOutlived(store)
    let table = try await store.keyedTable("people_users")
    let found = try await store.provenance(of: table, key: [.integer(1)], column: nil)
    #expect(found.forgottenAt != nil && found.mayReturn)
  }

  @Test(
    "are not those that were seen last on pages that something else than a walk deletes, or by keys of another type",
    arguments: [Resetting.coverage, .progress, nil])
  func deletedPages(what: Resetting?) async throws {
    let store = try await fixture.open(job)
    try await store.walk([people(1...5)])
    passDays(40)
    if what == .progress {
      try await store.store([people(1...5)])
    } else {
      try await store.walk([people(1...5)])
    }
    if let what {
      _ = try await store.reset(what, of: "people")
    } else {
      var edited = job
      for index in edited.streams.indices { edited.streams[index].columns[0].kind = .text }
      try await store.adopt(edited)
    }
    passDays(1)
    #expect(try await outlived(store) == [])
    passDays(30)
    #expect(try await outlived(store).count == 5)
  }

  @Test("are also those of a table whose stream is out of the job, by the job's own time")
  func streamOut() async throws {
    var edited = job
    edited.retain = .seconds(30 * 86_400)
    let store = try await fixture.open(edited)
    try await store.walk([people(1...5)])
    edited.streams = [edited.streams[0]]
    edited.streams[0].table = "others"
    try await store.adopt(edited)
    passDays(31)
    #expect(try await store.outlived(of: edited, by: fixture.time.now).map(\.keys.count) == [5])
  }

  @Test("take along what did not fit, and is of no record")
  func rejects() async throws {
    let store = try await fixture.open(job)
    try await store.walk([#"[{"id": "none", "login": "somebody"}]"#])
    #expect(try fixture.one("SELECT count(*) FROM trawl_rejects") == "1")
    passDays(31)
    _ = try await outlived(store)
    #expect(try fixture.one("SELECT count(*) FROM trawl_rejects") == "0")
    #expect(try await store.unwipedFiles() == [])
  }
}
