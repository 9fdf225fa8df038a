internal import Glibc
internal import Base
internal import Synchronization

/// Keeps the service manager informed while jobs run: the status line, and a sign of life for each
/// second in which there was progress. There is no separate heartbeat timer, so a hung run stops
/// pinging the watchdog, which ends it.
final class ServiceReporter: Sendable {
  private struct State {
    var status: ServiceStatus
    var hasProgressed = true
    var sent = ""
    var isReady = false
  }

  private let manager: NotifySocket
  private let state: Mutex<State>

  /// Nil where no service manager listens.
  init?(
    _ environment: Environment, status: ServiceStatus = ServiceStatus(), process: Int32 = getpid()
  ) {
    guard let manager = NotifySocket(environment, process: process) else { return nil }
    self.manager = manager
    state = Mutex(State(status: status))
  }

  /// Every event but a warning or a planned wait says that something was done.
  func receive(_ event: RunEvent, of job: String, at now: Instant) {
    state.withLock { state in
      state.status.receive(event, of: job)
      switch event {
      // A wait is made known at once: it may be the last that is heard for an hour.
      case .waiting: tell(&state, at: now)
      case .warning: break
      default: state.hasProgressed = true
      }
    }
  }

  /// Something was done that is no event: a request has its answer, or has failed in its time; the
  /// database goes on with a long statement.
  func progress() { state.withLock { $0.hasProgressed = true } }

  /// About once a second.
  func tick(at now: Instant) { state.withLock { tell(&$0, at: now) } }

  /// A signal asks for the end.
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
