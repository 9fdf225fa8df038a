internal import Glibc
internal import Base
internal import Store

/// `trawl status JOB --alert`: the alert that is due, if any. The units run it after a run, with systemd's `MONITOR_*`
/// variables.
struct JobAlert: Sendable {
  let context: CommandContext
  let location: DataLocation
  let job: String

  func perform() async throws -> ExitStatus {
    let now = context.time.now()
    let (status, unread) = await gathered()
    let problem = unread ?? status?.fileProblem ?? status?.ledgerDamage
    let outcome = Outcome(status, problem, context.environment)
    let steps = outcome.steps(status, job)
    let told = steps.filter(\.needsPerson)
    let troubles = told.map { step in
      AlertMemory.Entry(
        job: isShared(step.trouble) ? "" : job, what: what(step, status),
        since: since(step, status) ?? now, toldAt: now)
    }
    // Without its file no job counts as well.
    let isWell = outcome.isWell && status.map { !$0.isLess && $0.job != nil } ?? true
    // Where systemd does not say that all is well, only a run can show it that ended since.
    let isTold = context.environment("MONITOR_SERVICE_RESULT") == "success"
    let shownAt = isTold ? now : status?.overview.lastRun?.endedAt
    switch decide(troubles, wellAt: isWell ? shownAt : nil, at: now) {
    case .silent: return .complete
    case .recovered(let span):
      context.console.print("\(job) recovered after \(Wording.span(span)): \(outcome.words)")
    case .tells(let index, let since):
      let age = now - since
      let span = age < .seconds(60) ? "" : " (\(Wording.span(age)))"
      // Names the disk. A file for readers may be on another one.
      let isOfDisk = [.folder, .noRoom, .noFiles, .damaged].contains(told[index].trouble)
      let copy = status?.job?.publish ?? ""
      let isOther = told[index].trouble == .folder && copy.hasPrefix("/")
      let place = isOfDisk ? "\(location.folder)\(isOther ? " or \(copy)" : ""): " : ""
      context.console.print(
        ConsoleText(
          "\(job) needs you, since \(context.clock(since))\(span): \(place)\(context.console.advice(told[index].sentence))"
        )
      )
      let said = problem == nil ? "Its last run: \(outcome.words)." : "\(outcome.words)."
      context.console.print(ConsoleText(said))
      for other in steps where other != told[index] {
        context.console.print(ConsoleText(context.console.advice(other.sentence)))
      }
    }
    if outcome.isOfRun, let report = report(of: status) {
      context.console.print(ConsoleText("report: \(report)"))
    }
    return .found
  }

  /// An unreadable database is reported like any other trouble.
  private func gathered() async -> (JobStatus?, ExitReport?) {
    do {
      guard let store = try await context.storeForReading(location) else { return (nil, nil) }
      let status = try await context.use(store) { () -> JobStatus? in
        guard let overview = try await store.overview(of: job).first else { return nil }
        var status = try await JobSurvey(context: context, location: location)
          .statuses([overview], store)[0]
        // A unit still runs the job, so its file should exist; another user may keep files elsewhere.
        let isOfUnit = context.environment("MONITOR_SERVICE_RESULT") != nil
        if status.job == nil, status.fileProblem == nil, isOfUnit || overview.file != nil {
          status.fileProblem = KnownFiles.gone(overview.file?.path)
        }
        return status
      }
      return (status, nil)
    } catch {
      return (nil, ExitReport(error) ?? ExitReport(.bug, "\(error)"))
    }
  }

  /// The database's last run: names are instants, and a clock may have been wrong.
  private func report(of status: JobStatus?) -> String? {
    guard let run = status?.overview.lastRun?.run.name else { return nil }
    let path = "\(location.folder)/reports/\(job)/\(run).html"
    return access(path, F_OK) == 0 ? path : nil
  }

  // MARK: the alerts sent

  private func isShared(_ trouble: Trouble?) -> Bool {
    trouble == .host || trouble?.isOfAll ?? false
  }

  private func what(_ step: NextStep, _ status: JobStatus?) -> String {
    switch step.trouble {
    case .host?: "host \(status?.overview.origin ?? job)"
    case let trouble?: trouble.rawValue
    case nil: step.command ?? step.text
    }
  }

  /// Behind a good run it began just now: nil.
  private func since(_ step: NextStep, _ status: JobStatus?) -> Instant? {
    let run = status?.overview.lastRun
    return step.since ?? step.trouble.flatMap { status?.overview.troubles[$0]?.lowerBound }
      ?? (Outcome.good.contains(run?.exit) ? nil : run?.beganAt)
  }

  /// If this cannot be saved, the alert is sent again.
  private func decide(
    _ troubles: [AlertMemory.Entry], wellAt: Instant?, at now: Instant
  ) -> AlertMemory.Decision {
    do {
      var file = try AlertFile(in: DataFolder(existing: location.folder))
      var memory = file.memory
      let decision = memory.decide(job, troubles, wellAt: wellAt, at: now)
      if !file.keep(memory) {
        context.console.warn("sent alerts cannot be recorded: the disk is full")
      }
      return decision
    } catch {
      context.console.warn("sent alerts cannot be recorded: \(String(describing: error))")
      var none = AlertMemory()
      return none.decide(job, troubles, wellAt: wellAt, at: now)
    }
  }
}

extension JobAlert {
  /// How the run ended: according to systemd if it says so, else to the database.
  struct Outcome {
    var words: String
    var exit: ExitStatus?
    /// The process was killed or did not start.
    var isCut = false
    /// No run of Trawl ends so: it could not be started, or it crashed. `systemctl status` of the unit says more.
    var isOfService = false
    private let unit: String?
    /// The database's last run ended so, and not a later one that has no row.
    var isOfRun: Bool
    var isWell: Bool { !isCut && Self.good.contains(exit) }

    static let good: [ExitStatus?] = [.complete, .less, .paused]
    private static let crashes = ["SEGV", "ILL", "ABRT", "BUS", "TRAP"]

    init(_ status: JobStatus?, _ problem: ExitReport?, _ environment: Environment) {
      let run = status?.overview.lastRun
      isOfRun = problem == nil && status?.overview.refusedAt == nil
      unit = environment("MONITOR_UNIT")
      exit = run?.exit
      words = run == nil ? "no run of it is known here" : run?.outcome ?? "it was cut off"
      if words.hasSuffix(".") { words.removeLast() }
      if status?.overview.refusedAt != nil { words = "it could not begin" }
      if let problem {
        exit = problem.status
        words = problem.lines.first ?? problem.status.meaning
      }
      let code = environment("MONITOR_EXIT_STATUS")
      switch environment("MONITOR_SERVICE_RESULT") {
      case nil, "success", "start-limit-hit": break
      case "exit-code":
        let known = code.flatMap { Int32($0) }.flatMap { ExitStatus(rawValue: $0) }
        if known != nil, known == exit { break }
        guard let ended = known, ended != .usage else {
          fail(known?.meaning ?? "systemd could not start it (\(code ?? "?"))")
          break
        }
        // Such an end comes before a run begins.
        if [.secret, .configuration].contains(ended) { isOfRun = false }
        (words, exit) = (ended.meaning, ended)
      case "watchdog": cut("it hung, and the watchdog ended it")
      case "timeout": cut("it ran out of time")
      case "oom-kill": cut("it ran out of memory")
      case "core-dump",
        "signal" where Self.crashes.contains(code ?? ""):
        fail("it crashed (\(code ?? "?"))")
      case "resources": fail("systemd could not start it (resources)")
      case .some(let result): cut("\(result) \(code ?? "")")
      }
    }

    private mutating func cut(_ what: String) {
      words = what
      isCut = true
    }

    private mutating func fail(_ what: String) {
      cut(what)
      (isOfService, isOfRun) = (true, false)
    }

    /// Of an unknown job only the exit code says what to do.
    func steps(_ status: JobStatus?, _ job: String) -> [NextStep] {
      if isOfService, status?.fileProblem == nil {
        var own = NextSteps(
          job: job, kinds: [], lists: [], others: [.init(.service, since: nil)]
        ).all
        if let unit { own[0].command = "systemctl status \(unit)" }
        return own + (status?.nextSteps(after: nil) ?? []).filter { $0.trouble != .cutOff }
      }
      if let status { return status.nextSteps(after: isCut ? nil : exit) }
      // A job that never ran is in no trouble.
      if isCut || isWell || exit == nil { return [] }
      let steps = NextSteps(job: job, kinds: [exit?.kind ?? .failed], lists: []).all
      let look = NextStep(
        "To see what happened", command: "journalctl -t trawl JOB=\(job)", needsPerson: true)
      return steps.isEmpty ? [look] : steps
    }
  }
}
