import Base
import Glibc
@testable import Store
import TestSupport
internal import Testing

@Suite("A record that is forgotten, and a backup that has it")
struct ForgottenBackupTests {
  let fixture = Fixture()

  /// Two pages, the second of which was requested after a record of the first.
  private func walk(after key: String, _ store: RecordStore) async throws {
    let unit = Unit(stream: "followers", values: .user(1))
    let opening = try await store.openAnswers(unit, of: "people")
    let first = try await store.commit(
      try Page(people([7_654_321, 1_234_567])), step: Step(page: 1), of: opening.id)
    let step = Step(
      purpose: .page, ordinal: 2, cursor: .token(key),
      address: WebAddress(origin: Fixture.origin, path: "/list", query: "after=\(key)"))
    let second = try await store.commit(try Page(people(1...2)), step: step, of: opening.id)
    _ = try await store.certifyAnswers(opening.id, Certificate([first, second]))
  }

  @Test("stays forgotten in a restore whose addresses name it, under the restore's own locks")
  func restoredWithAddresses() async throws {
    let store = try await fixture.open()
    try await walk(after: "1234567", store)
    let backup = try fixture.backUp()
    let told = try await ForgetTests.forget([1_234_567], store)
    #expect(told.forgotten.lines.contains { $0.what.holds("walk whose addresses name it") })
    await store.close()
    let lock = try #require(try JobLock.take("people", in: fixture.folder))
    try await fixture.restore(backup)
    withExtendedLifetime(lock) {}
    #expect(try fixture.rows("SELECT id FROM people_users ORDER BY id") == ["1", "2", "7654321"])
    #expect(try fixture.one("SELECT count(*) FROM trawl_pages") == "0")
  }

  @Test("stays forgotten in a backup that is restored, and its bytes are not there")
  func restored() async throws {
    let store = try await fixture.open()
    try await store.walk([people(1...5) { "somebody-called-\($0)" }])
    let backup = try fixture.backUp()
    let table = try await store.keyedTable("people_users")
    try await store.note(copy: backup)
    #expect(try await store.knownCopies() == [backup])
    try await ForgetTests.forget([2], store)
    #expect(store.holds([ForgetTests.key(2)], of: table, copy: backup) == true)
    #expect(store.holds([ForgetTests.key(9)], of: table, copy: backup) == false)
    await store.close()
    try await fixture.restore(backup)
    #expect(try fixture.rows("SELECT id FROM people_users ORDER BY id") == ["1", "3", "4", "5"])
    #expect(!String(decoding: try fixture.bytes(), as: UTF8.self).contains("somebody-called-2"))
    let after = try await fixture.open()
    try await after.walk([people(1...5)])
    #expect(try fixture.rows("SELECT id FROM people_users ORDER BY id") == ["1", "3", "4", "5"])
    #expect(try await after.prove().findings == [])
  }

  @Test("stays forgotten in a backup from before its job was renamed, once that has its new name")
  func restoredRenamed() async throws {
    let store = try await fixture.walked(1...5)
    try await ForgetTests.forget([3], store)
    let backup = try fixture.backUp()
    await store.close()
    var folk = Job.people()
    (folk.name, folk.was) = ("folk", "people")
    let renamed = try await fixture.open(folk)
    let table = try await renamed.keyedTable("folk_users")
    _ = try await renamed.forget([ForgetTests.key(2)], of: table, nil, .person)
    // The copy has the table by another name.
    #expect(renamed.holds([ForgetTests.key(2)], of: table, copy: backup) == nil)
    await renamed.close()
    let restored = try await fixture.restore(backup)
    #expect(!restored.isForgottenUnknown)
    let after = try await fixture.open(folk)
    #expect(try fixture.rows("SELECT id FROM folk_users ORDER BY id") == ["1", "4", "5"])
    #expect(try fixture.one("SELECT count(*) FROM trawl_facts WHERE kind = 'forgotten'") == "2")
    #expect(try await after.knownCopies().contains(backup))
    #expect(try await after.prove().findings == [])
  }

  @Test("is said to be unknown where the database that a restore replaces cannot be read")
  func restoredOverDamage() async throws {
    let store = try await fixture.walked(1...5)
    let backup = try fixture.backUp()
    try await ForgetTests.forget([2], store)
    await store.close()
    let file = Glibc.open(try fixture.folder.databasePath, O_WRONLY | O_CLOEXEC)
    let zeros = [UInt8](repeating: 0, count: 8_192)
    #expect(pwrite(file, zeros, zeros.count, 0) == zeros.count)
    close(file)
    let restoring = try RestoreDraft(from: backup, into: fixture.folder, fixture.settings)
    #expect(try await restoring.prove().findings == [])
    #expect(restoring.isForgottenUnknown)
  }
}
