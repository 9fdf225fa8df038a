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

  /// Copies the first list with its window and its certificate.
  private static func copyList(_ count: Int, in fixture: Fixture) throws {
    let inserts = [
      copies(
        of: Book.lists, count, ["list_number": "i", "parameters": "'user=' || i"],
        where: "t.list_number = 1"),
      copies(of: Book.windows, count, ["window": "i", "list_number": "i"], where: "t.window = 1"),
      copies(
        of: Book.certificates, count, ["certificate": "i", "window": "i"], where: "t.window = 1"),
    ]
    try fixture.alter(inserts.joined(separator: "; "))
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
    let rejects =
      "INSERT INTO trawl_rejects (job, stream, table_name, key_digest, column_name, path, reason, "
      + "raw, request, window, run, first_seen_at) SELECT job, stream, table_name, list_number, '', "
      + "'.', '', '{}', '{}', list_number, 1, '' FROM trawl_lists WHERE list_number > 100"
    try fixture.alter((inserts + [rejects]).joined(separator: "; "))
    #expect(try fixture.one("SELECT sum(rejected) FROM trawl_trust") == "\(count)")
    for kind in ["course", "absent"] {
      let lists = try fixture.one(
        "SELECT count(*) FROM trawl_facts WHERE kind = '\(kind)' AND list_number > 100")
      #expect(lists == "\(count)")
    }

    let reports = Reports()
    let store = try await reports.open(fixture)
    let run = try await store.newRun()
    _ = reports.taken()
    var work = Work()
    for gone in 1...20 {
      let (done, _) = try await store.walk([people((1...30).filter { $0 != gone })], run: run)
      #expect(done.vanished == 1)
    }
    work.nights = reports.taken()
    _ = try await store.markLeavers(of: "people", run: run)
    work.leavers = reports.taken()
    #expect(try await store.overview().first?.lists.count == count + 1)
    work.overview = reports.taken()
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

  /// The work of doing forty times to a list what was done to it at first, beside so many copies of it.
  private static func work(
    beside count: Int, after first: Range<Int>, _ act: (RecordStore, Int) async throws -> Void
  ) async throws -> Int {
    let fixture = Fixture()
    let reports = Reports()
    let store = try await reports.open(fixture)
    for number in first { try await act(store, number) }
    try copyList(count, in: fixture)
    _ = reports.taken()
    for number in 100..<140 { try await act(store, number) }
    return reports.taken()
  }

  @Test("a failure takes no longer where no list was ever read")
  func failures() async throws {
    func fail(_ store: RecordStore, _ number: Int) async throws {
      let (id, _) = try await store.store([])
      _ = try await store.certifyAnswers(id, Certificate([], verdict: .failed, rule: .failure))
    }
    let few = try await Self.work(beside: 100, after: 0..<1, fail)
    let many = try await Self.work(beside: 10_000, after: 0..<1, fail)
    #expect(many <= few + 5, "\(few), \(many)")
  }

  @Test("a window takes no longer, of a list that has as many as are kept")
  func windows() async throws {
    func certify(_ store: RecordStore, _ day: Int) async throws {
      let begin = Instant(seconds: Int64(day) * 86_400)
      let window = TimeWindow(from: begin, to: begin + .seconds(86_400))
      let (id, receipts) = try await store.store([people([1])], window: window)
      _ = try await store.certifyAnswers(id, Certificate(receipts))
    }
    let kept = 0..<Coverage.windowsKept
    let few = try await Self.work(beside: 100, after: kept, certify)
    let many = try await Self.work(beside: 10_000, after: kept, certify)
    #expect(many <= few + 5, "\(few), \(many)")
  }
}
