public import Base

/// The same facts as one page that needs nothing else: no script, no outside reference.
public struct HTMLReport {
  /// A picture with its bytes.
  public struct Thumbnail: Sendable {
    /// Within the data folder.
    var path: String
    var title: String
    var mediaType: String
    var bytes: [UInt8]

    public init(path: String = "", title: String, mediaType: String, bytes: [UInt8]) {
      self.path = path
      self.title = title
      self.mediaType = mediaType
      self.bytes = bytes
    }
  }

  let facts: RunFacts
  /// Those that stand beside a row of the changes come there, the others on the contact sheet.
  let thumbnails: [Thumbnail]

  /// Pictures on one page, and bytes of all of them together.
  public static let thumbnailsMax = 60
  public static let thumbnailBytesMax = 8_000_000
  /// Lists and sentences on one page.
  static let rowsMax = 200
  static let storyMax = 500

  public init(_ facts: RunFacts, thumbnails: [Thumbnail] = []) {
    self.facts = facts
    self.thumbnails = thumbnails
  }

  public var text: String {
    HTMLPage.text(
      title: "\(facts.job): \(facts.outcome.sentence)",
      body: [
        "<main>", head, list("Warnings", facts.warnings), HTMLPage.section("Lists", units),
        list("Not read", facts.resting), changes, watches,
        coverage,
        requests, quotas, rejects, list("Changes to the tables", facts.migrations), story, images,
        "</main>", foot,
      ].filter { !$0.isEmpty }.joined(separator: "\n"))
  }

  /// The outcome in words, then the numbers that it stands on.
  private var head: String {
    """
    <header class="\(facts.tone)">
    <h1><bdi>\(HTMLText.escaped(facts.job, max: 100))</bdi>: <span class="\(facts.tone)">\
    \(HTMLText.foreign(facts.outcome.sentence, max: 500))</span></h1>
    \(nextSteps)
    <p>\(HTMLText.escaped(verdicts))</p>
    <p class="soft">\(HTMLText.escaped(facts.command)) of \(HTMLText.foreign(facts.origin)), \
    \(HTMLText.time(facts.startedAt)), took \(HTMLText.escaped(Wording.span(facts.duration)))</p>
    </header>
    <ul class="figures">\(figures.map { "<li><b>\($0)</b> \($1)</li>" }.joined())</ul>
    """
  }

  /// `3 lists: 2 complete, 1 capped`.
  private var verdicts: String {
    guard !facts.units.isEmpty else { return "No list was requested." }
    let counts = Verdict.allCases.map { verdict in
      (verdict, facts.lists(verdict))
    }
    let kinds = counts.filter { $0.1 > 0 }.map { "\(Wording.number($0.1)) \($0.0.rawValue)" }
    return "\(Wording.count(facts.listCount, "list")): \(kinds.joined(separator: ", "))."
  }

  /// Zero is told where a person would ask.
  private var figures: [(String, String)] {
    let counts = facts.counts
    let whole: [(Int, String, isAlways: Bool)] = [
      (counts.new, "new", true), (counts.changed, "changed", true),
      (counts.unchanged, "unchanged", true), (facts.vanished, "gone", false),
      (counts.repeated, "repeated", false), (counts.dropped, "dropped by rule", false),
      (counts.rejected, "rejected", false),
      (facts.images.fromNetwork, facts.images.fromNetwork == 1 ? "image" : "images", false),
      (facts.requests.sent, facts.requests.sent == 1 ? "request" : "requests", true),
    ]
    var figures = whole.filter { $0.0 > 0 || $0.isAlways }.map { (Wording.number($0.0), $0.1) }
    if facts.requests.waited >= .milliseconds(50) {
      figures.append((Wording.span(facts.requests.waited), "waited"))
    }
    return figures
  }

  /// What a person is to do, or that there is nothing to do.
  private var nextSteps: String {
    let steps = facts.nextSteps.map(\.html)
    return steps.isEmpty
      ? "<p class=\"step\">Nothing is left to do: the next run reads what is new.</p>"
      : steps.joined(separator: "\n")
  }

  private var requests: String {
    let requests = facts.requests
    var line = Wording.count(requests.sent, "request") + ", " + Wording.bytes(requests.bytes)
    if let forecast = facts.forecast?.requests {
      let about = facts.forecast?.isEstimate == true ? "about " : ""
      line += " (forecast: \(about)\(Wording.number(forecast)))"
    }
    if requests.notModified > 0 {
      line += ", \(Wording.number(requests.notModified)) answered \"not modified\""
    }
    let causes = Cause.allCases.compactMap { cause in
      requests.retries[cause].map { "\(Wording.number($0)) \(cause.explanation)" }
    }
    if requests.retried > 0 {
      line += "; retried: \(causes.joined(separator: ", "))"
    }
    return HTMLPage.section(
      "Requests",
      "<p>\(HTMLText.escaped(line))</p>" + (RequestChart(facts: facts).figure ?? "") + waits)
  }

  /// What was waited for, the longest first.
  private var waits: String {
    var sums: [String: Duration] = [:]
    for wait in facts.requests.waits { sums[wait.reason, default: .zero] += wait.duration }
    let reasons = sums.filter { $0.value >= .milliseconds(50) }
      .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let rest = reasons.count - Self.waitsMax
    var lines = reasons.prefix(Self.waitsMax).map {
      "<li>waited \(HTMLText.escaped(Wording.span($0.value))) for "
        + "\(HTMLText.foreign($0.key, max: 300))</li>"
    }
    if rest > 0 { lines.append("<li>and \(Wording.count(rest, "other reason"))</li>") }
    return lines.isEmpty ? "" : "<ul>\(lines.joined(separator: "\n"))</ul>"
  }

  private static let waitsMax = 5

  private var quotas: String {
    guard !facts.quotas.isEmpty else { return "" }
    let rows = facts.quotas.map { quota in
      "<tr><td>\(HTMLText.foreign(quota.name))</td>"
        + "<td class=\"number\">\(Wording.number(quota.leftBefore))</td>"
        + "<td class=\"number\">\(Wording.number(quota.leftAfter))</td>"
        + "<td class=\"number\">\(Wording.number(quota.allowed))</td>"
        + "<td class=\"bar\">\(Self.bar(quota))</td>"
        + "<td>\(quota.resetsAt.map(HTMLText.time) ?? "")</td></tr>"
    }
    return HTMLPage.section(
      "Quotas",
      HTMLPage.table(
        [
          ("quota", ""), ("left before", "number"), ("left after", "number"), ("of", "number"),
          ("left, used", "bar"), ("more at", ""),
        ], rows))
  }

  /// What is left, and what this run used of it.
  static func bar(_ quota: QuotaFacts) -> String {
    let whole = max(quota.allowed, quota.leftBefore, 1)
    func part(_ left: Int, _ colour: String) -> String {
      let width = Int(Double(max(left, 0)) / Double(whole) * 200)
      return "<rect width=\"\(width)\" height=\"8\" fill=\"\(colour)\"/>"
    }
    return "<svg viewBox=\"0 0 200 8\" preserveAspectRatio=\"none\" role=\"img\" "
      + "aria-label=\"\(quota.leftAfter) of \(quota.allowed) left\">"
      + part(whole, "var(--line)") + part(quota.leftBefore, "var(--bar)")
      + part(quota.leftAfter, "var(--good)") + "</svg>"
  }

  /// Where the same facts are for a program, and where the sentences.
  private var foot: String {
    let command = "trawl report \(facts.job)/\(facts.run)"
    return "<footer><p>The same for a program: <code><bdi>"
      + "\(HTMLText.escaped(command, max: 200))</bdi> --json</code>; in sentences: "
      + "<code>--explain</code>; all runs: index.html, one folder above.</p></footer>"
  }

  private var story: String {
    let all = facts.story
    guard all.count > Self.storyMax, let last = all.last else {
      return list("What happened, in order", all)
    }
    // The last sentence too: where the story itself was cut, it says so.
    let rest = Wording.number(all.count - Self.storyMax)
    let lines =
      all.prefix(Self.storyMax - 1) + ["and \(rest) more, which this page does not keep", last]
    return list("What happened, in order", Array(lines))
  }

  private func list(_ title: String, _ lines: [String]) -> String {
    guard !lines.isEmpty else { return "" }
    let items = lines.map { "<li>\(HTMLText.foreign($0, max: 600))</li>" }
    return HTMLPage.section(title, "<ul>\(items.joined(separator: "\n"))</ul>")
  }
}

extension NextStep {
  /// The sentence, and the command in a box of its own, so that it is marked and copied at once.
  var html: String {
    let words = HTMLText.foreign(text, max: 600)
    guard let command else { return "<p class=\"step\">\(words)</p>" }
    return "<p class=\"step\">\(words): <code class=\"command\">"
      + "\(HTMLText.escaped(command, max: 300))</code></p>"
  }
}

extension RunFacts {
  /// The class of style for the outcome: red is for a person alone.
  var tone: String { outcome.kinds == [.asDeclared] ? "good" : needsPerson ? "bad" : "wait" }
}
