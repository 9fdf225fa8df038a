import Base
@testable import Commands
import Testing

@Suite("The report of a run with many lists")
struct ManyListsTests {
  private static func facts(_ count: Int, whyBytes: Int = 200) -> RunFacts {
    var facts = RunFacts(
      run: "r", job: "crowd", command: "run", arguments: [], origin: "https://api.example",
      startedAt: Instant(seconds: 1_790_000_000))
    facts.units = (0..<count).map { number in
      let isBad = number % 1_000 == 999
      var counts = Counts()
      counts.new = number % 3
      counts.unchanged = 7
      let certificate = Certificate(
        verdict: isBad ? .failed : .complete, rule: isBad ? .failure : .noNextPage,
        why: String(repeating: "w", count: whyBytes), pages: 2, counts: counts, distinctKeys: 9,
        proofs: isBad ? [] : [.ends])
      var unit = UnitFacts(
        stream: number % 2 == 0 ? "followers" : "repos", table: "crowd_users",
        listName: "list \(number)", certificate: certificate)
      unit.parameterText = "user=\(number)"
      unit.isNewShortfall = isBad
      unit.requests = 2
      unit.vanished = 1
      return unit
    }
    facts.requests.waits = (0..<4_000).map {
      WaitFacts(reason: "a limit", startedAt: facts.startedAt, duration: .seconds($0))
    }
    facts.story = (0..<1_000).map { "sentence \($0) of a long story that has many of them" }
    facts.coverage = (0..<count).map { number in
      let range = TimeWindow(from: facts.startedAt, to: facts.startedAt + .seconds(100))
      return CoverageFacts(stream: "s", listName: "list \(number)", range: range, stretches: [])
    }
    return facts
  }

  @Test(
    "has 200 KB at most, names the worst and sums the others, as the page does",
    arguments: [(10_000, 200), (10_000, 5_000), (150, 20_000)])
  func bounded(count: Int, whyBytes: Int) throws {
    let facts = Self.facts(count, whyBytes: whyBytes)
    let bytes = facts.report
    #expect(bytes.count <= 200_000, "\(bytes.count)")
    let page = HTMLReport(facts).text
    #expect(page.utf8.count <= 400_000, "\(page.utf8.count)")
    let document = try JSONDocument.read(bytes)
    let named = document.root["lists"]?.elements.map { $0["list"]?.string ?? "" } ?? []
    let left = Int(document.root["lists_left_out"]?.integer ?? 0)
    #expect(named.count + left == count && left > 0)
    for number in stride(from: 999, to: count, by: 1_000) where whyBytes == 200 {
      #expect(named.contains("list \(number)") && page.contains("list \(number)<"))
    }
    let again = try RunFacts(report: bytes)
    let lines = TextReport(again).lines
    #expect(lines.first?.hasPrefix("  \(Wording.count(left, "more list")) of ") == true, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("  followers: ") && $0.contains(" complete") })
    #expect(again.counts == facts.counts && again.sum(\.gone) == facts.sum(\.gone))
    #expect(again.listCount == count && again.groups == facts.groups)
    #expect(again.requests.waited == facts.requests.waited)
    for verdict in Verdict.allCases { #expect(again.lists(verdict) == facts.lists(verdict)) }
    // Written again, it stays within its limit.
    #expect(again.report.count <= 200_000)
  }

  @Test("of a few names each, and nothing is said to be left out")
  func few() throws {
    var facts = Self.facts(40)
    facts.requests.waits = []
    facts.story = ["one"]
    let text = String(decoding: facts.report, as: UTF8.self)
    #expect(!text.contains("left_out") && !text.contains("list_groups"))
  }
}
