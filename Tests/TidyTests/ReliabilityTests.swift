import Testing

/// What makes a test fail on a busy machine, looked for in the text: each of these has failed before.
@Suite("Tests that are to be relied on")
struct ReliabilityTests {
  private static let files = (TidyTests.sources + TidyTests.tests).filter {
    !$0.path.hasPrefix("Tests/Benchmarks/") && !$0.path.hasPrefix("Tests/TidyTests/")
  }
  private static let tests = TidyTests.tests.filter {
    !["Tests/Benchmarks/", "Tests/TidyTests/", "Tests/Sandbox/SandboxKit/", "Tests/Sandbox/trawl-"]
      .contains(where: $0.path.hasPrefix)
  }

  /// A child of another test would hold the file, the port or the connection open.
  @Test("every descriptor is closed on exec")
  func descriptors() {
    for file in Self.files {
      for (number, line) in file.code {
        let opens =
          line.holds(" open(") && line.holds("O_") || line.holds(" socket(") || line.holds("fopen(")
        // A call may be broken into lines.
        let call = file.lines[(number - 1)..<min(number + 2, file.lines.count)].joined()
        let isClosed =
          call.holds("CLOEXEC") || call.holds("\"re\"") || call.holds("\"we\"")
        if opens, !isClosed, !line.holds("func "), !file.isExplained(at: number) {
          Issue.record("\(file.path):\(number) opens what a child inherits: \(line.trimmed)")
        }
      }
    }
  }

  /// A test has a time of its own (`VirtualTime`), or says beside it why it takes the machine's.
  @Test("no clock of the machine is read, and nothing sleeps, without a reason")
  func clocks() {
    let clocks = [
      "Timekeeper.live", "time: .live", "timekeeper: .live", "ContinuousClock", "SuspendingClock",
      "clock_gettime", "usleep(", "Task.sleep", "nanosleep",
    ]
    for file in Self.tests {
      for (number, line) in file.code {
        for clock in clocks where line.holds(clock) && !file.isExplained(at: number) {
          Issue.record("\(file.path):\(number) uses \(clock) without a comment")
        }
      }
    }
  }

  /// `until` waits without keeping a processor from what is waited for.
  @Test("no test spins")
  func spinning() {
    for file in Self.tests {
      for (number, line) in file.code where line.holds("while") && line.holds("Task.yield") {
        Issue.record("\(file.path):\(number) spins: \(line.trimmed)")
      }
    }
  }
}
