import Base
import Store
import TestSupport
internal import Testing

@Suite("What a row's digests are taken over")
struct RowCheckTests {
  let fixture = Fixture()

  /// A function of SQLite has 127 arguments at most.
  @Test(
    "are all of its columns, however many", arguments: [80, 90, 100, 120, 127, 128, 190, 200, 350])
  func wide(width: Int) async throws {
    let names = (1...width).map { "c\($0)" }
    let store = try await fixture.open(
      .people { job in job.streams[0].columns += names.map { Column($0) } })
    let values = names.map { #""\#($0)": "v \#($0)""# }.joined(separator: ", ")
    try await store.walk(
      ["[{\"id\": 5, \"login\": \"u5\", \(values)}]"], stream: "profile", values: .user(5))
    try await store.walk([people(1...4)])
    await store.close()
    #expect(try await fixture.prove().findings == [])
    for name in [names[0], names[width / 2], names[width - 1]] {
      try fixture.alter("UPDATE people_users SET \(name) = upper(\(name)) WHERE id = 5")
      let proof = try await fixture.prove()
      #expect(proof.findings.map(\.key) == ["5"], "\(name): \(proof.findings)")
      #expect(proof.findings.first?.what.contains(name) == true)
      try fixture.alter("UPDATE people_users SET \(name) = lower(\(name)) WHERE id = 5")
    }
    try fixture.alter("UPDATE people_users SET first_seen_at = '' WHERE id = 3")
    #expect(try await fixture.prove().findings.map(\.key) == ["3"])
  }

  @Test(
    "are NULL in a call without arguments, which any query may make",
    arguments: ["trawl_words", "trawl_pairs", "trawl_sealed"])
  func nothing(function: String) async throws {
    await (try await fixture.walked(1...3)).close()
    let query = try ReadingQuery(fixture.folder, fixture.settings) { false }
    var rows: [[SQLValue]] = []
    try query.run("SELECT \(function)()") { _ in
    } take: { row in
      rows.append(row)
      return true
    }
    #expect(rows == [[.null]])
  }
}
