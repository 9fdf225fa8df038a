import Base
@testable import Commands
@testable import Store
import Testing

@Suite("The page of a report")
struct HTMLReportTests {
  /// Facts in which every foreign text is hostile.
  private func hostile(_ text: String) -> HTMLReport {
    var facts = ReportTests.facts()
    facts.job = text
    facts.outcome.sentence = text
    facts.warnings = [text]
    facts.story = [text]
    facts.migrations = [text]
    facts.nextSteps = [NextStep(text, command: text)]
    var changes = TableChanges(table: text)
    changes.changed = 2
    var change = RecordChange(
      kind: .changed, key: text, title: text, link: text, imagePath: "a", list: text)
    change.columns = [ColumnChange(name: text, old: text, new: text)]
    changes.records = [change]
    facts.changes = [changes]
    facts.units[0].listName = text
    facts.units[0].certificate.why = text
    facts.requests.waits[0].reason = text
    facts.requests.timeline = [
      RequestMark(at: facts.startedAt, duration: .seconds(1), status: 200, cause: nil)
    ]
    facts.rejects = [RejectSample(table: text, path: text, reason: text, raw: text)]
    facts.quotas = [
      QuotaFacts(name: text, allowed: 2, leftBefore: 2, leftAfter: 1, resetsAt: nil)
    ]
    facts.images.newPaths = [ImageSample(path: "\(text).png", title: text)]
    return HTMLReport(facts)
  }

  @Test(
    "lets no text become markup",
    arguments: [
      "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onload='x",
      "</title><script>", "<!--", "]]>", "javascript:alert(1)", "&lt;b&gt;",
    ])
  func markup(text: String) {
    let plain = hostile("PLAIN").text
    let page = hostile(text).text
    // The page has as many tags, quotes and comments as with a harmless text.
    for mark in ["<", ">", "\"", "'"] as [Character] {
      #expect(page.filter { $0 == mark }.count == plain.filter { $0 == mark }.count, "\(mark)")
    }
  }

  @Test("refers to nothing outside and holds no script")
  func isSelfContained() {
    let page = hostile("PLAIN").text
    for word in [
      "<script", "=\"http", "=\"//", "url(", "@import", "<link", "<iframe", "<object", "<a ",
    ] {
      #expect(!page.contains(word), "\(word)")
    }
    #expect(page.contains("default-src 'none'"))
    #expect(page.contains("src=\"../../PLAIN.png\""))
  }

  @Test("shows marks that turn or hide text as boxes, and cuts what is endless")
  func direction() {
    let page = hostile("a\u{202E}b\u{2066}c\u{200B}d\u{0}e\u{1B}[2Jf").text
    for scalar in page.unicodeScalars where scalar.value != 10 {
      #expect(scalar.value >= 0x20 && !(0x200B...0x202E).contains(scalar.value))
    }
    #expect(hostile(String(repeating: "x", count: 10_000)).text.utf8.count < 60_000)
  }

  @Test(
    "writes bytes as base64",
    arguments: [([], ""), ([0x66], "Zg=="), ([0x66, 0x6F], "Zm8="), ([0x66, 0x6F, 0x6F], "Zm9v")]
      as [([UInt8], String)])
  func base64(bytes: [UInt8], text: String) { #expect(Base64.encoded(bytes) == text) }
}

@Suite("What the page of a report shows")
struct HTMLContentTests {
  private static func facts() -> RunFacts {
    var facts = ReportSchemaTests.full()
    facts.images.newPaths = (1...70).map {
      ImageSample(path: "media/aa/\($0).png", title: "picture \($0)")
    }
    return facts
  }

  private static func window(_ from: Int64, _ to: Int64) -> TimeWindow {
    TimeWindow(from: Instant(seconds: from), to: Instant(seconds: to))
  }

  private static func coverage(_ list: String, stretches count: Int64) -> CoverageFacts {
    let stretches = (0..<count).map {
      CoverageFacts.Stretch(window: window($0 * 4, $0 * 4 + 2), verdict: .complete)
    }
    return CoverageFacts(
      stream: "s", listName: list, range: window(0, 10_000), stretches: stretches)
  }

  private let page = HTMLReport(Self.facts()).text

  @Test(
    "holds",
    arguments: [
      "<span class=\"good\"><bdi>complete</bdi></span></h1>",
      "<b>7</b> new</li><li><b>2</b> changed</li><li><b>3</b> unchanged</li>",
      "<li><b>1</b> gone</li><li><b>4</b> repeated</li><li><b>5</b> dropped by rule</li>",
      "<li><b>6</b> rejected</li>", "<li><b>1.5 s</b> waited</li>", "1 list: 1 complete.",
      "7 new, 2 changed, 1 gone, 3 unchanged",
      "<p class=\"step\"><bdi>go on</bdi></p>",
      "<h3><bdi>things_rows</bdi>: 7 new, 2 changed, 1 gone</h3>", "<td class=\"picture\"><img ",
      "in the list of <bdi>octocat</bdi><br>views: <bdi>100</bdi> → <bdi>NULL</bdi>",
      "8 more: trawl report --changes", "proven complete</span>",
      "<td class=\"number forecast\">~40</td>", "3 requests, 0 bytes",
      "retried: 1 after a network fault", "waited 1.5 s for <bdi>asked to wait</bdi>",
      "25 % covered, 2 holes", "ceiling: 2023-11-14T22:16:40Z to 2023-11-14T22:17:30Z",
      "left before", "each bar counts the requests of 1.1 s, the highest 2. ",
      "network fault</span>",
      "<td class=\"number\">90</td><td class=\"number\">80</td>", "80 of 100 left",
      "5 values or records did not fit; the last 1 of them", "1 refused: status 404",
      "alt=\"picture 60\"", "2026-11-21 14:12:07 UTC</time>", "--explain",
    ])
  func holds(text: String) { #expect(page.contains(text), "\(page.prefix(9000).suffix(6000))") }

  @Test("shows at most 60 pictures that stand beside no row")
  func sheet() { #expect(page.split(separator: "<li><figure>").count - 1 == 60) }

  @Test("is read at night: what failed, what to do, what does not fit, what happened, what changed")
  func order() throws {
    var facts = Self.facts()
    facts.outcome = RunOutcome(kinds: [.failed], sentence: "failed: http://x answers 500")
    var dead = facts.units[0]
    dead.listName = "dead & gone"
    dead.certificate.verdict = .failed
    dead.certificate.isAsDeclared = false
    facts.units.append(dead)
    facts.nextSteps = [NextStep("dead failed", command: "trawl check things", needsPerson: true)]
    let page = HTMLReport(facts).text
    let name = "<span class=\"name\"><bdi>dead &amp; gone</bdi></span>"
    #expect(page.contains("1 of 2 lists failed: \(name)"))
    let places = [
      "1 of 2 lists failed", "trawl check things", "<h2>Lists", "dead &amp; gone</bdi></span></td>",
      "<h2>Warnings", "<h2>Rejected", "<h2>What happened", "<h2>Changes",
    ].map { page.firstRange(of: $0)?.lowerBound }
    let found = places.compactMap(\.self)
    #expect(found.count == places.count && found == found.sorted(), "\(places.map { $0 != nil })")
  }

  @Test("says of a first run how much came, and shows its pictures in the place of a table")
  func firstRun() {
    var facts = ReportTests.facts()
    var changes = TableChanges(table: "things_rows")
    (changes.new, changes.isFirst) = (819, true)
    changes.records = (1...25).map {
      RecordChange(
        kind: .new, key: "\($0)", title: "thing \($0)", link: nil, imagePath: "media/aa/\($0).png",
        list: nil)
    }
    facts.changes = [changes]
    let page = HTMLReport(facts).text
    #expect(page.contains("<bdi>things_rows</bdi>: 819 new: first run"))
    #expect(!page.contains("class=\"changes\""))
    #expect(page.split(separator: "src=\"../../media/aa/").count == 26)
  }

  @Test("has 300 KB at most, whatever is in it")
  func size() {
    var facts = Self.facts()
    let long = String(repeating: "long ", count: 200)
    facts.warnings = (1...500).map { "\(long) \($0)" }
    facts.story = facts.warnings
    facts.units = (1...500).map { number in
      var unit = facts.units[0]
      unit.listName = "list \(number)"
      unit.certificate.why = long
      return unit
    }
    facts.changes = (1...40).map { number in
      var changes = TableChanges(table: "table_\(number)")
      changes.changed = 25
      changes.records = (1...25).map { key in
        var change = RecordChange(
          kind: .changed, key: "\(key)", title: long, link: nil, imagePath: nil, list: nil)
        change.columns = (1...40).map { ColumnChange(name: "c\($0)", old: long, new: long) }
        return change
      }
      return changes
    }
    facts.coverage = (1...100).map { Self.coverage("q=\($0)", stretches: 2_000) }
    #expect(HTMLReport(facts).text.utf8.count <= 300_000)
  }

  @Test("draws what is out of reach as that, and counts it")
  func outOfReach() {
    var facts = Self.facts()
    facts.coverage = [
      CoverageFacts(
        stream: "s", listName: "q", range: Self.window(0, 100),
        stretches: [
          CoverageFacts.Stretch(
            window: Self.window(0, 69), verdict: .limited, cause: .outOfReach),
          CoverageFacts.Stretch(window: Self.window(69, 100), verdict: .complete),
        ])
    ]
    let page = HTMLReport(facts).text
    #expect(page.contains("31 % covered, 69 % out of reach, 0 holes"))
    #expect(page.contains("fill=\"var(--other)\"><title>out of reach"))
  }

  @Test("says how many stretches of a bar are not drawn")
  func undrawn() {
    let bar = CoverageBar(coverage: Self.coverage("q", stretches: 302))
    #expect(bar.figure.contains("not drawn: the newest 2 stretches"))
  }

  @Test("the index lists runs with their outcome, and links to nothing but pages beside it")
  func index() throws {
    let hostile = "\"><script>../../etc"
    let connection = try Connection("", .memory)
    func run(_ name: String, _ code: Int64) throws -> StoredRun {
      let day = "2026-11-21T14:12:0"
      return try #require(
        try connection.row(
          "SELECT 1, '20261121T141207Z-1', ?1, ?1, '\(day)0Z', '2026-11-21T14:13:04Z', ?1, ?2",
          [.text(name), .integer(code)]
        ) { row in
          var columns = ColumnReader(row)
          return StoredRun(&columns)
        })
    }
    var index = HTMLIndex(writtenAt: Instant(seconds: 64))
    index.runs = [try run("github", 0), try run(hostile, 75), try run("giphy", 1)]
    let text = index.text
    #expect(text.contains("<a href=\"github/20261121T141207Z-1.html\">"))
    #expect(text.contains("<a href=\"scriptetc/20261121T141207Z-1.html\">"))
    for tone in [
      "mark good\"><bdi>github", "mark wait\"><bdi>&quot;", "mark bad\"><bdi>giphy",
      "1 min 4 s, exit 1",
    ] {
      #expect(text.contains(tone), "\(tone)")
    }
    #expect(!text.contains("<script") && !text.contains("://"))
  }
}
