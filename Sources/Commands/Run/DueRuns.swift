internal import Base
internal import Store

/// `trawl run --if-due`: a timer that starts more often than a job's `every` lets it rest.
struct DueRuns: Sendable {
  let context: CommandContext
  let location: DataLocation

  /// Those that are due, or say nothing of when they are. The others are told.
  func due(_ selections: [JobSelection]) async -> [JobSelection] {
    guard selections.contains(where: { $0.job.every != nil }) else { return selections }
    // A database that cannot be read is for the run itself to tell.
    guard let store = try? await context.storeForReading(location) else { return selections }
    var due: [JobSelection] = []
    for selection in selections {
      let job = selection.job
      let last = try? await store.lastTurn(of: job.name)  // as above
      let now = context.time.now()
      if let schedule = Schedule(every: job.every), !schedule.isDue(after: last, now: now),
        let at = schedule.dueAt(after: last)
      {
        context.console.tell(
          "\(job.name) is not due before \(context.clock(at)) (every \(Wording.span(schedule.every))): nothing was requested",
          .info, about: LogSubject(job: job.name))
      } else {
        due.append(selection)
      }
    }
    await store.close()
    return due
  }
}
