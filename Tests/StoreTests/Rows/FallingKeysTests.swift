import Base
import Store
import Testing

/// Keys of a list that is newest first fall. They are written in rising order, a page at a time.
@Suite("A list whose keys fall")
struct FallingKeysTests {
  @Test("takes no more room than one whose keys rise")
  func room() async throws {
    var sizes: [Int] = []
    let long = String(repeating: "x", count: 800)
    for ids in [Array(1...2_000), Array((1...2_000).reversed())] {
      let fixture = Fixture()
      let store = try await fixture.open(.people())
      let pages = stride(from: 0, to: ids.count, by: 100).map { start in
        people(ids[start..<(start + 100)]) { "\($0)\(long)" }
      }
      try await store.walk(pages, of: "people")
      await store.close()
      let size = try fixture.rows("SELECT sum(pgsize) FROM dbstat WHERE name = 'people_users'")
      sizes.append(try #require(size.first.flatMap { Int($0) }))
    }
    #expect(Double(sizes[1]) < 1.1 * Double(sizes[0]), "\(sizes)")
  }

  @Test("keeps its places")
  func places() async throws {
    let fixture = Fixture()
    let store = try await fixture.open(.people())
    try await store.walk([people([9, 4, 7, 1])], of: "people")
    #expect(
      try fixture.rows("SELECT follower_id FROM people_follows ORDER BY position")
        == ["9", "4", "7", "1"])
  }

  @Test("keeps the last of two records that have the same key")
  func twice() async throws {
    let fixture = Fixture()
    let store = try await fixture.open(.people())
    let first = people([5, 3]).dropLast()
    let page = first + ", " + people([4, 3], login: { "later\($0)" }).dropFirst()
    let done = try await store.walk([String(page)], of: "people")
    #expect(
      try fixture.rows("SELECT login FROM people_users ORDER BY id") == ["later3", "later4", "u5"])
    #expect(done.1[0].summary.keyClashes.onPage == 1)
  }
}
