internal import Base

/// `reports/index.html`, the page that a team keeps open: who needs a person, how each job stands,
/// what waits for what, what changed, and the last runs with a link to each page.
public struct HTMLIndex {
  let facts: IndexFacts
  /// Lines of each of its tables.
  private static let changesMax = 60
  private static let runsShown = 20
  /// The browser asks for the page again by itself, so that what is kept open stays true.
  private static let refreshSeconds = 300

  public init(_ facts: IndexFacts) { self.facts = facts }

  public var text: String {
    HTMLPage.text(
      title: "\(headline) – Trawl", refresh: Self.refreshSeconds,
      body: ["<main>", head, cards, jobs, quotas, changes, runs, "</main>", foot]
        .filter { !$0.isEmpty }.joined(separator: "\n"))
  }

  private var headline: String {
    facts.sums.isEmpty ? "No job has run yet" : facts.sums.map(\.text).joined(separator: ", ")
  }

  private var head: String {
    let sums = facts.sums.map {
      "<span class=\"\($0.tone.rawValue)\">\(HTMLText.escaped($0.text))</span>"
    }
    let worst: IndexFacts.Tone =
      [.bad, .wait].first { tone in facts.sums.contains { $0.tone == tone } } ?? .good
    return "<header class=\"\(worst.rawValue)\"><h1>"
      + (sums.isEmpty ? HTMLText.escaped(headline) : sums.joined(separator: ", "))
      + "</h1><p class=\"soft\">As of \(HTMLText.time(facts.writtenAt)), when the last run ended. "
      + "Green is as declared, amber heals by itself, red needs a person.</p></header>"
  }

  private var cards: String {
    let cards = facts.cards.map { card in
      let since = card.since.map { ", since \(HTMLText.time($0))" } ?? ""
      let steps = card.steps.filter(\.needsPerson).map(\.html).joined(separator: "\n")
      return "<li><h3>\(link(card.job, card.run, card.job))\(since)</h3>"
        + "<p>\(HTMLText.foreign(card.sentence, max: 400))</p>\(steps)</li>"
    }
    return HTMLPage.section(
      "Needs a person",
      cards.isEmpty ? "" : "<ul class=\"cards\">\(cards.joined(separator: "\n"))</ul>")
  }

  // MARK: jobs

  private var jobs: String {
    let rows = facts.jobs.map(row)
    guard !rows.isEmpty else { return "" }
    return HTMLPage.section(
      "Jobs",
      HTMLPage.table(
        [
          ("job", ""), ("state", ""), ("rows", "number"), ("last day", "number"),
          ("age", "number"), ("last \(IndexFacts.stripMax) runs", "strip"), ("next run", ""),
        ], rows, kind: "jobs")
        + "<p class=\"soft\">Rows, and what came, changed and went within a day. The age is that of "
        + "the last good end, beside what the job's <code>every</code> asks for. In the strip the "
        + "newest run is at the right; the taller a bar, the worse it ended.</p>")
  }

  private func row(_ job: IndexFacts.JobLine) -> String {
    "<tr><th scope=\"row\">\(link(job.name, job.run, job.name))</th>"
      + "<td class=\"why\"><span class=\"mark \(job.tone.rawValue)\">"
      + "\(HTMLText.escaped(job.state))</span>"
      + (job.why.isEmpty
        ? "" : "<br><span class=\"soft\">\(HTMLText.foreign(job.why, max: 200))</span>")
      + "</td><td class=\"number\">\(Wording.number(job.rows))</td>"
      + "<td class=\"number\">\(Self.change(job))</td>"
      + "<td class=\"number age\">\(age(job))</td><td class=\"strip\">\(Self.strip(job.strip))</td>"
      + "<td>\(HTMLText.escaped(job.next))</td></tr>"
  }

  /// `+3 ~1 −2`, each with its word for whoever hears the page.
  private static func change(_ job: IndexFacts.JobLine) -> String {
    let parts = [
      ("+", job.change.new, "new"), ("~", job.change.changed, "changed"), ("−", job.gone, "gone"),
    ].filter { $0.1 > 0 }.map { sign, count, word in
      "\(sign)\(Wording.number(count)) <span class=\"unit\">\(word)</span>"
    }
    return parts.isEmpty ? "–" : parts.joined(separator: "<br>")
  }

  private func age(_ job: IndexFacts.JobLine) -> String {
    let every = job.every.map { "<br> <span class=\"soft\">of \(Wording.span($0))</span>" } ?? ""
    guard let last = job.lastGood else { return "never\(every)" }
    let age = max(facts.writtenAt - last, .zero)
    let words = age < .seconds(60) ? "now" : Wording.rough(age)
    return (job.isLate ? "<span class=\"mark wait\">\(words), late</span>" : words) + every
  }

  private static let (barWidth, stripHeight) = (6, 18)

  private static func strip(_ tones: [IndexFacts.Tone]) -> String {
    guard !tones.isEmpty else { return "" }
    let counts = [
      (IndexFacts.Tone.good, "as declared"), (.wait, "to heal by themselves"),
      (.bad, "to need a person"), (.none, "cut off"),
    ].compactMap { tone, word in
      let count = tones.count { $0 == tone }
      return count > 0 ? "\(count) \(word)" : nil
    }
    var text = "<svg viewBox=\"0 0 \(IndexFacts.stripMax * barWidth) \(stripHeight)\" role=\"img\" "
    text +=
      "aria-label=\"\(Wording.count(tones.count, "run")): \(counts.joined(separator: ", "))\">"
    for (index, tone) in tones.enumerated() {
      text += "<rect x=\""
      text += String((IndexFacts.stripMax - tones.count + index) * barWidth)
      text += bars[tone] ?? ""
    }
    return text + "</svg>"
  }

  /// What stands behind the place of a bar, of each tone made once.
  private static let bars: [IndexFacts.Tone: String] = {
    let looks: [(IndexFacts.Tone, Int, String)] = [
      (.good, 8, "good"), (.wait, 13, "wait"), (.bad, stripHeight, "bad"), (.none, 4, "other"),
    ]
    let texts = looks.map { tone, tall, colour in
      (
        tone,
        "\" y=\"\(stripHeight - tall)\" width=\"\(barWidth - 2)\" height=\"\(tall)\" fill=\"var(--\(colour))\"/>"
      )
    }
    return Dictionary(uniqueKeysWithValues: texts)
  }()

  // MARK: the rest

  private var quotas: String {
    let rows = facts.quotas.map { quota in
      let names = quota.waiting.joined(separator: ", ")
      return
        "<tr><th scope=\"row\"><bdi>\(HTMLText.escaped(quota.facts.name.isEmpty ? "any request" : quota.facts.name))</bdi>"
        + "<br><span class=\"soft\">\(HTMLText.foreign(quota.origin)), "
        + "\(HTMLText.foreign(quota.account))</span></th>"
        + "<td class=\"number\">\(Wording.number(quota.facts.leftAfter)) of "
        + "\(Wording.number(quota.facts.allowed))</td>"
        + "<td class=\"bar\">\(HTMLReport.bar(quota.facts))</td>"
        + "<td>\(quota.facts.resetsAt.map(HTMLText.time) ?? "")</td>"
        + "<td class=\"why\">\(names.isEmpty ? "nobody" : HTMLText.foreign(names))"
        + (quota.why.map { "<br><span class=\"soft\">\(HTMLText.foreign($0))</span>" } ?? "")
        + "</td></tr>"
    }
    guard !rows.isEmpty else { return "" }
    return HTMLPage.section(
      "Quotas",
      HTMLPage.table(
        [
          ("quota", ""), ("left", "number"), ("", "bar"), ("more at", ""), ("who waits", ""),
        ], rows, kind: "quotas")
        + (facts.quotasLeftOut > 0
          ? "<p>and \(Wording.count(facts.quotasLeftOut, "more quota")): "
            + "<code>trawl status JOB</code></p>" : ""))
  }

  private var changes: String {
    let shown = facts.changes.prefix(Self.changesMax)
    let rows = shown.map { line in
      "<tr><th scope=\"row\">\(HTMLText.foreign(line.job))</th>"
        + "<td class=\"why\">\(HTMLText.foreign(line.table))</td>"
        + [line.new, line.changed, line.gone].map {
          "<td class=\"number\">\($0 == 0 ? "–" : Wording.number($0))</td>"
        }.joined() + "</tr>"
    }
    guard !rows.isEmpty else { return "" }
    let rest = facts.changes.count - shown.count
    return HTMLPage.section(
      "Changes of the last day",
      HTMLPage.table(
        [
          ("job", ""), ("list", ""), ("new", "number"), ("changed", "number"), ("gone", "number"),
        ], rows, kind: "day")
        + (rest > 0 ? "<p>and \(Wording.count(rest, "more list")) with changes</p>" : "")
        + "<p class=\"soft\">Record by record: <code>trawl report JOB --changes --since 1d</code></p>"
    )
  }

  private var runs: String {
    let rows = facts.runs.prefix(IndexFacts.runsMax).map { run in
      "<tr><td><a href=\"\(Self.plain(run.job))/\(Self.plain(run.run)).html\">"
        + "\(HTMLText.time(run.startedAt))</a></td><td>\(HTMLText.foreign(run.job))</td>"
        + "<td class=\"why\"><span class=\"mark \(run.tone.rawValue)\">"
        + "\(HTMLText.foreign(run.outcome, max: 300))</span>"
        + "<br><span class=\"soft\">\(HTMLText.escaped(run.command)), "
        + "\(HTMLText.escaped(Self.span(run))), exit \(run.exitCode)</span></td></tr>"
    }
    guard !rows.isEmpty else { return "" }
    let heads = [("began", ""), ("job", ""), ("outcome", "")]
    let rest = rows.dropFirst(Self.runsShown)
    return HTMLPage.section(
      "Runs",
      HTMLPage.table(heads, Array(rows.prefix(Self.runsShown)), kind: "lists")
        + (rest.isEmpty
          ? ""
          : "<details><summary>\(Wording.count(rest.count, "earlier run"))</summary>"
            + HTMLPage.table(heads, Array(rest), kind: "lists") + "</details>")
        + (facts.hasOlderRuns
          ? "<p>Older runs are not on this page: <code>trawl sql trawl_runs</code></p>" : ""))
  }

  private var foot: String {
    "<footer><p>The same on a terminal: <code>trawl status</code>. This page is written when a run "
      + "ends, so it says nothing of runs that do not begin: <code>trawl status --max-age</code> "
      + "does.</p></footer>"
  }

  /// The database keeps whole seconds.
  private static func span(_ run: IndexFacts.RunLine) -> String {
    let span = run.endedAt - run.startedAt
    return span < .seconds(1) ? "a moment" : Wording.span(span)
  }

  private func link(_ job: String, _ run: String?, _ text: String) -> String {
    let words = "<bdi>\(HTMLText.escaped(text, max: 100))</bdi>"
    guard let run else { return words }
    return "<a href=\"\(Self.plain(job))/\(Self.plain(run)).html\">\(words)</a>"
  }

  /// Names of jobs and runs are plain; whatever else stands there is no link.
  private static func plain(_ name: String) -> String {
    if name.utf8.allSatisfy(isPlain) { return name }
    return String(decoding: name.utf8.filter(isPlain), as: UTF8.self)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
