internal import Crawl
internal import Model
internal import Store
internal import Walk

/// A backfill's range as a row of the database: written before anything is asked, so that a kill
/// does not forget it.
struct GoalKeeping: Sendable {
  enum Goal: Sendable {
    /// No range was asked for.
    case none
    /// By its number.
    case open(Int64)
    /// Certificates cover all of it: nothing is asked.
    case covered
  }

  let sitting: Sitting
  let context: CommandContext

  func begin(_ store: RecordStore) async throws -> Goal {
    guard let range = sitting.range else { return .none }
    let job = sitting.selection.job
    let units = try await RunPreview(job: job, options: sitting.selection.options).units(store)
    guard !units.isEmpty else {
      let needed = job.streams.filter { sitting.selection.options.streams.contains($0.name) }
        .flatMap(\.holes).filter { hole in
          job.parameter(hole).map { $0.defaults.isEmpty } ?? false
            && sitting.selection.options.values[hole] == nil
        }
      throw Ending(
        .usage, "nothing of \(job.name) can be asked for a range of time without a value",
        "add " + Set(needed).sorted().map { "--set \($0)=VALUE" }.joined(separator: " "))
    }
    let (stream, parameters) = (sitting.goalStreams, sitting.goalParameters)
    try await store.addGoal(job: job.name, stream: stream, parameters: parameters, range: range)
    let goal = try await store.goals(of: job.name).last {
      $0.range == range && $0.stream == stream && $0.parameters == parameters
    }
    guard let number = goal?.number else { return .none }
    guard try await areCovered(units, range, store) else { return .open(number) }
    try await store.reachGoal(number)
    context.console.tell(
      "\(job.name): \(range.from) to \(range.to) is covered already; nothing was asked")
    return .covered
  }

  private func areCovered(
    _ units: [(stream: Stream, unit: Unit)], _ range: TimeWindow, _ store: RecordStore
  ) async throws -> Bool {
    let selection = sitting.selection
    if selection.options.isRefill { return false }
    for (stream, unit) in units {
      let covered = try await store.coverage(
        of: stream.name, job: selection.job.name, parameters: unit.parameterText,
        prints: Fingerprinter.fingerprints(of: stream, in: selection.job))
      if !WindowPlanner.holes(in: range, covered: covered).isEmpty { return false }
    }
    return true
  }
}
