internal import Base
internal import Crawl
internal import Store

/// A backfill's range as a row of the database, written before the first request, so that it survives a kill.
struct GoalKeeping: Sendable {
  enum Goal: Sendable {
    /// No range was given.
    case none
    /// By number; it may have been open before.
    case open(Int64, isNew: Bool)
    /// Certificates cover all of it: nothing is requested.
    case covered
  }

  let session: PlannedSession
  let context: CommandContext

  func begin(_ store: RecordStore) async throws -> Goal {
    guard let range = session.range else { return .none }
    let job = session.selection.job
    let plans = try await plans(store)
    let surveys = plans.map(\.survey)
    guard !plans.isEmpty else {
      if let missing = missingParents { throw missing }
      let needed = job.streams.filter { session.selection.options.streams.contains($0.name) }
        .flatMap(\.holes).filter { hole in
          job.parameter(hole).map { $0.defaults.isEmpty } ?? false
            && session.selection.options.values[hole] == nil
        }
      throw ExitReport(
        .usage, "nothing of \(job.name) can be requested for a range of time without a value",
        "add " + Set(needed).sorted().map { "--set \($0)=VALUE" }.joined(separator: " "))
    }
    let (stream, parameters) = (session.goalStreams, session.goalParameters)
    let known = try await store.goals(of: job.name)
    try await store.addGoal(
      job: job.name, stream: stream, parameters: parameters, range: range,
      insteadOf: session.replacedGoals)
    let goal = try await store.goals(of: job.name).last {
      $0.range == range && $0.stream == stream && $0.parameters == parameters
    }
    guard let number = goal?.number else { return .none }
    guard surveys.allSatisfy({ $0.holes.isEmpty && $0.unavailable.isEmpty }) else {
      return .open(number, isNew: !known.contains { $0.number == number })
    }
    tell(plans, range)
    if surveys.allSatisfy(\.isSettled) { try await store.reachGoal(number) }
    return .covered
  }

  /// Ends a goal if no hole is left; what the API withholds for good is no hole. A goal set by a wrong clock is
  /// removed: the same command sets it again.
  func end(_ goal: Goal, _ facts: RunFacts, _ store: RecordStore) async throws {
    guard case .open(let number, let isNew) = goal else { return }
    if isNew, facts.nextSteps.contains(where: { $0.trouble == .clock }) {
      return try await store.removeGoal(number)
    }
    if try await plans(store).allSatisfy(\.survey.isSettled) { try await store.reachGoal(number) }
  }

  private func plans(_ store: RecordStore) async throws -> [RangePlan] {
    guard let range = session.range else { return [] }
    var options = session.selection.options
    options.window = range
    let plan = try await Plan(
      job: session.selection.job, options: options, store: store, time: context.time)
    return plan.parts.flatMap { $0.lists.compactMap(\.range) }
  }

  /// Streams that need records of a parent stream of which none are stored.
  private var missingParents: ExitReport? {
    let (job, chosen) = (session.selection.job, session.selection.options.streams)
    let parents = job.streams.filter { chosen.contains($0.name) }.compactMap(\.parent?.stream)
    guard let first = parents.first, !chosen.contains(first) else { return nil }
    return ExitReport(
      .usage,
      "nothing of \(job.name) can be requested for a range of time: no record of \(first) is stored yet",
      first == ParentFeed.favorites
        ? "add one: trawl favorite add \(job.word) KEY" : "first: trawl run \(job.word)")
  }

  /// Says that nothing is requested, and why; names what is incomplete each time.
  private func tell(_ plans: [RangePlan], _ range: TimeWindow) {
    let surveys = plans.map(\.survey)
    let job = session.selection.job.name
    let isUnlisted = surveys.allSatisfy { $0.pending.map { $0.from <= range.from } ?? false }
    let isProven = surveys.allSatisfy(\.unprovenInRange.isEmpty)
    let read =
      surveys.contains(where: \.isReadInPart)
      ? "was read already\(isProven ? "" : ", unproven")" : "cannot be read"
    let what = isUnlisted ? "is not listed yet" : read
    let goal = surveys.allSatisfy(\.isSettled) ? "" : "; the goal stays open"
    context.console.tell(
      "\(job): \(range.from) to \(range.to) \(what); nothing was requested\(goal)")
    for plan in plans {
      let name = RecordStore.listName(plan.survey.stream, plan.survey.unit)
      for line in FillTexts(plan: plan).kept { context.console.tell("\(name): \(line)") }
    }
  }
}
