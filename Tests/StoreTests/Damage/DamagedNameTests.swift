import Store
import Testing

@Suite("Damaged names")
struct DamagedNameTests {
  private let fixture = Fixture()

  @Test("of jobs hide no other job, even where two of them are equal as texts")
  func alike() async throws {
    let store = try await fixture.open()
    _ = try await store.store([people([1])])
    await store.close()
    for name in ["X'ff'", "X'fe'"] {
      try fixture.alter(
        "INSERT INTO trawl_goals (job, stream, parameters, goal_from, goal_to, added_at) "
          + "VALUES (CAST(\(name) AS TEXT), '', '', '', '', '')")
    }
    let reading = try await fixture.openForReading()
    #expect(try await reading.overview().map(\.job) == ["people"])
  }

  @Test("of tables hide no list from the overview, and the proof reports them")
  func table() async throws {
    await (try await fixture.walked(1...3)).close()
    try fixture.alter("UPDATE trawl_lists SET table_name = 'people_usars'")
    let reading = try await fixture.openForReading()
    #expect(try await reading.overview().first?.lists.map(\.rows) == [3])
    await reading.close()
    #expect(try await fixture.prove().findings.map(\.table).contains("trawl_lists"))
  }
}
