import Base
import Store
internal import Testing

@Suite("The proof")
struct ProofTests {
  let fixture = Fixture()

  private func filled() async throws -> RecordStore {
    let store = try await fixture.open()
    try await store.walk([people(1...40), people(41...60)])
    try await store.walk([profile(5, followers: 5)], stream: "profile")
    return store
  }

  @Test("holds for what was stored, and says how much it looked at")
  func sound() async throws {
    let store = try await filled()
    let proof = try await store.prove()
    #expect(proof.holds)
    // 60 people and 60 memberships.
    #expect(proof.tables.map(\.rows) == [60, 60])
    #expect([proof.rows, proof.pages, proof.certificates.count] == [120, 3, 2])
    #expect(proof.certificates.map(\.keys) == [60, 1])
  }

  @Test("counts of a list without memberships its own rows, not those of all such lists")
  func shared() async throws {
    let store = try await filled()
    try await store.walk([profile(6, followers: 1)], stream: "profile", values: .user(6))
    let proof = try await store.prove()
    #expect(proof.holds)
    let profiles = proof.certificates.filter { $0.stream == "profile" }
    #expect(profiles.map(\.rows) == [1, 1])
    // As every other place reports it.
    #expect(
      try fixture.rows("SELECT rows FROM trawl_lists WHERE stream = 'profile'") == ["1", "1"])
  }

  @Test("counts that do not add up cannot be stored at all")
  func sums() async throws {
    _ = try await filled()
    for table in ["trawl_pages", "trawl_certificates"] {
      #expect(throws: SQLiteError.self) {
        try fixture.alter("UPDATE \(table) SET received = received + 1")
      }
    }
  }

  @Test(
    "does not believe a certificate, its list or its pages that another hand wrote",
    arguments: [
      "UPDATE trawl_certificates SET verdict = 'limited', why = 'as we like it' WHERE window = 1",
      "UPDATE trawl_certificates SET issued_at = '2031-01-01T00:00:00Z' WHERE window = 1",
      "UPDATE trawl_lists SET list = 'all of them' WHERE list_number = 1",
      "UPDATE trawl_pages SET committed_at = '2031-01-01T00:00:00Z' WHERE window = 1",
      // What such values would give is not looked at.
      "UPDATE trawl_pages SET new = new - 1, changed = changed + 1 WHERE window = 1",
    ])
  func foreignHand(sql: String) async throws {
    let store = try await filled()
    try fixture.alter(sql)
    let proof = try await store.prove()
    #expect(proof.findings.allSatisfy { sql.contains($0.table) } && !proof.holds)
    #expect(proof.certificates.map(\.holds) == [false, true])
    // Nothing is reported for another job.
    #expect(try await store.prove(ProofChoice(jobs: ["others"])).holds)
  }

  @Test("does not come to believe such a certificate because the job file changes")
  func keptDoubt() async throws {
    let store = try await filled()
    try fixture.alter("UPDATE trawl_certificates SET verdict = 'limited' WHERE window = 1")
    try await store.store([people(1...40)], prints: Fingerprints(request: 1, mapping: 2))
    #expect(
      try fixture.one("SELECT standing FROM trawl_certificates WHERE window = 1") == "older mapping"
    )
    let proof = try await store.prove()
    #expect(Set(proof.findings.map(\.table)) == ["trawl_certificates"])
    #expect(proof.certificates.map(\.holds) == [false, true])
  }
}
