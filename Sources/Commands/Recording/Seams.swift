internal import Base
internal import Transport

/// The network and the clock of one run: the real ones, also with a recorder around them, or a recording instead.
struct Seams: Sendable {
  let exchange: any Exchange
  let time: Timekeeper
  private var live: CurlExchange?
  private var file: RecordingFile?
  private var replay: ReplayExchange?

  init(
    _ context: CommandContext, _ selection: JobSelection, arguments: [String]
  ) throws {
    let (invocation, time) = (context.invocation, context.time)
    if let recording = selection.recording {
      let replay = ReplayExchange(recording)
      self.replay = replay
      exchange = replay
      self.time = replay.timekeeper
      return
    }
    if let standIns = context.standIns {
      (exchange, self.time) = (standIns.exchange, time)
      return
    }
    var options = TransportOptions(version: Version.number)
    options.answersMax = 2 * Job.atOnceMax
    options.issuers = selection.issuers
    let live = try CurlExchange(options, timekeeper: time)
    self.live = live
    guard let folder = invocation.text(.record) else {
      (exchange, self.time) = (live, time)
      return
    }
    let file = try RecordingFile(creating: "\(folder)/\(selection.job.name)")
    let recorder = Recorder(
      live, live: time, file: file, credential: selection.credential,
      heading: Recorder.Heading(
        job: selection.job.name, base: selection.job.base.description,
        command: invocation.command.rawValue, arguments: arguments,
        hasKey: selection.credential != nil))
    self.file = file
    exchange = recorder
    self.time = recorder.timekeeper
  }

  func close() async { await live?.close() }

  /// What was wrong with the recording, after the run.
  var trouble: ExitReport? {
    if let problem = file?.problem { return ExitReport(.cannotWrite, "the recording: \(problem)") }
    guard let missing = replay?.missing, let head = replay?.recording.head else { return nil }
    return ExitReport(
      .failed, "the recording holds no answer to \(missing): the replay ends there",
      // Without the program's name: it is no advice for the replay's own folder.
      "it was made by the command: \(([head.command] + head.arguments).joined(separator: " "))",
      "a replay needs the same settings, and a copy of the data folder as it was before that run")
  }
}
