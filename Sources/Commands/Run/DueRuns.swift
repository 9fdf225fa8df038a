internal import Base
internal import Crawl
internal import Store

/// `trawl run --if-due`: a timer may start more often than a job's `every`. A failed list is requested again after 1,
/// 2, 4, … hours, alone if its job is not due.
struct DueRuns: Sendable {
  let context: CommandContext
  let location: DataLocation

  /// The jobs that are due or have due lists; reports the others. Failed lists: `RetryTimes`.
  func due(_ selections: [JobSelection]) async -> [JobSelection] {
    // The run itself reports a database that cannot be read.
    guard let store = try? await context.storeForReading(location) else { return selections }
    var due: [JobSelection] = []
    for selection in selections {
      let last = try? await store.lastTurn(of: selection.job.name)  // as above
      let retries = (try? await store.retries(of: selection.job.name)) ?? [:]  // as above
      if let chosen = chosen(selection, last: last, retries) { due.append(chosen) }
    }
    await store.close()
    return due
  }

  /// What is still due when a job has its turn: it may have waited for the run that was due. Nil, and reported: nothing.
  func still(_ selection: JobSelection) async -> JobSelection? {
    guard context.invocation.has(.ifDue), context.invocation.has(.wait) else { return selection }
    return await due([selection]).first
  }

  private func chosen(
    _ selection: JobSelection, last: Instant?, _ retries: [ListName: Instant]
  ) -> JobSelection? {
    let (job, now) = (selection.job, context.time.now())
    var selection = selection
    // Timers drift: a run may be this early.
    guard let every = job.every, let last, !last.isAhead(of: now),
      case let due = last + (every - min(every / 10, .seconds(600))), now < due
    else {
      // A job with `every` requests all its lists when it is due.
      if job.every == nil {
        selection.options.resting = Set(retries.filter { $0.value > now }.map(\.key))
      }
      return selection
    }
    let again = retries.filter { $0.value <= now }.map(\.key)
    // Streams beside `only` were chosen here, when it was asked first.
    if !again.isEmpty, selection.options.streams.isEmpty || selection.options.only != nil {
      selection.options.only = Set(again)
      selection.options.streams = Set(again.map(\.stream)).sorted()
      return selection
    }
    context.console.tell(
      "\(job.name) is not due before \(context.clock(due)) (every \(Wording.span(every))): nothing was requested"
    )
    return nil
  }
}
