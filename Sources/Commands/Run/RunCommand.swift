internal import Base
internal import Crawl
internal import Store

/// `trawl run JOB…`: runs jobs in parallel; the worst outcome decides.
struct RunCommand: Sendable {
  let context: CommandContext

  private var invocation: Invocation { context.invocation }

  func perform() async throws -> ExitStatus {
    let words = invocation.operands
    if words.count > 1, invocation.has(.endpoint) {
      throw ExitReport(.usage, "--endpoint is for one job: run the jobs one by one")
    }
    if invocation.has(.replay), !invocation.has(.data) {
      throw ExitReport(
        .usage, "--replay writes old answers: choose a folder with --data DIR, not your own")
    }
    // All jobs are checked before any of them sends anything.
    let start = RunStart(context: context)
    var selections: [JobSelection] = []
    for word in words { selections.append(try await start.selection(word)) }
    try Self.refuseTwice(selections)
    if invocation.has(.dryRun) {
      return try await DryRun(context: context).show(selections)
    }
    return try await context.inFolder(for: selections) { [selections] context in
      try await RunCommand(context: context).run(selections)
    }
  }

  private func run(_ selections: [JobSelection]) async throws -> ExitStatus {
    var selections = selections
    let location = try context.locationForWriting()
    let named = selections.map(\.job.name)
    try await SystemRuns(context: context).refuse(jobs: named)
    if invocation.has(.ifDue) {
      selections = await DueRuns(context: context, location: location).due(selections)
      if selections.isEmpty { return .complete }
    }
    let sessions = selections.map { PlannedSession(selection: $0, range: nil) }
    let resting = named.filter { name in !selections.contains { $0.job.name == name } }
    return try await RunGroup(context: context, location: location)
      .run(sessions, resting: resting)
  }

  /// Two runs of one job would block each other.
  private static func refuseTwice(_ selections: [JobSelection]) throws(ExitReport) {
    var seen: Set<String> = []
    for selection in selections where !seen.insert(selection.job.name).inserted {
      throw ExitReport(
        .usage,
        "the job \(selection.job.name) is named twice; a file and a job of one name are "
          + "the same job: give one of them another name")
    }
    for job in selections.map(\.job) {
      guard let was = job.was, seen.contains(was) else { continue }
      throw ExitReport(
        .configuration,
        "the job \(job.name) says that it was called \(was), and \(was) is another of the jobs to run: "
          + "remove \"was\" from one of the files, or run only one of them")
    }
  }
}

/// One run of one job, perhaps limited to a range of time.
struct PlannedSession: Sendable {
  var selection: JobSelection
  /// What a backfill should fill.
  var range: TimeWindow?
  /// Open goals of the same command from earlier days.
  var replacedGoals: [Int64] = []

  /// The streams and values of a goal, as stored in its row, for later commands without them.
  /// Empty: every stream with a window.
  var goalStreams = ""
  var goalParameters: String {
    Unit(
      stream: "",
      values: selection.options.values.sorted { $0.key < $1.key }.flatMap { name, values in
        values.map { ParameterValue(name, $0) }
      }
    ).parameterText
  }

  /// With the streams and values of a stored goal.
  func taking(_ goal: RecordStore.Goal) -> PlannedSession {
    var session = self
    session.range = goal.range
    session.selection.options.window = goal.range
    session.goalStreams = goal.stream
    if !goal.stream.isEmpty {
      session.selection.options.streams = goal.stream.split(separator: ",").map(String.init)
    }
    session.selection.options.values = [:]
    for pair in goal.parameters.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let value = String(decoding: PercentEncoding.decoded(parts.last ?? ""), as: UTF8.self)
      session.selection.options.values[String(parts[0]), default: []].append(value)
    }
    return session
  }
}

/// Runs jobs in parallel under one progress display, and writes their joint reports.
struct RunGroup: Sendable {
  let context: CommandContext
  let location: DataLocation

  /// - Parameter resting: jobs of the command that are not due.
  func run(_ sessions: [PlannedSession], resting: [String] = []) async throws -> ExitStatus {
    let metricsFile = try context.fileToWrite(.metricsFile)
    if let metricsFile {
      try ReportFolder.refuseForeign(metricsFile, unless: MetricsText.beginning)
    }
    let progress = Progress(
      console: context.console, detail: detail, isJSON: context.invocation.has(.json),
      isOfSeveral: sessions.count > 1)
    let service = ServiceReporter(context.environment)
    service?.tick(at: context.time.now())
    let ticking = Task { [time = context.time] in
      // Ends with the cancellation below. Display and watchdog use the real clock, whatever clock the run uses.
      while !Task.isCancelled {
        do { try await Timekeeper.live.sleep(.seconds(1)) } catch { return }
        progress.tick(at: time.now())
        service?.tick(at: time.now())
      }
    }
    let hearing = context.interruption.map { interruption in
      Task(executorPreference: CommandThreads.shared) {
        [console = context.console, time = context.time] in
        // Ends with the cancellation below.
        guard await interruption.asked() != nil else { return }
        service?.stopping(at: time.now())
        console.tell("finishing the page in hand; the same signal again leaves at once")
      }
    }
    defer {
      ticking.cancel()
      hearing?.cancel()
    }
    let outcomes = await withTaskGroup(of: (String, RunSession.Outcome).self) { group in
      for session in sessions {
        group.addTask {
          let run = RunSession(
            session: session, location: location, context: context, progress: progress,
            service: service)
          return (session.selection.job.name, await run.run())
        }
      }
      return await group.reduce(into: [(String, RunSession.Outcome)]()) { $0.append($1) }
    }
    progress.conclude()
    service?.tick(at: context.time.now())
    var statuses = outcomes.map(\.1.status)
    if let path = metricsFile {
      do throws(ExitReport) {
        // The file keeps its samples of jobs that were not due or could not begin.
        let idle =
          resting.map { ($0, ExitStatus.complete) }
          + outcomes.filter { $0.1.metrics == nil }.map { ($0.0, $0.1.status) }
        let kept = MetricsText.samples(of: idle, in: path)
        // For node_exporter's textfile collector: always a whole file.
        let text = MetricsText(outcomes.compactMap(\.1.metrics), keeping: kept).text
        if !text.isEmpty { try ReportFolder.replace(path, with: Array(text.utf8)) }
      } catch {
        error.tell(on: context.console)
        statuses.append(error.status)
      }
    }
    return ExitStatus.worst(of: statuses)
  }

  /// In a log a success is one line at the end, and a long wait one when it begins; a terminal shows progress.
  private var detail: ProgressBoard.Detail {
    let invocation = context.invocation
    let isLog = !context.console.facts.isDrawn
    return invocation.has(.verbose)
      ? .verbose : invocation.has(.quiet) ? .quiet : isLog ? .log : .normal
  }
}

extension MetricsText {
  private static let bytesMax = 1 << 24

  /// A run that could not begin changes only the exit code in the file, which would go on to say that of the last one.
  static func note(_ status: ExitStatus, in path: String) throws(ExitReport) {
    let lines = lines(of: path).map { line($0, status) }
    if lines.isEmpty { return }
    try ReportFolder.replace(path, with: Array(lines.joined(separator: "\n").utf8))
  }

  /// The file's samples of these jobs, with the new exit code of those that could not begin.
  static func samples(of jobs: [(String, ExitStatus)], in path: String) -> [String] {
    let lines = jobs.isEmpty ? [] : lines(of: path)
    return jobs.flatMap { job, status in
      lines.filter { $0.holds("{job_name=\"\(escaped(job))\"") }
        .map { status == .complete ? $0 : line($0, status) }
    }
  }

  private static func line(_ line: String, _ status: ExitStatus) -> String {
    guard line.hasPrefix("trawl_run_exit_code{"), let blank = line.lastIndex(of: " ") else {
      return line
    }
    return "\(line[...blank])\(status.code)"
  }

  /// Empty if the file is not ours, or too long to be read whole.
  private static func lines(of path: String) -> [String] {
    let bytes = FileBytes.first(bytesMax, of: path) ?? []
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.hasPrefix(beginning), bytes.count < bytesMax else { return [] }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}
