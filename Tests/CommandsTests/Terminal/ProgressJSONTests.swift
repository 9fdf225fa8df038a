import Base
@testable import Commands
import Testing

private let start = Instant(seconds: 1_795_270_327)  // 2026-11-21T14:12:07Z
private let label = UnitLabel(stream: "list", listName: "list of \"\u{9b}\u{202e}")

private let samples: [RunEvent] = [
  .runStarted(run: "r1", job: "job", note: "n"), .unitStarted(label),
  .unitResumed(label, text: "at page 59"),
  .pageStored(label, ordinal: 3, counts: Counts(), bytes: 9),
  .totalKnown(label, records: nil, pages: 4, text: "t"),
  .waiting(nil, reason: "quota search", until: start), .waitEnded(label),
  .warning(nil, text: "w"),
  .unitConcluded(
    UnitFacts(
      stream: "list", table: "t", listName: "f",
      certificate: Certificate(
        verdict: .paused, rule: .budget, why: "budget", pages: 3, counts: Counts(),
        distinctKeys: 0, goesOnAt: start))),
  .images(ImageTally()),
  .runConcluded(
    RunFacts(run: "r1", job: "job", command: "run", arguments: [], origin: "o", startedAt: start)),
]

@Suite("The JSON lines of a run")
struct ProgressJSONTests {
  /// As in the manual page.
  static let documented = Dictionary(
    uniqueKeysWithValues: ProgressJSON.events.map { event in
      (event.name, event.members.split(separator: " ").map(String.init))
    })

  @Test("hold exactly the members that are documented, in that order")
  func contract() throws {
    var lines = samples.map { ProgressJSON.line($0, of: "job", at: start) }
    lines.append(ProgressJSON.dropped(3, of: "job", at: start))
    var seen: Set<String> = []
    for line in lines {
      let bytes = line.withSchema.bytes
      let text = String(decoding: bytes, as: UTF8.self)
      let names = try JSONDocument.read(bytes).root.members.compactMap(\.key.string)
      #expect(names.prefix(5) == ["schema", "type", "event", "at", "job"])
      #expect(text.hasPrefix("{\"schema\":1,\"type\":\"progress\",\"event\":\""))
      let event = String(text.split(separator: "\"")[9])
      seen.insert(event)
      #expect(Array(names.dropFirst(5)) == Self.documented[event], "\(text)")
    }
    #expect(seen == Set(Self.documented.keys))
  }

  @Test("arrive whole on stdout, one a line, while warnings reach stderr")
  func lines() {
    let (output, error) = (TestPipe(), TestPipe())
    let console = Console(facts: TerminalFacts(), output: output.writing, error: error.writing)
    let progress = Progress(console: console, detail: .normal, isJSON: true)
    for event in samples { progress.receive(event, of: "job", at: start) }
    progress.conclude()
    let lines = output.text().split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == samples.count + 1 && lines.last == "")
    #expect(lines.filter { $0.hasPrefix("{") && $0.hasSuffix("}") }.count == samples.count)
    #expect(lines[1].contains("list of \\\"\\u009b\\u202e"))
    #expect(error.text() == "warning: job: w\n")
  }

  @Test(
    "are counted when too many pile up behind a stopped reader, and so are those for people",
    arguments: [true, false])
  func dropped(isJSON: Bool) throws {
    let (output, error) = (TestPipe(bytes: 1 << 20), TestPipe(bytes: 1 << 20))
    let console = Console(facts: TerminalFacts(), output: output.writing, error: error.writing)
    let progress = Progress(console: console, detail: .normal, isJSON: isJSON)
    progress.hold {
      for _ in 0..<(Progress.pendingMax + 7) {
        progress.receive(isJSON ? .waitEnded(nil) : .warning(nil, text: "w"), of: "j", at: start)
      }
    }
    progress.conclude()
    let told =
      isJSON
      ? "\"event\":\"lines_dropped\",\"at\":\"2026-11-21T14:12:07Z\",\"job\":\"j\",\"lines\":7}"
      : "7 lines were not shown: the terminal was stopped"
    #expect((isJSON ? output : error).text().contains(told))
  }
}
