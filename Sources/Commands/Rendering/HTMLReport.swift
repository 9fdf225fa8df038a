internal import Base

/// The same facts as one page without scripts. Its images are those of the data folder, two folders up; it needs
/// nothing else. Ordered for a reader who is called at night: what is wrong and what to do, what did not fit, what
/// happened, what changed.
struct HTMLReport {
  let facts: RunFacts

  /// Images on a page.
  static let picturesMax = 60
  /// Lists and sentences on a page.
  static let rowsMax = 200
  /// The largest parts of a page; the whole page has at most 300 KB.
  static let partBytesMax = 60_000

  init(_ facts: RunFacts) { self.facts = facts }

  var text: String {
    HTMLPage.text(
      title: "\(facts.job): \(facts.headline)",
      body: [
        "<main>", head, HTMLPage.section("Lists", units), list("Warnings", facts.warnings),
        rejects, list("Not read", facts.resting), story, changes, watches, images,
        coverage, requests, quotas, list("Changes to the tables", facts.migrations),
        "</main>", foot,
      ].filter { !$0.isEmpty }.joined(separator: "\n"))
  }

  /// The outcome in words, then the numbers behind it.
  private var head: String {
    """
    <header class="\(facts.tone)">
    <h1><bdi>\(HTMLText.escaped(facts.job, max: 100))</bdi>: <span class="\(facts.tone)">\
    \(headline)</span></h1>
    \(nextSteps)
    <p>\(HTMLText.escaped(verdicts))</p>
    <p class="soft">\(HTMLText.escaped(facts.command)) of \(HTMLText.foreign(facts.origin)), \
    \(HTMLText.time(facts.startedAt)), took \(HTMLText.escaped(Wording.span(facts.duration)))</p>
    </header>
    <ul class="figures">\(figures.map { "<li><b>\($0)</b> \($1)</li>" }.joined())</ul>
    """
  }

  /// `2 of 6 lists failed: dead, html`, each name isolated; else the outcome.
  private var headline: String {
    guard let failure = facts.failure else {
      return HTMLText.foreign(facts.outcome.sentence, max: 500)
    }
    let names = failure.names.map {
      "<span class=\"name\">\(HTMLText.foreign($0, max: 100))</span>"
    }
    return HTMLText.escaped(failure.words) + ": " + names.joined(separator: ", ")
      + HTMLText.escaped(failure.more)
  }

  /// `3 lists: 2 complete, 1 limited`.
  private var verdicts: String {
    guard !facts.units.isEmpty else { return "No list was requested." }
    let counts = Verdict.allCases.map { verdict in
      (verdict, facts.lists(verdict))
    }
    let kinds = counts.filter { $0.1 > 0 }.map { "\(Wording.number($0.1)) \($0.0.rawValue)" }
    return "\(Wording.count(facts.listCount, "list")): \(kinds.joined(separator: ", "))."
  }

  /// Zeros are shown where readers would ask.
  private var figures: [(String, String)] {
    let counts = facts.counts
    let whole: [(Int, String, isAlways: Bool)] = [
      (facts.sum(\.new), "new", true), (facts.sum(\.changed), "changed", true),
      (counts.unchanged, "unchanged", true), (facts.sum(\.back), "back", false),
      (facts.sum(\.gone), "gone", false),
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

  /// What the reader should do, or that nothing needs doing.
  private var nextSteps: String {
    let steps = facts.nextSteps.map(\.html)
    return steps.isEmpty
      ? "<p class=\"step\">Nothing is left to do: the next run reads what is new.</p>"
      : steps.joined(separator: "\n")
  }

  private var requests: String {
    let requests = facts.requests
    var line = Wording.count(requests.sent, "request") + ", " + Wording.bytes(requests.bytes)
    if requests.notModified > 0 {
      line += ", \(Wording.number(requests.notModified)) answered \"not modified\""
    }
    let causes = Cause.allCases.compactMap { cause in
      requests.retries[cause].map { "\(Wording.number($0)) \(cause.words.explanation)" }
    }
    if requests.retried > 0 {
      line += "; retried: \(causes.joined(separator: ", "))"
    }
    return HTMLPage.section(
      "Requests",
      "<p>\(HTMLText.escaped(line))</p>" + (RequestChart(facts: facts).figure ?? "") + waits)
  }

  /// Waits by reason, the longest first.
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
        + "<td class=\"bar\">\(Self.bar(quota.leftAfter, of: quota.allowed, before: quota.leftBefore))</td>"
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

  /// What is left of a quota, and what this run used.
  static func bar(_ now: Int, of allowed: Int, before: Int) -> String {
    let whole = max(allowed, before, now, 1)
    func part(_ left: Int, _ colour: String) -> String {
      let width = Int(Double(max(left, 0)) / Double(whole) * 200)
      return "<rect width=\"\(width)\" height=\"8\" fill=\"\(colour)\"/>"
    }
    return "<svg viewBox=\"0 0 200 8\" preserveAspectRatio=\"none\" role=\"img\" "
      + "aria-label=\"\(now) of \(allowed) left\">"
      + part(whole, "var(--line)") + part(before, "var(--bar)")
      + part(now, "var(--good)") + "</svg>"
  }

  /// Where programs find the same facts, and where the sentences are.
  private var foot: String {
    let command = "trawl report \(facts.job)/\(facts.run)"
    return "<footer><p>The same for a program: <code><bdi>"
      + "\(HTMLText.escaped(command, max: 200))</bdi> --json</code>; in sentences: "
      + "<code>--explain</code>; all runs: index.html, one folder above.</p></footer>"
  }

  private var story: String {
    let lines = ReportCut.sentences(facts.story)
    guard !lines.isEmpty else { return "" }
    // Open if the reader is looking for a fault.
    let isOpen = facts.tone == "good" ? "" : " open"
    return HTMLPage.section(
      "What happened, in order",
      "<details\(isOpen)><summary>\(Wording.count(facts.story.count, "sentence"))</summary>"
        + Self.items(lines) + "</details>")
  }

  private func list(_ title: String, _ lines: [String]) -> String {
    lines.isEmpty ? "" : HTMLPage.section(title, Self.items(ReportCut.sentences(lines)))
  }

  private static func items(_ lines: [String]) -> String {
    let items = lines.map { "<li>\(HTMLText.foreign($0, max: 600))</li>" }
    return "<ul>\(items.joined(separator: "\n"))</ul>"
  }
}

extension NextStep {
  /// The sentence, and the command in an element of its own, easy to copy.
  var html: String {
    let words = HTMLText.foreign(text, max: 600)
    guard let command else { return "<p class=\"step\">\(words)</p>" }
    return "<p class=\"step\">\(words): <code class=\"command\">"
      + "\(HTMLText.escaped(command, max: 300))</code></p>"
  }
}

extension RunFacts {
  /// The CSS class of the outcome: red only if a person must act, grey for permanent loss.
  var tone: String {
    if outcome.kinds == [.asDeclared] { return "good" }
    if needsPerson { return "bad" }
    let less = units.filter { $0.tone(in: self) != "good" }
    let isLost = outcome.kinds == [.lessThanDeclared] && rejectCount == 0
    return isLost && !less.isEmpty && less.allSatisfy { $0.tone(in: self) == "other" }
      ? "other" : "wait"
  }

  /// How many lists failed, and which; nil: none.
  var failure: (words: String, names: [String], more: String)? {
    let failed = lists(.failed)
    guard failed > 0 else { return nil }
    let names = units.filter { $0.certificate.verdict == .failed }.map(\.listName).prefix(3)
    let rest = failed - names.count
    return (
      "\(Wording.number(failed)) of \(Wording.count(listCount, "list")) failed", Array(names),
      rest > 0 ? " and \(Wording.number(rest)) more" : ""
    )
  }

  /// The outcome, for the title.
  var headline: String {
    failure.map { "\($0.words): \($0.names.joined(separator: ", "))\($0.more)" } ?? outcome.sentence
  }
}

extension UnitFacts {
  /// Red: a person must look; amber: the next run heals it; grey: lost for good.
  func tone(in facts: RunFacts) -> String {
    if certificate.verdict == .limited, certificate.cause == .outOfReach { return "other" }
    if isAsDeclared { return "good" }
    return certificate.verdict == .failed && facts.needsPerson ? "bad" : "wait"
  }
}
