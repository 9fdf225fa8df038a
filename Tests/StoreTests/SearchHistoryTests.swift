internal import Glibc
internal import Model
internal import SQLite
@testable import Store
internal import TestSupport
internal import Testing

@Suite("A search index after any history of its table")
struct SearchHistoryTests {
  private static let job = Job.things([
    Column("id", nil, .integer), Column("title"), Column("text"),
  ]) {
    $0.searchable = ["title", "text"]
    $0.membership = Membership(table: "found", columns: [], keyNames: ["id"])
    $0.marksVanished = true
  }

  /// Records of ids up to 40, of which each has one of few texts: many come, change back and go.
  private static func page(_ random: inout SeededRandom) -> String {
    let records = (0..<Int(random.next() % 30)).map { _ in
      let (id, one, other) = (random.next() % 40, random.next() % 3, random.next() % 4)
      return #"{"id": \#(id), "title": "title \#(one)", "text": "the text no. \#(other) 서울"}"#
    }
    return "[\(records.joined(separator: ", "))]"
  }

  /// What the index holds: each run of three characters, and the row it is in.
  private static func contents(_ fixture: Fixture, isRebuilt: Bool) throws -> [String] {
    let index = "trawl_search_box_things"
    let connection = try Connection(fixture.folder.databasePath, .readWrite)
    defer { connection.close() }
    try connection.keepLogFiles()
    try connection.execute("BEGIN")
    if isRebuilt { try connection.execute("INSERT INTO \(index) (\(index)) VALUES ('rebuild')") }
    try connection.execute("CREATE VIRTUAL TABLE temp.v USING fts5vocab(main, \(index), instance)")
    let found = try connection.rows("SELECT term, doc FROM v ORDER BY 1, 2") {
      "\($0.text(0) ?? "") \($0.integer(1))"
    }
    try connection.execute("ROLLBACK")
    return found
  }

  /// A kill leaves the files as they are at that instant.
  private static func copy(_ fixture: Fixture, to path: String) {
    for end in ["", "-wal"] {
      guard let from = try? fixture.folder.databasePath else { continue }
      let (file, new) = (
        open(from + end, O_RDONLY | O_CLOEXEC),
        open(path + end, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o640)
      )
      while file >= 0, sendfile(new, file, nil, 1 << 20) > 0 {}
      close(file)
      close(new)
    }
  }

  @Test(
    "equals one that is made anew, whatever came, changed and went, and wherever it was killed",
    arguments: 0..<40)
  func history(seed: Int) async throws {
    var random = SeededRandom(seed: UInt64(seed))
    var fixture = Fixture()
    for _ in 0..<4 {
      let next = Fixture()
      let target = try next.folder.databasePath
      let places: [FaultPoint.Place] = [.beforePageCommit, .afterPageCommit, .beforeSearchGroup]
      let place = places[Int(random.next() % 3)]
      let visit = Int(random.next() % 3)
      let visits = Locked(0)
      let source = fixture
      var settings = fixture.settings
      settings.faults = FaultPoint { reached in
        guard reached == place else { return }
        let number = visits.withLock { visits in
          defer { visits += 1 }
          return visits
        }
        if number == visit { Self.copy(source, to: target) }
      }
      let store = try await RecordStore.open(fixture.folder, settings)
      _ = try await store.adopt(Self.job, origin: Fixture.origin)
      for _ in 0..<Int(1 + random.next() % 4) {
        let page = Self.page(&random)
        try await store.walk([page], stream: "all", of: "box", values: [], accept: true)
        if random.next() % 3 == 0 { try await store.bringUpSearch(of: store.design(of: "box")) }
      }
      // Somebody's own hand.
      let gone = random.next() % 40
      try fixture.alter(
        "DELETE FROM box_found WHERE id = \(gone); DELETE FROM box_things WHERE id = \(gone)")
      let run = try await store.beginRun(job: "box", command: "run", arguments: [])
      try await store.endRun(run, outcome: "complete", exitCode: 0)
      #expect(try fixture.one("SELECT count(*) FROM trawl_search_box_things_due") == "0")
      #expect(
        try Self.contents(fixture, isRebuilt: false) == Self.contents(fixture, isRebuilt: true))
      await store.close()
      if visits.withLock({ $0 }) > visit { fixture = next }
    }
    let store = try await fixture.open(Self.job)
    await store.close()
    #expect(
      try Self.contents(fixture, isRebuilt: false) == Self.contents(fixture, isRebuilt: true))
  }
}
