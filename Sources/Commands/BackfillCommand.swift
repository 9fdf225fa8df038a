internal import Crawl
internal import Model
internal import Store

/// `trawl backfill JOB`: walks a range of time of every stream that has a window, and remembers
/// the range as a goal until it is reached.
struct BackfillCommand: Sendable {
  let context: CommandContext

  /// The share of each quota that is left to the timer's runs.
  static let reserve = 0.2

  private var invocation: Invocation { context.invocation }

  func perform() async throws -> ExitStatus {
    var selection = try JobSelection(invocation.operands[0], context)
    try Self.chooseWindowed(&selection)
    selection.options.reserve = Self.reserve
    let location = try context.locationForWriting()
    let ranges = try await ranges(of: selection, location)
    if invocation.has(.dryRun) {
      for range in ranges {
        selection.options.window = range
        _ = try await DryRun(context: context).show([selection])
      }
      return .complete
    }
    try await SystemRuns(context: context).refuse([selection])
    var statuses: [ExitStatus] = []
    let group = RunGroup(context: context, location: location)
    // One after the other: they are of one job, whose lock one run holds.
    for range in ranges {
      selection.options.window = range
      let status = try await group.run([Sitting(selection: selection, range: range)])
      statuses.append(status)
      if status != .complete, status != .less { break }
    }
    return ExitStatus.worst(of: statuses)
  }

  /// Only streams with a window can be asked for a range of time.
  static func chooseWindowed(_ selection: inout JobSelection) throws(Ending) {
    let job = selection.job
    let windowed = job.streams.filter { $0.window != nil }.map(\.name)
    guard !windowed.isEmpty else {
      throw Ending(
        .usage,
        "no stream of \(job.name) can be asked for a range of time: its job file declares "
          + "no window", "what there is, is read by: trawl run \(job.name)")
    }
    for name in selection.options.streams where !windowed.contains(name) {
      throw Ending(
        .usage,
        "the stream \(name) of \(job.name) has no window: it cannot be asked for a range "
          + "of time", "streams with one: \(windowed.joined(separator: ", "))")
    }
    if selection.options.streams.isEmpty { selection.options.streams = windowed }
  }

  /// What `--from` and `--to` say, else the goals that are open.
  private func ranges(
    of selection: JobSelection, _ location: DataLocation
  ) async throws -> [TimeWindow] {
    let job = selection.job.name
    if let from = invocation.start(.from) {
      let to = invocation.end(.to) ?? context.time.now()
      guard from < to else {
        throw Ending(.usage, "--from \(from) is not before --to \(to): there is nothing between")
      }
      return [TimeWindow(from: from, to: to)]
    }
    guard !invocation.has(.to) else {
      throw Ending(.usage, "--to needs a beginning: add --from DATE")
    }
    guard let store = try await context.storeForReading(location) else { return try none(job) }
    let goals = try await store.goals(of: job)
    await store.close()
    let ranges = goals.map(\.range).filter { $0.from < $0.to }
    return ranges.isEmpty ? try none(job) : ranges
  }

  private func none(_ job: String) throws(Ending) -> [TimeWindow] {
    throw Ending(
      .usage, "no range of \(job) is waiting to be filled",
      "say which: trawl backfill \(job) --from 2024-01-01 --to 2024-06-30")
  }
}
