import Base
@testable import Store
import TestSupport
internal import Testing

@Suite("A page that is read before the store has time for it")
struct EarlyRowsTests {
  /// Columns of every source: of the record, its place, the request; with an expression, and a `keep`.
  private static var job: Job {
    .things([
      Column.id, Column("name", nil, required: true),
      Column("at", nil, .time(digits: 0, zone: nil)), Column("size", nil, .integer, volatile: true),
      Column("shout", "name", expression: "upper(value)"),
      Column(name: "place", source: .position, kind: .integer),
      Column(name: "asked", source: .parameter("q")),
    ]) {
      $0.keep = "name <> 'drop'"
      $0.membership = Membership(
        table: "found", columns: [Column(name: "q", source: .parameter("q"))],
        keyNames: ["thing_id"])
    }
  }

  /// Some fit, some do not; keys come twice, and written in two ways.
  private static func record(_ random: inout SeededRandom) -> String {
    let id = Int.random(in: 1...60, using: &random)
    let key = ["\(id)", "\"\(id)\"", "\"0\(id)\"", "\(id).0", "null"]
    let names = ["\"a\"", "\"b\"", "\"drop\"", "null", "[1]", "\"\""]
    let times = ["\"2026-01-02T03:04:05Z\"", "\"0000-00-00\"", "\"soon\"", "null", "17"]
    let sizes = ["1", "2", "1.5", "\"3\"", "null"]
    func one(_ texts: [String], rare: Int) -> String {
      Int.random(in: 0..<rare, using: &random) > 0
        ? texts[0] : texts.randomElement(using: &random) ?? texts[0]
    }
    return "{\"id\": \(one(key, rare: 4)), \"name\": \(one(names, rare: 3)), "
      + "\"at\": \(one(times, rare: 3)), \"size\": \(one(sizes, rare: 2))}"
  }

  @Test("is stored as it would have been then", arguments: 1...8)
  func equal(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    // More records than are read early at once, and several pages.
    let lengths = [3, 300, Int.random(in: 0...30, using: &random), 40]
    let pages = lengths.map { length in
      "[" + (0..<length).map { _ in Self.record(&random) }.joined(separator: ",") + "]"
    }
    let plain = try await Self.stored(pages, isEarly: false)
    let early = try await Self.stored(pages, isEarly: true)
    #expect(plain == early, "seed \(seed)")
    #expect(plain.rows.contains { $0.hasPrefix("box_things|") })
    #expect(plain.rows.contains { $0.hasPrefix("trawl_rejects|") })
  }

  private struct Stored: Equatable {
    var rows: [String]
    var counts: [[Int]]
    var told: [String]
  }

  private static func stored(_ pages: [String], isEarly: Bool) async throws -> Stored {
    let fixture = Fixture()
    let store = try await fixture.open(Self.job)
    let opening = try await store.openAnswers(
      Unit(stream: "all", values: [ParameterValue("q", "x")]), of: "box")
    var counts: [[Int]] = []
    var told: [String] = []
    // The second page is read while the first is written, as in a walk.
    for (index, text) in (pages + pages).enumerated() {
      let page = try Page(text)
      let early = isEarly ? opening.reader.read(page) : nil
      let isRead = early?[0] != nil
      #expect(isRead == (isEarly && !page.records.isEmpty))
      let receipt = try await store.commit(
        page, early: early, step: Step(page: index + 1), of: opening.id)
      let digest = Int(truncatingIfNeeded: receipt.summary.keysDigest)
      counts.append(receipt.summary.counts.all + [receipt.summary.unseen, digest])
      told.append(receipt.summary.rejectReason ?? "")
    }
    await store.close()
    let tables = ["box_things", "box_things_history", "box_found", "trawl_rejects"]
    let rows = try fixture.sorted(tables)
    return Stored(rows: rows, counts: counts, told: told)
  }
}
