internal import Jobs

/// `trawl check [JOB|FILE...]`: checks jobs, or the machine.
struct CheckCommand: Sendable {
  let context: CommandContext

  func perform() async throws -> ExitStatus {
    try await context.endingAtSignal { try await check() }
  }

  private func check() async throws -> ExitStatus {
    let words = context.invocation.operands
    if words.isEmpty {
      for name in [OptionName.show, .endpoint, .set, .sendKeyTo]
      where context.invocation.has(name) {
        throw ExitReport(
          .usage, "\(name.spelling) is for a job: trawl check JOB \(name.spelling) …")
      }
      guard let place = try BucketPlace(context) else {
        return try await MachineCheck(context: context).perform()
      }
      // Without a sound store there is no folder to check.
      let findings = try await BucketCheck(place: place, time: context.time).findings()
      var list = FindingList(place.shown, context)
      list.show(findings)
      if list.hasProblem { return list.status }
      if !context.invocation.has(.json) { context.console.print("") }
      return try await context.inFolder(for: .reads(files: false)) { context in
        try await MachineCheck(context: context).perform()
      }
    }
    if words.count > 1, !context.invocation.has(.show) { try findAll(words) }
    var statuses: [ExitStatus] = []
    for (index, word) in words.enumerated() where context.interruption?.isAsked != true {
      if context.invocation.has(.show) {
        try show(word)
      } else {
        if index > 0, !context.invocation.has(.json) { context.console.print("") }
        statuses.append(try await JobCheck(context: context, word: word).perform())
      }
    }
    return ExitStatus.worst(of: statuses)
  }

  /// A word that names nothing ends the command before a request is sent for the others.
  private func findAll(_ words: [String]) throws(ExitReport) {
    for word in words {
      do throws(JobLoadError) {
        _ = try context.environment.library.source(word)
      } catch {
        // What is wrong inside a file is shown with its other findings.
        if case .notFound = error { throw JobSelection.ending(error) }
      }
    }
  }

  /// Prints the job file, to read or as the start of another.
  private func show(_ word: String) throws(ExitReport) {
    let library = context.environment.library
    do throws(JobLoadError) {
      let source = try library.source(word)
      context.console.tell("\(source.file)")
      let text = source.text.last == 10 ? Array(source.text.dropLast()) : source.text
      if context.console.facts.isOutputTerminal {
        context.console.printLines(String(decoding: source.text, as: UTF8.self))
      } else {
        context.console.printExact(text)
      }
    } catch {
      throw JobSelection.ending(error)
    }
  }
}
