import Base
import Store
import TestSupport
internal import Testing

@Suite("Whatever comes, in whatever order")
struct RandomWalkTests {
  /// A plain model of the rules, in dictionaries.
  private struct Imitation {
    var rows: [Int: String] = [:]
    var members: Set<Int> = []

    mutating func page(_ records: [(Int, String)], seen: inout Set<Int>) -> (Counts, Int) {
      var counts = Counts()
      var unseen = 0
      for (id, name) in records {
        let isUnseen = seen.insert(id).inserted
        if isUnseen { unseen += 1 }
        if name == "drop" {
          counts.dropped += 1
          continue
        }
        if name.isEmpty {
          counts.rejected += 1
          continue
        }
        if !isUnseen {
          counts.repeated += 1
        } else if rows[id] == nil {
          counts.new += 1
        } else if rows[id] == name {
          counts.unchanged += 1
        } else {
          counts.changed += 1
        }
        rows[id] = name
        members.insert(id)
      }
      return (counts, unseen)
    }
  }

  private static var job: Job {
    .things([Column.id, Column("name", nil, required: true)]) {
      $0.keep = "name <> 'drop'"
      $0.membership = Membership(
        table: "found", columns: [Column(name: "q", source: .parameter("q"))],
        keyNames: ["thing_id"])
    }
  }

  @Test(
    "new, changed, unchanged, repeated, dropped and rejected are told apart exactly",
    arguments: 1...12)
  func counts(seed: UInt64) async throws {
    let fixture = Fixture()
    var random = SeededRandom(seed: seed)
    var store = try await fixture.open(Self.job)
    var imitation = Imitation()
    let names = ["a", "a", "b", "c", "drop", ""]
    for _ in 0..<4 {
      var seen: Set<Int> = []
      let unit = Unit(stream: "all", values: [ParameterValue("q", "x")])
      var id = try await store.openAnswers(unit, of: "box").id
      var receipts: [PageReceipt] = []
      for number in 1...6 {
        let records = (0..<Int.random(in: 0...12, using: &random)).map { _ in
          (Int.random(in: 1...20, using: &random), names.randomElement(using: &random) ?? "a")
        }
        let json = records.map { id, name in
          name.isEmpty ? "{\"id\": \(id)}" : "{\"id\": \(id), \"name\": \"\(name)\"}"
        }
        let page = try Page("[\(json.joined(separator: ","))]")
        let receipt = try await store.commit(page, step: Step(page: number), of: id)
        let (counts, unseen) = imitation.page(records, seen: &seen)
        #expect(receipt.summary.counts == counts, "seed \(seed)")
        #expect(receipt.summary.unseen == unseen, "seed \(seed)")
        receipts.append(receipt)
        // Now and then another process continues.
        if Int.random(in: 0..<5, using: &random) == 0 {
          await store.close()
          store = try await fixture.open(Self.job)
          id = try await store.openAnswers(unit, of: "box").id
        }
      }
      _ = try await store.certifyAnswers(id, Certificate(receipts))
    }
    let expected = imitation.rows.sorted { $0.key < $1.key }.map { "\($0.key)|\($0.value)" }
    #expect(try fixture.rows("SELECT id, name FROM box_things ORDER BY id") == expected)
    #expect(
      try fixture.rows("SELECT thing_id FROM box_found ORDER BY 1")
        == imitation.members.sorted().map { "\($0)" })
    #expect(try await store.prove().rowsHold, "seed \(seed)")
  }
}
