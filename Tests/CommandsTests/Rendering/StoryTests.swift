import Base
@testable import Crawl
@testable import Commands
import Testing

@Suite("The story of a long run")
struct StoryTests {
  private static func recorder() -> RunRecorder {
    RunRecorder(
      RunFacts(
        run: "20261121T120000Z", job: "gallery", command: "run", arguments: [],
        origin: "https://api.example", startedAt: Instant(seconds: 1_795_269_600))
    ) { _ in }
  }

  private static func facts(sentences count: Int) -> RunFacts {
    let recorder = Self.recorder()
    for number in 1...count { recorder.story("Decision \(number).") }
    // A snapshot does not add to it.
    _ = recorder.snapshot()
    return recorder.snapshot()
  }

  @Test("says at its end how many sentences were left out, in the JSON form and on the page")
  func isCut() throws {
    let max = RunRecorder.storyMax
    let facts = Self.facts(sentences: max + 1234)
    #expect(facts.story.count == max + 1)
    #expect(facts.story[max - 1] == "Decision \(max).")
    let last = try #require(facts.story.last)
    #expect(last.contains("1234 more sentences were left out"), "\(last)")
    let stored = try JSONDocument.read(facts.report)
    #expect(stored.root["story"]?.elements.compactMap(\.string).last == last)
    let page = HTMLReport(facts).text
    #expect(page.contains(last) && page.contains("Decision 1."))
    // Both account for every sentence, kept or left out.
    let kept = stored.root["story"]?.elements.compactMap(\.string) ?? []
    let rest = "and \(Wording.number(max - kept.count + 2)) more, which this report does not keep"
    #expect(kept.dropLast().last == rest && page.contains(rest))
  }

  @Test("says how many warnings were left out, and loses no second of its waits")
  func lists() {
    let recorder = Self.recorder()
    for number in 0...RunRecorder.warningsMax { recorder.warn("Warning \(number)") }
    let waits = RequestFacts.waitsMax + 5
    for number in 0..<waits {
      let start = Instant(seconds: 1_795_269_600 + Int64(number) * 100)
      _ = recorder.waited(WaitFacts(reason: "a limit", startedAt: start, duration: .seconds(1)))
    }
    let facts = recorder.snapshot()
    #expect(facts.warnings.count == RunRecorder.warningsMax + 1)
    let last = "1 more warning was left out, since a report keeps \(RunRecorder.warningsMax)"
    #expect(facts.warnings.last == last)
    #expect(facts.requests.waits.count == RequestFacts.waitsMax)
    #expect(facts.requests.waited == .seconds(waits))
  }

  @Test("says nothing of that where it is whole")
  func isWhole() {
    let facts = Self.facts(sentences: RunRecorder.storyMax)
    #expect(facts.story.last == "Decision \(RunRecorder.storyMax).")
    #expect(facts.story.count == RunRecorder.storyMax)
  }
}
