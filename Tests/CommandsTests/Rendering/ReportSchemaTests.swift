import Glibc
import Base
@testable import Commands
import Store
import TestSupport
import Testing

@Suite("The schema of reports")
struct ReportSchemaTests {
  static let schema: JSONDocument? = Golden.bytes("\(Golden.root)/jobs/report.schema.json")
    .flatMap { try? JSONDocument.read($0) }

  @Test(
    "a forgotten record is named by samples, lists and arguments, and by no word of the report's own"
  )
  func named() {
    var facts = Self.full()
    for word in ["complete", "http", "list", "wall_clock"] {
      #expect(!facts.name(NamedTexts([word])), "\(word)")
    }
    facts.arguments = ["run", "--set user=klara"]
    #expect(facts.name(NamedTexts(["klara"])))
    let hasLeft = facts.leaveOut(RecordTraces(job: facts.job), isOfJob: true)
    #expect(hasLeft && facts.rejects.map(\.raw) == [""])
  }

  /// Facts with a value in every place.
  static func full() -> RunFacts {
    var facts = ReportTests.facts()
    let from = Instant(seconds: 1_700_000_000)
    facts.units[0].window = TimeWindow(from: from, to: from + .seconds(86_400))
    facts.units[0].vanished = 1
    facts.units[0].withheld = 2
    facts.units[0].missing = MissingTally(missing: 3)
    facts.units[0].missing?.gone = 1
    facts.units[0].counts.new = 7
    facts.units[0].forecast = Forecast(requests: 2, records: 40, isEstimate: true)
    facts.units[0].certificate.goesOnAt = facts.startedAt
    facts.units[0].certificate.proofs = [.counted, .ends]
    facts.requests.timeline = [
      RequestMark(at: facts.startedAt, duration: .seconds(1), status: 200, cause: nil),
      RequestMark(at: facts.startedAt, duration: .seconds(1), status: 0, cause: .network),
    ]
    facts.images.fromNetwork = 3
    facts.images.requests = 4
    facts.images.refused = ["status 404": 1]
    facts.images.stoppedBecause = "the disk is nearly full"
    facts.quotas = [
      QuotaFacts(
        name: "search", allowed: 100, leftBefore: 90, leftAfter: 80, resetsAt: facts.endedAt),
      QuotaFacts(name: "units", allowed: 9, leftBefore: 9, leftAfter: 9, resetsAt: nil),
    ]
    facts.rejects = [RejectSample(table: "t", path: "a.b", reason: "no date", raw: "\"x\"")]
    facts.rejectCount = 5
    facts.resting = ["details is idle, since it is due for no list.id"]
    facts.coverage = [
      CoverageFacts(
        stream: "list", listName: "list of a",
        range: TimeWindow(from: from, to: from + .seconds(400)),
        stretches: [
          CoverageFacts.Stretch(
            window: TimeWindow(from: from, to: from + .seconds(100)), verdict: .complete),
          CoverageFacts.Stretch(
            window: TimeWindow(from: from + .seconds(200), to: from + .seconds(250)),
            verdict: .limited, cause: .ceiling),
        ])
    ]
    facts.migrations = ["the column a is new"]
    facts.warnings = ["careful"]
    facts.story = ["Page 1 came."]
    facts.nextSteps = [NextStep("go on", needsPerson: true)]
    var changes = TableChanges(table: "things_rows")
    (changes.new, changes.changed, changes.gone) = (7, 2, 1)
    changes.records = [
      RecordChange(
        kind: .new, key: "1", title: "one", link: nil, imagePath: "media/aa/1.png", list: nil),
      RecordChange(
        kind: .changed, key: "2", title: nil, link: "https://a.example", imagePath: nil,
        list: "octocat"),
    ]
    changes.records[1].columns = [ColumnChange(name: "views", old: "100", new: nil)]
    changes.knownSince = facts.startedAt
    facts.changes = [changes]
    return facts
  }

  @Test("describes every member that a report can have", arguments: [ReportTests.facts(), full()])
  func describes(facts: RunFacts) throws {
    let schema = try #require(Self.schema)
    let report = try JSONDocument.read(facts.report)
    #expect(SchemaCheck.problems(report.root, schema: schema.root) == [])
  }

  @Test("finds what is wrong with a report")
  func finds() throws {
    let schema = try #require(Self.schema)
    let text = String(decoding: Self.full().report, as: UTF8.self)
    for (old, new, problem) in [
      ("\"schema\": 2", "\"schema\": 3", "$.schema is another"),
      ("\"pages\": 2", "\"pages\": -2", "$.lists[0].pages is less than 0.0"),
      ("\"pages\": 2", "\"sheets\": 2", "$.lists[0].pages is missing"),
      ("\"proof\": \"counted\"", "\"proof\": \"hope\"", "$.lists[0].proof is none of"),
      ("\"rule\": \"noNextPage\"", "\"rule\": \"boredom\"", "$.lists[0].rule is none of"),
      ("\"moved\": false", "\"moved\": 0", "$.lists[0].moved is no boolean"),
      ("\"started_at\": \"2026", "\"started_at\": \"26", "does not look as it should"),
    ] {
      let spoiled = text.replacing(old, with: new, maxReplacements: 1)
      try #require(spoiled != text, "\(old)")
      let report = try JSONDocument.read(Array(spoiled.utf8))
      let problems = SchemaCheck.problems(report.root, schema: schema.root)
      #expect(problems.contains { $0.contains(problem) }, "\(new): \(problems)")
    }
  }

  @Test("knows every word that the code knows")
  func words() throws {
    let schema = try #require(Self.schema).root
    let unit = schema["properties"]?["lists"]?["items"]?["properties"]
    func words(_ value: JSONValue?) -> [String] {
      value?["enum"]?.elements.compactMap(\.string) ?? []
    }
    #expect(words(unit?["verdict"]) == Verdict.allCases.map(\.rawValue))
    #expect(words(unit?["proof"]) == ProofKind.allCases.map(\.rawValue))
    #expect(words(unit?["proofs"]?["items"]) == ProofKind.allCases.map(\.rawValue))
    #expect(words(unit?["rule"]) == StopRule.allCases.map(\.rawValue))
    #expect(words(unit?["total_is"]) == Total.Trust.allCases.map(\.rawValue))
    let kinds = schema["properties"]?["outcome"]?["properties"]?["kinds"]?["items"]
    #expect(words(kinds) == RunOutcome.Kind.allCases.map(\.rawValue))
    let causes = schema["properties"]?["requests"]?["properties"]?["retries_by_cause"]
    #expect(
      causes?["properties"]?.members.map { $0.key.string ?? "" } == Cause.allCases.map(\.rawValue))
  }

  @Test("a stored report with absurd numbers is shown without what nobody can have counted")
  func absurd() throws {
    var full = Self.full()
    full.clockOffset = .seconds(3)
    let lines = String(decoding: full.report, as: UTF8.self).split(separator: "\n")
    for number in ["1e300", "-1e300", "\(Int64.max)", "\(Int64.min)"] {
      let text = lines.map { line -> String in
        let halves = line.split(separator: ": ", maxSplits: 1)
        let end = line.hasSuffix(",") ? "," : ""
        guard halves.count == 2, halves[0] != "  \"schema\"", halves[1].first?.isNumber ?? false
        else { return String(line) }
        return "\(halves[0]): \(number)\(end)"
      }.joined(separator: "\n")
      let facts = try RunFacts(report: Array(text.utf8))
      #expect(facts.counts == Counts() && facts.listCount == 1, "\(number)")
      #expect(!TextReport(facts).lines.isEmpty && !TextReport(facts).unitRows.isEmpty)
      #expect(HTMLReport(facts).text.contains("</main>"))
      #expect(try RunFacts(report: facts.report).report == facts.report)
    }
  }

  @Test("a stored report says the same when it is read and written again")
  func roundTrip() throws {
    let bytes = Self.full().report
    let again = try RunFacts(report: bytes).report
    #expect(bytes == again)
  }
}
