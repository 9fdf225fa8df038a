public import Base

/// What takes the place of the machine's network and clock where the program runs inside another
/// process, and where that process may stop it: whole years of runs are simulated so.
public struct StandIns: Sendable {
  var exchange: any Exchange
  var time: Timekeeper
  var faults: FaultPoint

  public init(exchange: any Exchange, time: Timekeeper, faults: FaultPoint = .none) {
    self.exchange = exchange
    self.time = time
    self.faults = faults
  }
}

extension Program {
  /// One command line as a shell would run it, with nothing of this process but two descriptors.
  /// - Returns: the exit code.
  public static func perform(
    _ arguments: [String], environment: [String: String], output: Int32, errors: Int32,
    _ standIns: StandIns
  ) async -> Int32 {
    let console = Console(facts: TerminalFacts(), output: output, error: errors)
    let status = await perform(
      arguments, Environment(environment), console, nil, standIns.time, standIns)
    return ExitStatus.worst(of: [status] + (console.finish().map { [$0] } ?? [])).code
  }
}
