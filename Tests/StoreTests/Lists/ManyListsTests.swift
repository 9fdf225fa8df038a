import Base
@testable import Store
internal import Testing

@Suite("With four times as many lists beside it")
struct ManyListsTests {
  /// How often the store reported its work, which is once for so many steps of SQLite.
  private struct Work {
    var nights = 0
    var leavers = 0
    var overview = 0
  }

  /// Copies of what a table of the book has of the first list, for the lists from 101 on.
  private static func copies(
    of table: BookTable, _ count: Int, _ values: [String: String], where condition: String
  ) -> String {
    let names = table.columns.map(\.name)
    let copied = names.map { values[$0] ?? "t.\($0)" }
    return "WITH RECURSIVE n (i) AS "
      + "(SELECT 101 UNION ALL SELECT i + 1 FROM n WHERE i < \(100 + count)) "
      + "INSERT INTO \(table.name) (\(names.joined(separator: ", "))) "
      + "SELECT \(copied.joined(separator: ", ")) FROM \(table.name) t, n WHERE \(condition)"
  }

  private static func work(_ count: Int) async throws -> Work {
    let fixture = Fixture()
    try await fixture.walked(1...30).close()
    let isCourse = "t.kind = 'course' AND t.list_number = 1"
    let inserts = [
      copies(
        of: Book.lists, count,
        [
          "list_number": "i", "parameters": "'user=' || i", "list": "'followers of ' || i",
          "list_where": "json_object('user_id', i)",
        ], where: "t.list_number = 1"),
      copies(
        of: Book.windows, count, ["window": "i", "list_number": "i"], where: "t.list_number = 1"),
      copies(
        of: Book.pages, count, ["page": "i", "window": "i", "answer_print": "i"],
        where: "t.window = 1"),
      copies(of: Book.facts, count, ["list_number": "i"], where: isCourse),
      copies(
        of: Book.facts, count, ["kind": "'absent'", "list_number": "i", "subject": "'older'"],
        where: isCourse),
    ]
    try fixture.alter(inserts.joined(separator: "; "))
    for kind in ["course", "absent"] {
      let lists = try fixture.one(
        "SELECT count(*) FROM trawl_facts WHERE kind = '\(kind)' AND list_number > 100")
      #expect(lists == "\(count)")
    }

    let reports = Locked(0)
    var settings = fixture.settings
    settings.onWork = { reports.withLock { $0 += 1 } }
    func taken() -> Int {
      let count = reports.withLock { $0 }
      reports.withLock { $0 = 0 }
      return count
    }
    let store = try await RecordStore.open(fixture.folder, settings)
    _ = try await store.adopt(.people(), origin: Fixture.origin)
    let run = try await store.beginRun(job: "people", command: "run", arguments: [])
    let unit = Unit(stream: "followers", values: [ParameterValue("user", "1")])
    _ = taken()
    var work = Work()
    for gone in 1...20 {
      let opening = try await store.openAnswers(unit, of: "people", run: run)
      let receipt = try await store.commit(
        try Page(people((1...30).filter { $0 != gone })), step: Step(page: 1), of: opening.id)
      let done = try await store.certifyAnswers(opening.id, Certificate([receipt]))
      #expect(done.vanished == 1)
    }
    work.nights = taken()
    _ = try await store.markLeavers(of: "people", run: run)
    work.leavers = taken()
    #expect(try await store.overview().first?.lists.count == count + 1)
    work.overview = taken()
    await store.close()
    return work
  }

  @Test("a departure takes no longer, and what looks at all lists no longer than four times")
  func growth() async throws {
    let few = try await Self.work(1_000)
    let many = try await Self.work(4_000)
    #expect(many.nights <= few.nights + 5, "\(few), \(many)")
    #expect(many.leavers <= 4 * few.leavers + 10, "\(few), \(many)")
    #expect(many.overview <= 4 * few.overview + 10, "\(few), \(many)")
  }
}
