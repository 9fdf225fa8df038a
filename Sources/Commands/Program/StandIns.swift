public import Base

/// Replaces network and clock if the program runs inside another process, which may also stop it: used to simulate
/// years of runs.
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
  /// Runs a command line as a shell would, sharing only two descriptors with this process.
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
