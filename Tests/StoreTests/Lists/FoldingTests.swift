internal import Testing

@testable import Store

@Suite("The pages of earlier walks")
struct FoldingTests {
  let fixture = Fixture()

  @Test("are folded to the last one, in however many parts they go", arguments: [-1, 0, 1])
  func parts(more: Int) async throws {
    let store = try await fixture.open()
    // Those of the first walk are two full parts, and a page less or more.
    let records = 1...(2 * RecordStore.pagesFoldedAtOnce + more)
    try await store.walk(records.map { people($0...$0) })
    // One answer of exactly 1,000 may be cut.
    try await store.walk([people(1...(records.upperBound + 2))])
    #expect(try fixture.one("SELECT count(*), min(traversal) FROM trawl_pages") == "1|2")
    await store.close()
    #expect(try await fixture.prove().findings.isEmpty)
  }
}
