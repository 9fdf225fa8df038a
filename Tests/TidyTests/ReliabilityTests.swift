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

  /// Calls whose descriptors a child inherits, whatever their arguments: a child that another thread starts before
  /// `F_SETFD` keeps its copy.
  private static let plain = [
    "pipe", "dup", "dup2", "accept", "inotify_init", "epoll_create",
  ]

  /// A child of another test would hold the file, the port or the connection open.
  @Test("every descriptor is closed on exec, from the call on that makes it")
  func descriptors() {
    for file in Self.files {
      for (number, line) in file.code {
        for call in Self.plain where Self.calls(call, in: line) {
          Issue.record("\(file.path):\(number): \(call) makes what a child inherits")
        }
        if line.holds("F_SETFD") { Issue.record("\(file.path):\(number) closes on exec too late") }
        let opens =
          Self.calls("open", in: line) && line.holds("O_") || Self.calls("openat", in: line)
          || Self.calls("socket", in: line) || Self.calls("socketpair", in: line)
          || Self.calls("fopen", in: line)
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

  /// Whether a function of the C library is called by its own name: not a method of that name, nor
  /// one that is declared here.
  private static func calls(_ name: String, in line: String) -> Bool {
    let text = "\(name)("
    guard line.holds(text) else { return false }
    let (bytes, word) = (Array(line.utf8), Array(text.utf8))
    for at in 0...(bytes.count - word.count) where bytes[at..<at + word.count].elementsEqual(word) {
      let before = bytes[..<at]
      if let last = before.last,
        last == 95 || (48...57).contains(last)
          || (97...122).contains(last | 32)
      {
        continue
      }
      if before.last == UInt8(ascii: "."), !before.ends(with: "Glibc.") { continue }
      if before.ends(with: "func ") { continue }
      return true
    }
    return false
  }

  /// A test uses `VirtualTime`, or says beside it why it uses the machine's clock.
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

extension Collection where Element == UInt8 {
  fileprivate func ends(with word: String) -> Bool {
    suffix(word.utf8.count).elementsEqual(word.utf8)
  }
}
