import Base
@testable import Crawl
import Testing

@Suite("The sentence at a run's end")
struct RunEndingTests {
  @Test("names three lists of each kind, and says how many more there are")
  func many() {
    var facts = RunFacts(
      run: "r", job: "shop", command: "run", arguments: [], origin: "https://api.example",
      startedAt: Instant(seconds: 1_795_269_600))
    facts.units = (1...9).map { number in
      var unit = UnitFacts(
        stream: "things", table: "shop_things", listName: "\(number)",
        certificate: Certificate(
          verdict: .incomplete, rule: .failure, why: "w", pages: 1, counts: Counts(),
          distinctKeys: 1))
      unit.wasAsDeclared = number < 5
      return unit
    }
    #expect(
      RunEnding().outcome(of: facts, nil).sentence
        == "less for now, and the next runs decide: 1 is incomplete; 2 is incomplete; 3 is incomplete; "
        + "1 more list; 5 is still incomplete; 6 is still incomplete; 7 is still incomplete; "
        + "2 more lists that wait")
  }
}
