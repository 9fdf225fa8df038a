internal import Glibc
internal import Base
internal import Store

/// What was told of a job's trouble, and when.
struct AlertMemory: Sendable, Equatable {
  var since: Instant
  /// By what a person has to do.
  var told: [String: Instant]
}

/// Whether it is time to tell somebody, as a value: the first time, then once a day, and once when it
/// is over.
enum AlertDecision: Sendable, Equatable {
  case silent
  case tells(AlertMemory)
  case recovered(after: Duration)

  /// A day, less what a timer's minute moves.
  private static let again = Duration.seconds(23 * 3600)

  /// - Parameters:
  ///   - trouble: what a person has to do, and since when; nil: nobody is needed.
  ///   - isWell: the last run came through. One that heals itself is neither well nor trouble.
  init(
    trouble: (what: String, since: Instant)?, isWell: Bool, memory: AlertMemory?, now: Instant
  ) {
    if let trouble {
      var next = memory ?? AlertMemory(since: trouble.since, told: [:])
      next.since = min(next.since, trouble.since)
      if let last = next.told[trouble.what], last <= now, now - last < Self.again {
        self = .silent
      } else {
        next.told[trouble.what] = now
        self = .tells(next)
      }
    } else if isWell, let memory {
      self = .recovered(after: now - memory.since)
    } else {
      self = .silent
    }
  }
}

/// `trawl status JOB --alert`: what an alert has to say now, and nothing where it has nothing to say.
/// The units call it when a run has ended, with the `MONITOR_*` variables of systemd.
struct JobAlert: Sendable {
  let context: CommandContext
  let location: DataLocation
  let job: String

  func perform() async throws -> ExitStatus {
    let now = context.time.now()
    let (status, unread) = await gathered()
    let problem =
      unread ?? status?.fileProblem.map { ExitReport(.configuration, $0.sentence) }
    let outcome = Outcome(status, problem, context.environment)
    let steps = outcome.steps(status, job)
    let step = steps.first(where: \.needsPerson)
    let memory = AlertMemory(readFrom: path)
    let since = status?.overview.troubleSince ?? now
    let decision = AlertDecision(
      trouble: step.map { ($0.command ?? $0.text, since) }, isWell: outcome.isWell, memory: memory,
      now: now)
    switch decision {
    case .silent: return .complete
    case .recovered(let span):
      unlink(path)
      context.console.print("\(job) recovered after \(Wording.span(span)): \(outcome.words)")
    case .tells(let next):
      remember(next)
      let age = now - next.since
      let span = age < .seconds(60) ? "" : " (\(Wording.span(age)))"
      context.console.print(
        ConsoleText(
          "\(job) needs you, since \(context.clock(next.since))\(span): \(outcome.words). "
            + "It does not heal by itself. \(step?.sentence ?? "")"))
      for other in steps where other != step { context.console.print(ConsoleText(other.sentence)) }
    }
    return .found
  }

  /// A database that cannot be read is told like any other trouble.
  private func gathered() async -> (JobStatus?, ExitReport?) {
    do {
      guard let store = try await context.storeForReading(location) else { return (nil, nil) }
      let status = try await context.use(store) { () -> JobStatus? in
        guard let overview = try await store.overview(of: job).first else { return nil }
        return try await JobSurvey(context: context, location: location)
          .status(overview, store)
      }
      return (status, nil)
    } catch {
      return (nil, ExitReport(error) ?? ExitReport(.bug, "\(error)"))
    }
  }

  private var path: String { "\(location.folder)/alerts/\(job).json" }

  /// Where it cannot be kept it is told once too often.
  private func remember(_ memory: AlertMemory) {
    do {
      _ = try DataFolder(existing: location.folder).folder("alerts")
      try ReportFolder.replace(path, with: memory.bytes)
    } catch {
      let problem = "what was told cannot be kept: \(error)"
      context.console.warn(ConsoleText(problem))
    }
  }
}

extension JobAlert {
  /// How the run ended: by what systemd says of the process, else by the database.
  struct Outcome {
    var words: String
    var exit: ExitStatus?
    /// The process was ended from outside, or did not begin.
    var isCut = false
    var isWell: Bool { !isCut && (exit == .complete || exit == .paused) }

    init(_ status: JobStatus?, _ problem: ExitReport?, _ environment: Environment) {
      let run = status?.overview.lastRun
      exit = run?.exitCode.flatMap { ExitStatus(rawValue: Int32($0)) }
      words = run?.outcome ?? "no run of it is known here"
      if words.hasSuffix(".") { words.removeLast() }
      if let problem {
        exit = problem.status
        words = problem.lines.first ?? problem.status.name
      }
      let code = environment("MONITOR_EXIT_STATUS")
      switch environment("MONITOR_SERVICE_RESULT") {
      case nil, "success", "start-limit-hit": break
      case "exit-code":
        let told = code.flatMap { Int32($0) }.flatMap { ExitStatus(rawValue: $0) }
        if told == exit { break }
        words = told?.meaning ?? "the service could not start it (\(code ?? "?"))"
        exit = told ?? .configuration
      case "watchdog": cut("it hung, and the watchdog ended it")
      case "timeout": cut("it ran out of time")
      case "oom-kill": cut("it ran out of memory")
      case .some(let result): cut("\(result) \(code ?? "")")
      }
    }

    private mutating func cut(_ what: String) {
      words = what
      isCut = true
    }

    /// Of a job that is not known here the exit code alone says what to do.
    func steps(_ status: JobStatus?, _ job: String) -> [NextStep] {
      if let status { return status.nextSteps(after: isCut ? nil : exit) }
      if isCut || isWell { return [] }
      let steps = NextSteps(job: job, kinds: [exit?.kind ?? .failed], lists: []).all
      let look = NextStep(
        "To see what happened", command: "journalctl -t trawl JOB=\(job)", needsPerson: true)
      return steps.isEmpty ? [look] : steps
    }
  }
}

extension AlertMemory {
  /// Nil where nothing was told, or what was kept cannot be read: then it is told again.
  fileprivate init?(readFrom path: String) {
    let found = ReportShelf.Found(job: "", run: "", path: path)
    guard let bytes = try? ReportShelf(folder: "").read(found),  // nothing was told yet
      let document = try? JSONDocument.read(bytes),  // damaged: as if nothing was told
      let since = document.root["since"]?.string.flatMap({ Instant(rfc3339: $0) })
    else { return nil }
    var told: [String: Instant] = [:]
    guard let members = document.root["told"]?.members else { return nil }
    for member in members {
      guard let at = member.value.string.flatMap({ Instant(rfc3339: $0) }) else { continue }
      told[member.key.string ?? ""] = at
    }
    self.init(since: since, told: told)
  }

  fileprivate var bytes: [UInt8] {
    var writer = JSONWriter(pretty: true)
    writer.object { out in
      out.member("since", since.description)
      out.object("told") { out in
        for (what, at) in told.sorted(by: { $0.key < $1.key }) { out.member(what, at.description) }
      }
    }
    writer.newline()
    return writer.bytes
  }
}

/// How long trouble that heals itself may last before a person hears of it.
enum Nights {
  /// The first and the second night raise no alert; at the third it has lasted for so long. A little
  /// less than two days, since a timer's minute moves.
  static let patience = Duration.seconds(47 * 3600)
}
