import Base
import Store
import TestSupport
internal import Testing

@Suite("A file that nobody points to")
struct UnneededTests {
  let fixture = Fixture()
  private static let week = Duration.seconds(7 * 86_400)
  private static let day = Duration.seconds(86_400)

  /// One record whose picture is at this address now, and its file.
  private func show(_ name: String, _ store: isolated RecordStore) async throws {
    let page = #"[{"id": 1, "pic": "https://img.example.org/\#(name)"}]"#
    try await store.walk(things: page)
    for due in try store.imagesDue(of: "box", limit: 10) {
      let outcome = ImageOutcome.stored(due.identity, "aa\(name)", at: "media/aa/aa\(name).png")
      try store.recordImages([outcome], of: "box")
    }
  }

  /// With the picture `one`.
  private func open() async throws -> RecordStore {
    let store = try await fixture.open(
      .things([Column.id, Column("pic", nil, .url)]) {
        $0.media = [MediaRole(name: "still", column: "pic")]
      })
    try await show("one", store)
    return store
  }

  /// What a collection with this grace takes, and how many it leaves for later.
  private func collect(_ store: RecordStore, grace: Duration = week) async throws -> [String] {
    let limit = fixture.time.now - grace
    let forecast = try await store.collectableImages(before: limit)
    let found = try await store.collectImages(before: limit)
    #expect(forecast.images == found.images && forecast.waiting == found.waiting)
    return found.images.map(\.digest) + ["\(found.waiting) waiting"]
  }

  @Test("is kept for the whole grace, however old it is, from when it was seen so first")
  func changed() async throws {
    let store = try await open()
    fixture.time.advance(by: Self.week * 4)
    try await show("two", store)
    #expect(try await collect(store) == ["1 waiting"])
    fixture.time.advance(by: Self.week - Self.day)
    #expect(try await collect(store) == ["1 waiting"])
    fixture.time.advance(by: Self.day)
    #expect(try await collect(store) == ["aaone", "0 waiting"])
    #expect(try await store.prove().holds)
    #expect(
      try fixture.one("SELECT count(*) FROM trawl_media WHERE unneeded_since IS NOT NULL") == "0")
  }

  @Test("is kept while the table of its record is missing: it may be put back")
  func lostTable() async throws {
    let store = try await open()
    try fixture.alter("PRAGMA foreign_keys = OFF; DROP TABLE box_things")
    await #expect(throws: StoreError.self) {
      try await store.collectImages(before: fixture.time.now)
    }
    #expect(try fixture.rows("SELECT digest FROM trawl_media") == ["aaone"])
  }

  @Test("is kept anew when a record has shown it meanwhile")
  func shownAgain() async throws {
    var store = try await open()
    fixture.time.advance(by: Self.week * 4)
    try await show("two", store)
    #expect(try await collect(store) == ["1 waiting"])
    fixture.time.advance(by: Self.day)
    await store.close()
    store = try await open()
    #expect(
      try fixture.one("SELECT count(*) FROM trawl_media WHERE unneeded_since IS NOT NULL") == "0")
    fixture.time.advance(by: Self.week * 2)
    try await show("two", store)
    #expect(try await collect(store) == ["1 waiting"])
    try await show("one", store)
    fixture.time.advance(by: Self.week * 2)
    #expect(try await collect(store) == ["1 waiting"], "the other one, from now on")
  }

  @Test("goes at once without a grace")
  func graceless() async throws {
    let store = try await open()
    fixture.time.advance(by: Self.day)
    try await show("two", store)
    fixture.time.advance(by: .seconds(1))
    #expect(try await collect(store, grace: .zero) == ["aaone", "0 waiting"])
  }

  @Test("counts from the reset that left it behind, as the first collection sees it")
  func reset() async throws {
    let store = try await open()
    fixture.time.advance(by: Self.week * 4)
    _ = try await store.reset(.records, of: "box")
    #expect(try await collect(store) == ["1 waiting"])
    fixture.time.advance(by: Self.week)
    #expect(try await collect(store) == ["aaone", "0 waiting"])
  }

  @Test("counts from when its record was no favorite any more, or vanished")
  func favorite() async throws {
    let store = try await open()
    _ = try await store.addFavorites(table: "box_things", keys: ["1"])
    try fixture.alter("UPDATE box_things SET vanished_at = '2020-01-01T00:00:00Z'")
    fixture.time.advance(by: Self.week * 4)
    #expect(try await collect(store) == ["0 waiting"])
    _ = try await store.removeFavorites(table: "box_things", keys: ["1"])
    #expect(try await collect(store) == ["1 waiting"])
    fixture.time.advance(by: Self.week)
    #expect(try await collect(store) == ["aaone", "0 waiting"])
  }
}
