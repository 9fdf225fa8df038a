import Base
import Store
internal import Testing

@Suite("Two lists that are called alike")
struct ListIdentityTests {
  let fixture = Fixture()

  /// Two lists of the same name and length; the first complete, the second failed.
  private func filled() async throws -> RecordStore {
    let job = Job.people { $0.streams[1].listName = Template("followers") }
    let store = try await fixture.open(job)
    try await store.walk([people(1...2)], values: .user(1))
    try await store.walk([people(3...4)], values: .user(2), verdict: .failed, rule: .loop)
    return store
  }

  @Test("have each their own verdict, under their own job, whether all jobs are looked at or one")
  func jobs() async throws {
    let store = try await filled()
    try await store.adopt(Job.people { $0.name = "others" })
    try await store.walk([people(5...7)], of: "others")
    let all = try await store.overview()
    #expect(all.map(\.job) == ["others", "people"])
    #expect(all.map { $0.lists.map(\.rows) } == [[3], [2, 2]])
    #expect(all.map { $0.lists.map(\.verdict) } == [["complete"], ["complete", "failed"]])
    #expect(Set(all.flatMap { $0.lists.map(\.number) }).count == 3)
    for overview in all {
      let lists = try #require(try await store.overview(of: overview.job).first?.lists)
      #expect(lists.map(\.number) == overview.lists.map(\.number))
      #expect(lists.map(\.mappings) == overview.lists.map(\.mappings))
      #expect(lists.allSatisfy { $0.mappings.count == 1 })
      #expect(try await store.runs(job: overview.job, limit: 1).map(\.job) == [overview.job])
    }
  }

  @Test("are two lists in the proof, and cited by their own certificates")
  func proof() async throws {
    let store = try await filled()
    try fixture.alter("UPDATE people_follows SET position = position + 1 WHERE user_id = 2")
    let proof = try await store.prove()
    #expect(proof.certificates.map(\.holds) == [true, false])
    #expect(Set(proof.certificates.map(\.listNumber)).count == 2)
    let citations = try await store.citations()
    #expect(citations.map(\.verdict) == ["complete", "failed"])
    #expect(citations.map { proof.supports($0) } == [true, false])
  }
}

@Suite("A citation")
struct CitationTests {
  let fixture = Fixture()

  @Test("is of what the last walk brought: rows of earlier ones are named as such")
  func union() async throws {
    let store = try await fixture.open()
    func cited() async throws -> (rows: Int, walked: Int?) {
      let citation = try #require(try await store.citations().first)
      return (try await store.lines(of: citation) { _ in }, citation.walked)
    }
    try await store.walk([people(1...3)], verdict: .unproven)
    #expect(try await cited() == (3, 3))
    try await store.walk([people(3...5)], verdict: .unproven)
    #expect(try await cited() == (5, 3))
    try await store.walk([people(4...8)], verdict: .unproven)
    #expect(try await cited() == (8, 5))
    // A proven walk marks what is gone, so that both numbers agree again.
    try await store.walk([people(4...8)])
    #expect(try await cited() == (5, 5))
  }

  @Test(
    "is refused while the file holds damage that no row can be named for, however much else is found",
    arguments: [3, 1700])
  func manyFindings(damaged: Int) async throws {
    let store = try await fixture.walked(1...3)
    let box = Job.things([Column.id, Column("name")])
    try await store.adopt(box)
    let things = (1...1700).map { #"{"id": \#($0), "name": "n"}"# }.joined(separator: ", ")
    try await store.walk(things: "[\(things)]")
    try fixture.alter(
      """
      UPDATE box_things SET name = 'other' WHERE id <= \(damaged);
      PRAGMA foreign_keys = OFF; DELETE FROM people_users WHERE id = 2;
      """)
    let proof = try await store.prove()
    #expect(proof.findingCount > damaged)
    let cited = try await store.citations(ProofChoice(jobs: ["people"]))
    #expect(cited.map { proof.supports($0) } == [false])
  }
}
