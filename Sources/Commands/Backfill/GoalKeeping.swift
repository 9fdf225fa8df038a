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
    let surveys = try await surveys(store)
    guard !surveys.isEmpty else {
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
    try await store.addGoal(job: job.name, stream: stream, parameters: parameters, range: range)
    let goal = try await store.goals(of: job.name).last {
      $0.range == range && $0.stream == stream && $0.parameters == parameters
    }
    guard let number = goal?.number else { return .none }
    guard surveys.allSatisfy({ $0.holes.isEmpty && $0.unavailable.isEmpty }) else {
      return .open(number, isNew: !known.contains { $0.number == number })
    }
    tell(surveys, range)
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
    if try await surveys(store).allSatisfy(\.isSettled) { try await store.reachGoal(number) }
  }

  private func surveys(_ store: RecordStore) async throws -> [RangeSurvey] {
    guard let range = session.range else { return [] }
    var options = session.selection.options
    options.window = range
    let plan = try await Plan(
      job: session.selection.job, options: options, store: store, time: context.time)
    return plan.parts.flatMap { $0.lists.compactMap(\.range?.survey) }
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
        ? "add one: trawl favorite add \(job.name) KEY" : "first: trawl run \(job.name)")
  }

  /// Says that nothing is requested, and why; names what is incomplete each time.
  private func tell(_ surveys: [RangeSurvey], _ range: TimeWindow) {
    let job = session.selection.job.name
    let isUnlisted = surveys.allSatisfy { $0.pending.map { $0.from <= range.from } ?? false }
    let isProven = surveys.allSatisfy(\.unprovenInRange.isEmpty)
    let what = isUnlisted ? "is not listed yet" : "was read already\(isProven ? "" : ", unproven")"
    context.console.tell("\(job): \(range.from) to \(range.to) \(what); nothing was requested")
    for survey in surveys {
      let name = RecordStore.listName(survey.stream, survey.unit)
      let less = survey.limited + survey.outOfReach
      for stretch in less.prefix(FillTexts.lessMax) {
        context.console.tell("\(name): \(stretch.cause.rawValue): \(stretch.why)")
      }
      if less.count > FillTexts.lessMax {
        context.console.tell(
          "\(name): and \(less.count - FillTexts.lessMax) more; see trawl status \(job) --json")
      }
      if let pending = survey.pending {
        context.console.tell(
          "\(name): what is newer than \(pending.from) is not listed yet; the goal stays open")
      }
    }
  }
}
