internal import Model

/// Which code carries out which command.
enum CommandTable {
  static func perform(
    _ invocation: Invocation, _ surroundings: Surroundings, _ console: Console,
    _ interruption: Interruption?, _ time: Timekeeper
  ) async throws -> ExitStatus {
    switch invocation.command {
    case .run, .backfill:
      return try await RunCommand(
        invocation: invocation, surroundings: surroundings, console: console,
        interruption: interruption, time: time
      ).perform()
    case .path:
      let location = try DataLocation.forReading(
        data: invocation.text(.data), ledger: nil, surroundings)
      if let remark = location.remark { console.tell("\(remark)") }
      console.printExact(Array("\(location.folder)/trawl.db".utf8))
      return .complete
    default:
      throw Ending(.usage, "\(invocation.command.rawValue) is not ready yet")
    }
  }
}
