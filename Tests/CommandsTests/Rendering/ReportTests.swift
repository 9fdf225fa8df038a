import Base
@testable import Commands
import Testing

@Suite("A report")
struct ReportTests {
  static func facts() -> RunFacts {
    var facts = RunFacts(
      run: "20261121T141207Z-1", job: "things", command: "run", arguments: ["things"],
      origin: "https://api.example", startedAt: Instant(seconds: 1_795_270_327))
    var counts = Counts()
    counts.new = 20
    counts.changed = 2
    counts.unchanged = 3
    counts.repeated = 4
    counts.dropped = 5
    counts.rejected = 6
    let certificate = Certificate(
      verdict: .complete, rule: .noNextPage, why: "no next page after page 2", pages: 2,
      counts: counts, distinctKeys: 36, firstTotal: 40, lastTotal: 41, trust: .estimate)
    facts.units = [
      UnitFacts(
        stream: "list", table: "things_rows", listName: "list of a", certificate: certificate)
    ]
    var table = TableChanges(table: "things_rows")
    (table.new, table.changed) = (20, 2)
    facts.changes = [table]
    facts.units[0].parameterText = "q=a"
    facts.units[0].requests = 3
    facts.requests.sent = 3
    facts.requests.retries = [.network: 1]
    facts.requests.waits = [
      WaitFacts(reason: "asked to wait", startedAt: facts.startedAt, duration: .seconds(1.5))
    ]
    facts.endedAt = facts.startedAt + .seconds(64)
    facts.duration = .seconds(64)
    facts.outcome = RunOutcome(kinds: [.asDeclared], sentence: "complete")
    return facts
  }

  @Test("differs between two equal runs in its wall-clock block alone")
  func wallClock() throws {
    var later = Self.facts()
    later.run = "20261121T151207Z-2"
    later.startedAt = later.startedAt + .seconds(3600)
    later.endedAt = later.endedAt + .seconds(3600)
    let cut = { (facts: RunFacts) -> String in
      let text = String(decoding: facts.report, as: UTF8.self)
      return String(text.split(separator: "\"wall_clock\"")[0])
    }
    #expect(cut(Self.facts()) == cut(later))
    let root = try JSONDocument.read(later.report).root
    #expect(root["lists"]?[0]?["counts"]?["rejected"]?.integer == 6)
    #expect(root["wall_clock"]?["waits"]?[0]?["seconds"]?.real == 1.5)
  }

  @Test("ends in text with the outcome, the counts and the requests in one line")
  func text() {
    let report = TextReport(Self.facts())
    #expect(report.unitRows[0][0].contains("list of a"))
    #expect(report.unitRows[0][3].contains("no next page after page 2"))
    #expect(
      report.lines.last
        == "complete   20 new, 2 changed, 3 unchanged, 5 dropped by rule, 6 rejected   "
        + "3 requests, 1 retry, waited 1.5 s   1 min 4 s")
  }

  @Test(
    "words numbers as a person reads them",
    arguments: [
      (0, "0"), (999, "999"), (1000, "1,000"), (20342, "20,342"), (-1_234_567, "-1,234,567"),
    ])
  func numbers(value: Int, text: String) { #expect(Wording.number(value) == text) }

  @Test(
    "words spans as a person reads them",
    arguments: [
      (Duration.milliseconds(400), "0.4 s"), (.seconds(60), "1 min"), (.seconds(64), "1 min 4 s"),
      (.seconds(3 * 3600 + 300), "3 h 5 min"), (.seconds(52 * 3600), "2 d 4 h"),
    ])
  func spans(span: Duration, text: String) { #expect(Wording.span(span) == text) }
}
