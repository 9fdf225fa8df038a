import Model
import Testing

@testable import Report

@Suite("The page of a report")
struct HTMLReportTests {
  /// Facts in which every text that may come from an API or a person is hostile.
  private func hostile(_ text: String) -> HTMLReport {
    var facts = ReportTests.facts()
    facts.job = text
    facts.outcome.sentence = text
    facts.warnings = [text]
    facts.story = [text]
    facts.migrations = [text]
    facts.nextSteps = [text]
    facts.units[0].foundBy = text
    facts.units[0].certificate.why = text
    facts.units[0].newSamples = [text]
    facts.requests.waits[0].reason = text
    facts.requests.timeline = [
      RequestMark(at: facts.startedAt, duration: .seconds(1), status: 200, cause: nil)
    ]
    facts.rejects = [RejectSample(table: text, path: text, reason: text, raw: text)]
    facts.quotas = [
      QuotaFacts(bucket: text, allowed: 2, leftBefore: 2, leftAfter: 1, resetsAt: nil)
    ]
    return HTMLReport(
      facts,
      thumbnails: [
        HTMLReport.Thumbnail(title: text, mediaType: "image/png", bytes: [1, 2, 3])
      ])
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
    // The page has as many tags, quotes and comments of its own as with a harmless text.
    for mark in ["<", ">", "\"", "'"] as [Character] {
      #expect(page.filter { $0 == mark }.count == plain.filter { $0 == mark }.count, "\(mark)")
    }
  }

  @Test("refers to nothing outside and holds no script")
  func isSelfContained() {
    let page = hostile("PLAIN").text
    for word in ["<script", "http://", "https://", "url(", "@import", "<link", "<iframe", "on="] {
      #expect(!page.contains(word), "\(word)")
    }
    #expect(page.contains("default-src 'none'"))
    #expect(page.contains("src=\"data:image/png;base64,AQID\""))
  }

  @Test("shows marks that turn or hide text as boxes, and cuts what is endless")
  func direction() {
    let page = hostile("a\u{202E}b\u{2066}c\u{200B}d\u{0}e\u{1B}[2Jf").text
    for scalar in page.unicodeScalars where scalar.value != 10 {
      #expect(scalar.value >= 0x20 && !(0x200B...0x202E).contains(scalar.value))
    }
    #expect(hostile(String(repeating: "x", count: 10_000)).text.utf8.count < 60_000)
  }

  @Test("says the outcome first")
  func outcomeFirst() throws {
    let page = HTMLReport(ReportTests.facts()).text
    let heading = try #require(page.firstRange(of: "<h1 class=\"good\"><bdi>complete</bdi></h1>"))
    let table = try #require(page.firstRange(of: "<table"))
    #expect(heading.lowerBound < table.lowerBound)
  }

  @Test(
    "writes bytes as base64",
    arguments: [([], ""), ([0x66], "Zg=="), ([0x66, 0x6F], "Zm8="), ([0x66, 0x6F, 0x6F], "Zm9v")]
      as [([UInt8], String)])
  func base64(bytes: [UInt8], text: String) { #expect(Base64.encoded(bytes) == text) }
}
