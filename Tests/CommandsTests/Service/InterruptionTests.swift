import Glibc
@testable import Commands
import TestSupport
import Testing

/// Ends the test's child process, if it did not end by itself, with a code that no test expects.
private func giveUp(after milliseconds: Int) -> Never {
  // Only for a process that a second signal should have ended long before.
  for _ in 0..<milliseconds { usleep(1000) }
  _exit(99)
}

@Suite("A signal", .prompt)
struct InterruptionTests {
  @Test("asks for an end once, and the process dies of it only when it is done")
  func first() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      guard let interruption = Interruption.install() else { _exit(98) }
      if interruption.isAsked { _exit(97) }
      interruption.endBySignal()
      kill(getpid(), SIGTERM)
      if await interruption.asked() != SIGTERM { _exit(96) }
      if !interruption.isAsked { _exit(95) }
      interruption.endBySignal()
      _exit(94)
    }
  }

  @Test("of the keyboard's other kind asks for an end as well")
  func quit() async {
    await #expect(processExitsWith: .exitCode(7)) {
      guard let interruption = Interruption.install() else { _exit(98) }
      kill(getpid(), SIGQUIT)
      _exit(await interruption.asked() == SIGQUIT ? 7 : 96)
    }
  }

  @Test("given twice ends the process at once")
  func second() async throws {
    let ended = try await #require(
      processExitsWith: .signal(SIGINT), observing: [\.standardErrorContent]
    ) {
      guard let interruption = Interruption.install() else { _exit(98) }
      kill(getpid(), SIGINT)
      if await interruption.asked() != SIGINT { _exit(96) }
      let console = Console(facts: TerminalFacts())
      console.tell("lives on after the first")
      kill(getpid(), SIGINT)
      giveUp(after: 300_000)
    }
    let said = String(decoding: ended.standardErrorContent, as: UTF8.self)
    #expect(said.contains("lives on after the first"))
  }

  @Test("that was ignored from the start stays ignored, as nohup wants it")
  func ignored() async {
    await #expect(processExitsWith: .exitCode(7)) {
      _ = signal(SIGHUP, SIG_IGN)
      guard let interruption = Interruption.install() else { _exit(98) }
      kill(getpid(), SIGHUP)
      kill(getpid(), SIGHUP)
      kill(getpid(), SIGINT)
      _exit(await interruption.asked() == SIGINT ? 7 : 96)
    }
  }

  @Test("is waited for no longer than the waiting task lives")
  func cancelled() async {
    await #expect(processExitsWith: .exitCode(7)) {
      guard let interruption = Interruption.install() else { _exit(98) }
      let early = Task { await interruption.asked() }
      early.cancel()
      if await early.value != nil { _exit(96) }
      let late = Task { () -> Int32? in
        withUnsafeCurrentTask { $0?.cancel() }
        return await interruption.asked()
      }
      _exit(await late.value == nil ? 7 : 95)
    }
  }
}
