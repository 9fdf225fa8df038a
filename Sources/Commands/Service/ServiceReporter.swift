internal import Glibc
internal import Base

/// Keeps the service manager informed while jobs run: the status line, and a watchdog ping for each second with
/// progress. There is no separate timer, so a hung run stops pinging, and the watchdog ends it.
final class ServiceReporter: Sendable {
  private struct State {
    var status: ServiceStatusLine
    var hasProgressed = true
    var sent = ""
    var isReady = false
  }

  private let manager: NotifySocket
  private let state: Locked<State>

  /// Nil if no service manager listens.
  init?(_ environment: Environment, status: ServiceStatusLine = ServiceStatusLine()) {
    guard let manager = NotifySocket(environment, process: getpid()) else { return nil }
    self.manager = manager
    state = Locked(State(status: status))
  }

  /// Every event except warnings and waits is progress.
  func receive(_ event: RunEvent, of job: String, at now: Instant) {
    state.withLock { state in
      state.status.receive(event, of: job, at: now)
      switch event {
      // A wait is reported at once: the next event may be an hour away.
      case .waiting: tell(&state, at: now)
      case .warning: break
      default: state.hasProgressed = true
      }
    }
  }

  /// Progress without an event: a request got its answer or failed within its time limit, or the database is working on
  /// a long statement.
  func progress() { state.withLock { $0.hasProgressed = true } }

  /// To be called about once a second.
  func tick(at now: Instant) { state.withLock { tell(&$0, at: now) } }

  /// A signal requested the end.
  func stopping(at now: Instant) {
    manager.tell(["STOPPING=1"])
    state.withLock { state in
      state.status.close("stopping: the page in hand is finished first")
      tell(&state, at: now)
    }
  }

  private func tell(_ state: inout State, at now: Instant) {
    var lines: [String] = []
    if !state.isReady { lines.append("READY=1") }
    state.isReady = true
    let text = state.status.text(at: now)
    if !text.utf8.elementsEqual(state.sent.utf8) { lines.append("STATUS=\(text)") }
    state.sent = text
    if manager.hasWatchdog, state.hasProgressed || state.status.isWaiting(at: now) {
      lines.append("WATCHDOG=1")
    }
    state.hasProgressed = false
    manager.tell(lines)
  }
}
