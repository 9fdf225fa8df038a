internal import Base
internal import Crawl
internal import Store

/// The status of a job for people.
struct StatusText {
  let context: CommandContext

  func print(_ job: JobStatus) {
    let overview = job.overview
    context.console.print("\(overview.job, .bold)  \(overview.origin)")
    printFile(job)
    var rows = AlignedRows(rightAligned: [1])
    rows.add(["list", "rows", "verdict", "as of", "why"].map { ConsoleText($0, .dim) })
    for list in Self.worst(overview.lists) { rows.add(cells(list)) }
    if overview.lists.isEmpty {
      let needs = job.needs.map { ": it \(context.console.advice($0))" } ?? ""
      context.console.print("  no list has been read yet\(needs)")
    } else {
      context.console.printWhole(rows)
      printRest(overview)
    }
    context.console.printWhole(facts(job))
    if !job.maps.isEmpty { context.console.print("  coverage") }
    let isUTF8 = context.environment.isUTF8
    for map in job.maps.prefix(Self.listsMax) {
      let text = CoverageText(map: map, isUTF8: isUTF8, columns: context.console.columns)
      for line in text.lines { context.console.print(line) }
    }
    let rest = job.maps.count - Self.listsMax
    if rest > 0 { context.console.print("  and \(Wording.number(rest)) more: --json shows each") }
  }

  /// Lists of a job that are shown one by one, and coverage maps.
  private static let listsMax = 100
  private static let urgentFirst = Verdict.urgentFirst.flatMap { verdict in
    switch verdict {
    case .failed: ["failed", "void"]
    case .complete: ["unfinished"]
    default: [verdict.rawValue]
    }
  }

  /// All in order; if too many, those that need a look most.
  static func worst(_ lists: [ListOverview]) -> [ListOverview] {
    guard lists.count > listsMax else { return lists }
    func rank(_ list: ListOverview) -> Int {
      urgentFirst.firstIndex(of: list.verdict) ?? urgentFirst.count
    }
    let ranked = lists.indices.sorted { rank(lists[$0]) < rank(lists[$1]) }
    return ranked.prefix(listsMax).sorted().map { lists[$0] }
  }

  /// All lists by verdict, if not each is shown.
  private func printRest(_ overview: JobOverview) {
    let rest = overview.lists.count - Self.listsMax
    guard rest > 0 else { return }
    let groups = Dictionary(grouping: overview.lists, by: \.verdict)
    let words = (Self.urgentFirst + ["complete", "orphaned"]).compactMap { verdict in
      groups[verdict].map { "\(Wording.number($0.count)) \(verdict)" }
    }
    let all = "of all \(Wording.number(overview.lists.count)): \(words.joined(separator: ", "))"
    context.console.print("  and \(Wording.count(rest, "more list")); \(all) (--json names each)")
  }

  /// What its job file says.
  private func printFile(_ status: JobStatus) {
    if let problem = status.fileProblem {
      context.console.print("  \("its job file cannot be used", .red): \(problem)")
    }
    guard let job = status.job else {
      if status.fileProblem != nil { return }
      let file = status.overview.file
      context.console.print(
        "  \("its file is not there, or cannot be read", .yellow)\(file.map { ": \($0.path)" } ?? "")"
      )
      return
    }
    if !job.about.isEmpty { context.console.print("  \(job.about)") }
    var rows = AlignedRows()
    rows.add("file", job.source + (status.isFileChanged ? ", changed since its last run" : ""))
    if let terms = job.terms { rows.add("terms", terms) }
    context.console.printWhole(rows)
    if !job.parameters.isEmpty {
      context.console.print("  parameters (\("--set NAME=VALUE", .dim))")
    }
    var parameters = AlignedRows(indent: 4)
    for parameter in job.parameters {
      let value =
        parameter.defaults.isEmpty
        ? ConsoleText("none", .yellow)
        : ConsoleText(parameter.defaults.joined(separator: ", "))
      parameters.add([ConsoleText(parameter.name), value, ConsoleText(parameter.about, .dim)])
    }
    context.console.printWhole(parameters)
  }

  private func cells(_ list: ListOverview) -> [ConsoleText] {
    var why = list.why
    if let at = list.goesOnAt {
      // First, as narrow terminals cut the end.
      why = "\(list.verdict == "absent" ? "retried" : "resumes") \(when(at)): \(why)"
    }
    if list.verdict != "complete", let last = list.completeAsOf {
      why += "; complete at \(context.clock(last))"
      if list.readsSince > 0 {
        why += ", read to its end \(Wording.count(list.readsSince, "time")) since"
      }
    }
    let verdict = list.verdict + ((list.proof ?? list.cause).map { " (\($0))" } ?? "")
    return [
      ConsoleText(list.listName), ConsoleText(Wording.number(list.rows)),
      ConsoleText(verdict, Self.style(list.verdict)),
      ConsoleText(list.asOf.map { context.clock($0) } ?? "never"), ConsoleText(why),
    ]
  }

  private func when(_ instant: Instant) -> String {
    instant <= context.time.now() ? "with the next run" : "at \(context.clock(instant))"
  }

  static func style(_ verdict: String) -> ConsoleText.Style {
    switch verdict {
    case "complete": .green
    case "failed", "void": .red
    default: .yellow
    }
  }

  private func facts(_ job: JobStatus) -> AlignedRows {
    let (overview, console) = (job.overview, context.console)
    var rows = AlignedRows()
    if let process = job.runner {
      let who = process > 0 ? "process \(process)" : "a process"
      rows.add([ConsoleText("running"), ConsoleText("now, by \(who)", .green)])
    }
    rows.add("last run", lastRun(job))
    for step in job.nextSteps {
      rows.add("next", console.advice(step.sentence))
    }
    if let every = job.every {
      let due = job.dueAt.map { $0 > context.time.now() ? "at \(context.clock($0))" : "now" }
      rows.add("every", "\(Wording.span(every)), due \(due ?? "now")")
    }
    for due in job.due {
      let count = Wording.number(due.count)
      if due.count > 0 {
        rows.add("due", "\(due.stream), for \(count) of \(due.parent): with the next run")
      }
      if let lack = due.lack { rows.add("never due", "\(due.stream): \(lack)") }
    }
    // With one account, the usual case, its name says nothing.
    let isOne = Set(job.quotas.map(\.key.account)).count < 2
    for quota in job.quotas {
      rows.add(
        quota.key.name.isEmpty ? "wait" : "quota",
        console.advice(text(quota, of: overview.job, isNamed: !isOne)))
    }
    if let note = job.quotaNote { rows.add("quota", note) }
    if overview.rejects > 0 {
      rows.add(
        "rejects",
        "\(Wording.number(overview.rejects)) kept: SELECT * FROM trawl_rejects WHERE job = "
          + "'\(overview.job)'")
    }
    if overview.misses > 0 {
      rows.add(
        "missing",
        "\(Wording.count(overview.misses, "value")) did not come; what can be requested is tried again: "
          + "SELECT * FROM trawl_due WHERE missed_at IS NOT NULL AND job = '\(overview.job)'")
    }
    if let images = images(job) { rows.add("images", images) }
    if overview.openGoals > 0 {
      rows.add(
        "backfill",
        console.advice(
          "\(Wording.count(overview.openGoals, "open goal")): trawl backfill \(overview.job)"))
    }
    return rows
  }

  private func lastRun(_ job: JobStatus) -> String {
    guard let run = job.overview.lastRun else { return "never" }
    let began = "\(run.command) of \(context.clock(run.beganAt))"
    guard let ended = run.endedAt else {
      if job.runner != nil { return "\(began), under way" }
      if let holder = job.holder {
        return "\(began) was cut off, or has not ended yet: \(holder) has the folder"
      }
      return
        "\(began) was cut off (a kill, a power cut, a full disk, or a locked database); the next run resumes after it"
    }
    let took = ended - run.beganAt
    let span = took < .seconds(1) ? "under a second" : Wording.span(took)
    var text = "\(began), \(span): \(run.outcome ?? "no outcome")"
    if let code = run.exitCode, code != 0 { text += " (exit \(code))" }
    if let at = job.overview.refusedAt {
      text += "; the one of \(context.clock(at)) could not begin"
    }
    return text
  }

  /// `13 of 213; 200 refused (status 403)`; nil: there are none, or all are here and none is due.
  private func images(_ job: JobStatus) -> String? {
    let due = job.overview.imagesPending
    guard let pictures = job.pictures else { return nil }
    // Their rows stay: the files may be back.
    if job.overview.troubles[.noFiles] != nil {
      return "\(Wording.number(pictures.here)) known; most of their files are missing"
    }
    if pictures.here == pictures.all, due == 0 { return nil }
    var text = "\(Wording.number(pictures.here)) of \(Wording.number(pictures.all))"
    let reasons = pictures.refused.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    if reasons.count == 1 {
      text += "; \(Wording.number(reasons[0].value)) refused (\(reasons[0].key))"
    } else if !reasons.isEmpty {
      let words = reasons.map { "\(Wording.number($0.value)) \($0.key)" }
      text += "; \(Wording.number(pictures.refusedCount)) refused (\(Wording.some(words, 4)))"
    }
    return due > 0 ? "\(text); \(Wording.number(due)) due now" : text
  }

  /// `core: 3 of 60 left, more at 15:04 UTC; used by github 55, my-github (backfill) 2`.
  private func text(_ quota: QuotaLedger.Left, of job: String, isNamed: Bool) -> String {
    let cure = "; to end the wait: trawl reset waits \(job)"
    if quota.key.name.isEmpty {
      let until = quota.resetsAt.map { " before \(context.clock($0))" } ?? ""
      return "no request\(until) (\(quota.blockedWhy ?? "the API asked to wait"))\(cure)"
    }
    var text =
      "\(quota.key.name)\(isNamed ? " (\(quota.key.account))" : ""): "
      + "\(Wording.number(quota.left)) of \(Wording.number(quota.allowed)) left"
    if let at = quota.resetsAt, at > context.time.now(), quota.left < quota.allowed {
      text += ", more at \(context.clock(at))"
    }
    if let why = quota.blockedWhy { text += " (\(why))\(cure)" }
    let usersShown = 4
    let users = quota.users.prefix(usersShown).map { user in
      "\(user.job)\(user.isBackfill ? " (backfill)" : "") \(Wording.number(user.cost))"
    }
    if !users.isEmpty {
      let rest = quota.users.count > usersShown ? " and others" : ""
      text += "; used by \(users.joined(separator: ", "))\(rest)"
    }
    return text
  }

}
