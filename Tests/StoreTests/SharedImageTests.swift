import Base
import Store
import TestSupport
internal import Testing

/// Two jobs whose records show the same URLs, as one with `use:` and the one that it uses do.
@Suite("A picture of two jobs")
struct SharedImageTests {
  let fixture = Fixture()

  private func job(_ name: String, pic type: Column.Kind = .url) -> Job {
    .things([Column.id, Column("pic", nil, type)], name: name) {
      $0.media = [MediaRole(name: "still", column: "pic")]
    }
  }

  /// One run of a job, and its images that are due then.
  private func run(_ name: String, _ ids: [Int]) async throws -> [String] {
    let records = ids.map { #"{"id": \#($0), "pic": "https://img.example.org/\#($0)"}"# }
    let store = try await fixture.walked(job(name), "[\(records.joined(separator: ", "))]")
    let due = try await store.imagesDue(of: name, limit: 10)
    await store.close()
    return due.map { "\($0.title) \($0.identity.split(separator: "/").last ?? "")" }
  }

  private func record(_ outcome: ImageOutcome, of name: String) async throws {
    try await fixture.open(job(name)).recordImages([outcome], of: name)
  }

  private func stored(_ id: Int) -> ImageOutcome {
    .stored("https://img.example.org/\(id)", "9\(id)")
  }

  private func owners() throws -> [String] {
    try fixture.rows("SELECT url, job FROM trawl_media_urls ORDER BY url")
      .map { String($0.dropFirst("https://img.example.org/".count)) }
  }

  @Test("is fetched by the one that asks last, also when its own record is unchanged")
  func pending() async throws {
    #expect(try await run("a", [1, 2]) == ["a_things 1 1", "a_things 2 2"])
    #expect(try await run("b", [2, 3]) == ["b_things 2 2", "b_things 3 3"])
    #expect(try owners() == ["1|a", "2|b", "3|b"])
    #expect(try await run("a", [1, 2]) == ["a_things 1 1", "a_things 2 2"])
    #expect(try await fixture.prove().holds)
  }

  @Test("is each job's own where its address has no scheme")
  func relative() async throws {
    for name in ["a", "b"] {
      let store = try await fixture.walked(
        job(name, pic: .text), #"[{"id": 1, "pic": "/i/1.gif"}]"#)
      let due = try await store.imagesDue(of: name, limit: 10)
      #expect(due.map(\.identity) == ["\(name)_things.still:/i/1.gif"])
      #expect(due.map(\.url) == ["/i/1.gif"])
      try await store.recordImages(due.map { .stored($0.identity, "9\(name)") }, of: name)
      await store.close()
    }
    for name in ["a", "b"] {
      let shown = try fixture.rows("SELECT id, still_path FROM \(name)_things_media")
      #expect(shown == ["1|media/9\(name).png"])
    }
  }

  @Test("changes hands no more when it is here, nor before a refusal is over")
  func settled() async throws {
    _ = try await run("a", [1, 2])
    try await record(stored(1), of: "a")
    try await record(
      .refused(
        identity: "https://img.example.org/2", status: 500, reason: "500", mayBeAskedAgain: true),
      of: "a")
    #expect(try await run("b", [1]) == [])
    #expect(try owners() == ["1|a", "2|a"])
    // A new record takes over the refused image, with its wait.
    #expect(try await run("b", [1, 2]) == [])
    #expect(try owners() == ["1|a", "2|b"])
    #expect(try fixture.one("SELECT max(attempts) FROM trawl_media_urls") == "1")
    #expect(try await run("a", [1, 2]) == [])
    #expect(try owners() == ["1|a", "2|b"])
    fixture.time.advance(by: .seconds(2 * 86_400))
    #expect(try await run("a", [1, 2]) == ["a_things 2 2"])
  }

  @Test("stays with the one that is left when the other is forgotten")
  func reset() async throws {
    _ = try await run("a", [1, 2, 3])
    for id in [1, 2] { try await record(stored(id), of: "a") }
    _ = try await run("b", [2, 3])
    // The third is not stored yet, so it belongs to the job that requested it last.
    #expect(try await run("a", [1, 2, 3]) == ["a_things 3 3"])
    #expect(try owners() == ["1|a", "2|a", "3|a"])
    let store = try await fixture.open(job("b"))
    let would = try await store.resetPreview(.records, of: "a")
    #expect(would.lines.last?.what == "image address (the file stays in media/)")
    #expect(try await store.reset(.records, of: "a") == would)
    #expect(try owners() == ["2|b", "3|b"])
    #expect(
      try fixture.rows("SELECT table_name, role, record_key FROM trawl_media_urls ORDER BY url")
        == ["b_things|still|2", "b_things|still|3"])
    #expect(
      try fixture.rows("SELECT id, still_path FROM b_things_media ORDER BY id")
        == ["2|media/92.png", "3|-"])
    await store.close()
    #expect(try await run("b", [2, 3]) == ["b_things 3 3"])
    #expect(try await fixture.prove().holds)
  }

  @Test("rests when no record shows it any more, in more tables than one statement has room for")
  func manyTables() async throws {
    var many = job("many")
    many.streams = (0..<510).map { number in
      var one = many.streams[0]
      (one.name, one.table) = ("s\(number)", "t\(number)")
      return one
    }
    let others = try await fixture.open(many)
    try await others.walk(
      [#"[{"id": 2, "pic": "https://img.example.org/2"}]"#], stream: "s509", of: "many", values: [])
    await others.close()
    _ = try await run("a", [1, 2, 3])
    try fixture.alter("UPDATE a_things SET vanished_at = '2026-01-01T00:00:00Z' WHERE id > 1")
    let store = try await fixture.open(job("a"))
    #expect(try await store.resetPreview(.records, of: "a").lines.last?.count == 2)
    #expect(try await store.restGoneImages(of: job("a")) == 1)
    #expect(
      try fixture.rows("SELECT url FROM trawl_media_urls WHERE reason = 'in no list'")
        == ["https://img.example.org/3"])
  }
}
