import Base
import Store
import Testing

/// Keys of a list that is newest first fall. They are written in rising order, a page at a time.
@Suite("A list whose keys fall")
struct FallingKeysTests {
  private let fixture = Fixture()

  @Test("takes no more room than one whose keys rise")
  func room() async throws {
    var sizes: [Int] = []
    let long = String(repeating: "x", count: 800)
    for ids in [Array(1...2_000), Array((1...2_000).reversed())] {
      let fixture = Fixture()
      let store = try await fixture.open()
      let pages = stride(from: 0, to: ids.count, by: 100).map { start in
        people(ids[start..<(start + 100)]) { "\($0)\(long)" }
      }
      try await store.walk(pages)
      await store.close()
      let size = try fixture.one("SELECT sum(pgsize) FROM dbstat WHERE name = 'people_users'")
      sizes.append(try #require(size.flatMap { Int($0) }))
    }
    #expect(Double(sizes[1]) < 1.1 * Double(sizes[0]), "\(sizes)")
  }

  @Test("keeps its places")
  func places() async throws {
    _ = try await fixture.walked([9, 4, 7, 1])
    #expect(
      try fixture.rows("SELECT follower_id FROM people_follows ORDER BY position")
        == ["9", "4", "7", "1"])
  }
}
