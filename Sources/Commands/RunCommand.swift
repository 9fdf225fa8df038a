internal import Model

/// `trawl run JOB…` and `trawl backfill JOB`: several jobs side by side, the worst ending decides.
struct RunCommand: Sendable {
  let invocation: Invocation
  let surroundings: Surroundings
  let console: Console
  let interruption: Interruption?
  let time: Timekeeper

  func perform() async throws -> ExitStatus {
    let words = invocation.operands
    if words.count > 1, invocation.has(.endpoint) {
      throw Ending(.usage, "--endpoint is for one job: run the jobs one by one")
    }
    // All jobs are checked before the first of them sends anything.
    let selections = try words.map { try JobSelection($0, invocation, surroundings) }
    let location = try DataLocation.own(
      data: invocation.text(.data), ledger: invocation.text(.ledger), surroundings)
    let detail: ProgressBoard.Detail =
      invocation.has(.quiet) ? .quiet : invocation.has(.verbose) ? .verbose : .normal
    let progress = Progress(
      console: console, form: invocation.has(.json) ? .json(detail) : .text(detail))
    let ticking = Task { [time] in
      // Ends with the cancellation below.
      while !Task.isCancelled {
        do { try await time.sleep(.seconds(1)) } catch { return }
        progress.tick(at: time.now())
      }
    }
    let hearing = interruption.map { interruption in
      Task {
        // Ends with the cancellation below.
        guard await interruption.asked() != nil else { return }
        console.tell("finishing the page in hand; the same signal again leaves at once")
      }
    }
    defer {
      ticking.cancel()
      hearing?.cancel()
    }
    let statuses = await withTaskGroup(of: ExitStatus.self) { group in
      for selection in selections {
        group.addTask {
          await RunSession(
            selection: selection, location: location, invocation: invocation, console: console,
            progress: progress, interruption: interruption, time: time, faults: .none
          ).run()
        }
      }
      return await group.reduce(into: [ExitStatus]()) { $0.append($1) }
    }
    progress.conclude()
    return ExitStatus.worst(of: statuses)
  }
}
