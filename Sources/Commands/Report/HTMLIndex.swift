internal import Base
internal import Crawl
internal import Store

/// `reports/index.html`, the page that a team keeps open: who needs a person, the state of each job, which job waits
/// for which quota, what changed, and the last runs with links.
struct HTMLIndex {
  /// Of a run, of a job's state, and of a part of the headline.
  enum Tone: String {
    case good, wait, bad
    /// Nothing to judge.
    case none = "soft"

    init(_ exit: ExitStatus?) {
      self =
        switch exit {
        case .complete: .good
        case .paused, .less, .unreachable: .wait
        case nil: .none
        default: .bad
        }
    }
  }

  let writtenAt: Instant
  /// How instants are shown, and whether a run has a page.
  var clock: (Instant) -> String = \.description
  var hasPage: (StoredRun) -> Bool = { _ in true }
  /// Worst first, by `JobStanding`.
  var jobs: [JudgedJob] = []
  /// The last runs of each job, newest first.
  var strips: [String: [StoredRun]] = [:]
  /// Of the last 24 hours, by job.
  var changes: [String: RunCounts] = [:]
  /// Of all jobs, newest first.
  var runs: [StoredRun] = []
  var hasOlderRuns = false

  /// Runs of each job in its strip.
  static let stripMax = 30
  static let runsMax = 200
  private static let quotasMax = 40
  /// Rows of each table.
  private static let changesMax = 60
  private static let runsShown = 20
  /// The browser reloads the page, so that an open one stays current.
  private static let refreshSeconds = 300

  var text: String {
    HTMLPage.text(
      title: "\(headline) – Trawl", refresh: Self.refreshSeconds,
      body: ["<main>", head, cards, jobTable, quotas, changeTable, runTable, "</main>", foot]
        .filter { !$0.isEmpty }.joined(separator: "\n"))
  }

  private var headline: String {
    sums.isEmpty ? "No job has run yet" : sums.map(\.text).joined(separator: ", ")
  }

  private var head: String {
    let sums = sums
    let shown = sums.map {
      "<span class=\"\($0.tone.rawValue)\">\(HTMLText.escaped($0.text))</span>"
    }
    let worst = [Tone.bad, .wait].first { tone in sums.contains { $0.tone == tone } } ?? .good
    return "<header class=\"\(worst.rawValue)\"><h1>"
      + (shown.isEmpty ? HTMLText.escaped(headline) : shown.joined(separator: ", "))
      + "</h1><p class=\"soft\">As of \(HTMLText.time(writtenAt)), when the last run ended. "
      + "Green is as declared, amber can wait, red needs a person.</p></header>"
  }

  /// `38 up to date, 1 needs you, 1 waits until 04:10 UTC`.
  private var sums: [(text: String, tone: Tone)] {
    var sums: [(text: String, tone: Tone)] = []
    let calm = jobs.filter { !$0.needsPerson }
    func add(_ count: Int, _ one: String, _ many: String, _ tone: Tone) {
      if count > 0 { sums.append(("\(Wording.number(count)) \(count == 1 ? one : many)", tone)) }
    }
    func add(_ standings: [JobStanding], _ one: String, _ many: String, _ tone: Tone) {
      add(calm.count { standings.contains($0.standing) }, one, many, tone)
    }
    add([.upToDate], "up to date", "up to date", .good)
    add(jobs.count - calm.count, "needs you", "need you", .bad)
    add([.late], "is late", "are late", .wait)
    let short: Set = [JobStanding.failed, .unreachable, .incomplete, .cutOff]
    let healing = calm.count { short.contains($0.standing) && $0.heals }
    add(healing, "heals with its next run", "heal with their next runs", .wait)
    add(calm.count { short.contains($0.standing) } - healing, "falls short", "fall short", .wait)
    let first = calm.filter { $0.standing == .paused }
      .compactMap { $0.status.resumption(after: writtenAt) }.min()
    let until = first.map { " until \(clock($0))" } ?? ""
    add([.paused], "waits\(until)", "wait\(until)", .wait)
    add([.outOfDate], "is out of date", "are out of date", .none)
    add([.running], "runs now", "run now", .good)
    add([.idle], "needs a value", "need a value", .none)
    add([.neverRan], "has not run yet", "have not run yet", .none)
    return sums
  }

  private var cards: String {
    let cards = jobs.filter(\.needsPerson).map { job in
      let since =
        job.nextSteps.compactMap(\.since).min()
        .map { ", since \(HTMLText.time($0))" } ?? ""
      let steps = job.nextSteps.filter(\.needsPerson).map(\.html).joined(separator: "\n")
      let why = Self.why(job) ?? "it has no outcome"
      return "<li><h3>\(link(job.overview.job))\(since)</h3>"
        + "<p>\(HTMLText.foreign(why, max: 400))</p>\(steps)</li>"
    }
    return HTMLPage.section(
      "Needs a person",
      cards.isEmpty ? "" : "<ul class=\"cards\">\(cards.joined(separator: "\n"))</ul>")
  }

  private static func why(_ job: JudgedJob) -> String? {
    job.status.fileProblem?.description ?? job.overview.lastRun?.outcome
  }

  // MARK: jobs

  private var jobTable: String {
    let rows = jobs.map { row($0, changes[$0.overview.job]) }
    guard !rows.isEmpty else { return "" }
    return HTMLPage.section(
      "Jobs",
      HTMLPage.table(
        [
          ("job", ""), ("state", ""), ("rows", "number"), ("last day", "number"),
          ("age", "number"), ("last \(Self.stripMax) runs", "strip"), ("next run", ""),
        ], rows, kind: "jobs")
        + "<p class=\"soft\">Rows, and what came, changed and went within a day. The age is that of "
        + "the last good end (of a late job: of its oldest late list), beside what the job's "
        + "<code>every</code> asks for. In the strip the newest run is at the right; the taller a "
        + "bar, the worse it ended.</p>")
  }

  private func row(_ job: JudgedJob, _ changes: RunCounts?) -> String {
    let (name, standing) = (job.overview.job, job.standing)
    let tone: Tone =
      switch standing {
      case _ where job.needsPerson: .bad
      case .upToDate, .running: .good
      case .outOfDate, .idle, .neverRan: .none
      default: .wait
      }
    let why = tone == .good || tone == .none ? nil : Self.why(job)
    let state = job.needsPerson ? "needs you" : standing.rawValue
    return "<tr><th scope=\"row\">\(link(name))</th>"
      + "<td class=\"why\"><span class=\"mark \(tone.rawValue)\">\(HTMLText.escaped(state))</span>"
      + (why.map { "<br><span class=\"soft\">\(HTMLText.foreign($0, max: 200))</span>" } ?? "")
      + "</td><td class=\"number\">\(Wording.number(job.overview.rows))</td>"
      + "<td class=\"number\">\(Self.change(changes))</td>"
      + "<td class=\"number age\">\(age(job.status))</td>"
      + "<td class=\"strip\">\(Self.strip((strips[name] ?? []).reversed()))</td>"
      + "<td>\(HTMLText.escaped(next(job.status)))</td></tr>"
  }

  private func next(_ job: JobStatus) -> String {
    if let at = job.resumption(after: writtenAt) { return "after \(clock(at))" }
    guard job.every != nil else { return "" }
    guard let due = job.dueAt, due > writtenAt else { return "due" }
    return clock(due)
  }

  /// `+3 ~1 −2`, each with a word for screen readers.
  private static func change(_ changes: RunCounts?) -> String {
    let tables = changes.map { Array($0.tables.values) } ?? []
    let parts = [
      ("+", \RunCounts.Table.new, "new"), ("~", \.changed, "changed"), ("−", \.gone, "gone"),
      ("+", \.back, "back"),
    ].compactMap { sign, member, word in
      let count = tables.reduce(0) { $0 + $1[keyPath: member] }
      return count == 0
        ? nil : "\(sign)\(Wording.number(count)) <span class=\"unit\">\(word)</span>"
    }
    return parts.isEmpty ? "–" : parts.joined(separator: "<br>")
  }

  private func age(_ job: JobStatus) -> String {
    let every =
      job.every.map { "<br> <span class=\"soft\">of \(Wording.span($0))</span>" } ?? ""
    let isLate = !job.late.isEmpty
    let ends = (isLate ? job.late : job.overview.lists).map(\.lastGoodEnd)
    let known = ends.compactMap { $0 }
    let last = !isLate ? known.max() : ends.contains(nil) ? nil : known.min()
    let age = last.map { max(writtenAt - $0, .zero) }
    let words = age.map { $0 < .seconds(60) ? "now" : Wording.rough($0) } ?? "never"
    return (isLate ? "<span class=\"mark wait\">\(words), late</span>" : words) + every
  }

  private static let (barWidth, stripHeight) = (6, 18)

  /// Oldest first.
  private static func strip(_ runs: [StoredRun]) -> String {
    guard !runs.isEmpty else { return "" }
    let tones = runs.map { Tone($0.exit) }
    let counts = [
      (Tone.good, "as declared"), (.wait, "to heal by themselves"),
      (.bad, "to need a person"), (.none, "cut off"),
    ].compactMap { tone, word in
      let count = tones.count { $0 == tone }
      return count > 0 ? "\(count) \(word)" : nil
    }
    var text = "<svg viewBox=\"0 0 \(stripMax * barWidth) \(stripHeight)\" role=\"img\" "
    text +=
      "aria-label=\"\(Wording.count(tones.count, "run")): \(counts.joined(separator: ", "))\">"
    for (index, tone) in tones.enumerated() {
      text += "<rect x=\""
      text += String((stripMax - tones.count + index) * barWidth)
      text += bars[tone] ?? ""
    }
    return text + "</svg>"
  }

  /// What follows the x of a bar, made once for each tone.
  private static let bars: [Tone: String] = {
    let looks: [(Tone, Int, String)] = [
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
    // Unused quotas are left out.
    let all = jobs.quotas.filter { quota, _ in
      !quota.users.isEmpty || quota.left < quota.allowed || quota.blockedWhy != nil
    }
    let rows = all.prefix(Self.quotasMax).map { quota, waiting in
      let name = quota.key.name.isEmpty ? "any request" : quota.key.name
      let resets = quota.left < quota.allowed || quota.blockedWhy != nil ? quota.resetsAt : nil
      let names = waiting.joined(separator: ", ")
      return
        "<tr><th scope=\"row\"><bdi>\(HTMLText.escaped(name))</bdi>"
        + "<br><span class=\"soft\">\(HTMLText.foreign(quota.key.origin)), "
        + "\(HTMLText.foreign(quota.key.account))</span></th>"
        + "<td class=\"number\">\(Wording.number(quota.left)) of "
        + "\(Wording.number(quota.allowed))</td>"
        + "<td class=\"bar\">"
        + "\(HTMLReport.bar(quota.left, of: quota.allowed, before: quota.left))</td>"
        + "<td>\(resets.map(HTMLText.time) ?? "")</td>"
        + "<td class=\"why\">\(names.isEmpty ? "nobody" : HTMLText.foreign(names))"
        + (quota.blockedWhy.map { "<br><span class=\"soft\">\(HTMLText.foreign($0))</span>" } ?? "")
        + "</td></tr>"
    }
    guard !rows.isEmpty else { return "" }
    return HTMLPage.section(
      "Quotas",
      HTMLPage.table(
        [
          ("quota", ""), ("left", "number"), ("", "bar"), ("more at", ""), ("who waits", ""),
        ], rows, kind: "quotas")
        + (all.count > rows.count
          ? "<p>and \(Wording.count(all.count - rows.count, "more quota")): "
            + "<code>trawl status JOB</code></p>" : ""))
  }

  private var changeTable: String {
    let all = changes.sorted { $0.key < $1.key }.flatMap { job, counts in
      counts.tables.sorted { $0.key < $1.key }.map { (job: job, table: $0.key, counts: $0.value) }
    }
    let shown = all.prefix(Self.changesMax)
    let rows = shown.map { line in
      let counts = line.counts
      return "<tr><th scope=\"row\">\(HTMLText.foreign(line.job))</th>"
        + "<td class=\"why\">\(HTMLText.foreign(line.table))</td>"
        + [counts.new, counts.changed, counts.gone, counts.back].map {
          "<td class=\"number\">\($0 == 0 ? "–" : Wording.number($0))</td>"
        }.joined() + "</tr>"
    }
    guard !rows.isEmpty else { return "" }
    let rest = all.count - shown.count
    return HTMLPage.section(
      "Changes of the last day",
      HTMLPage.table(
        [
          ("job", ""), ("list", ""), ("new", "number"), ("changed", "number"), ("gone", "number"),
          ("back", "number"),
        ], rows, kind: "day")
        + (rest > 0 ? "<p>and \(Wording.count(rest, "more list")) with changes</p>" : "")
        + "<p class=\"soft\">Record by record: <code>trawl report JOB --changes --since 1d</code></p>"
    )
  }

  /// Runs that have ended and have a page.
  private var runTable: String {
    let rows = runs.compactMap { run -> String? in
      guard let endedAt = run.endedAt, let code = run.exitCode, hasPage(run) else { return nil }
      let tone = Tone(run.exit).rawValue
      let took = endedAt - run.beganAt
      // The database has whole seconds.
      let span = took < .seconds(1) ? "a moment" : Wording.span(took)
      return "<tr><td><a href=\"\(Self.path(run.job, run.run.name))\">"
        + "\(HTMLText.time(run.beganAt))</a></td><td>\(HTMLText.foreign(run.job))</td>"
        + "<td class=\"why\"><span class=\"mark \(tone)\">"
        + "\(HTMLText.foreign(run.outcome ?? "", max: 300))</span>"
        + "<br><span class=\"soft\">\(HTMLText.escaped(run.command)), "
        + "\(HTMLText.escaped(span)), exit \(code)</span></td></tr>"
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
        + (hasOlderRuns
          ? "<p>Older runs are not on this page: <code>trawl sql trawl_runs</code></p>" : ""))
  }

  private var foot: String {
    "<footer><p>The same on a terminal: <code>trawl status</code>. This page is written when a run "
      + "ends, so it says nothing of runs that do not begin: <code>trawl status --max-age</code> "
      + "does.</p></footer>"
  }

  /// A link to the job's newest run with a page.
  private func link(_ job: String) -> String {
    let words = "<bdi>\(HTMLText.escaped(job, max: 100))</bdi>"
    guard let run = strips[job]?.first(where: hasPage) else { return words }
    return "<a href=\"\(Self.path(job, run.run.name))\">\(words)</a>"
  }

  static func path(_ job: String, _ run: String) -> String { "\(plain(job))/\(plain(run)).html" }

  /// Names of jobs and runs are plain; anything else cannot be linked.
  private static func plain(_ name: String) -> String {
    let bytes = name.utf8.filter {
      (97...122).contains($0 | 32) || (48...57).contains($0) || "-_".utf8.contains($0)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
