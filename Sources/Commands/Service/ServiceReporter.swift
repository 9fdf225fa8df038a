internal import Glibc
internal import Synchronization
internal import Base

/// Keeps the service manager informed while jobs run: the status line, and a sign of life for each
/// second in which there was progress. There is no separate heartbeat timer, so a hung run stops
/// pinging the watchdog, which ends it.
final class ServiceReporter: Sendable {
  private struct State {
    var status: ServiceStatusLine
    var hasProgressed = true
    var sent = ""
    var isReady = false
  }

  private let manager: NotifySocket
  private let state: Mutex<State>

  /// Nil where no service manager listens.
  init?(
    _ environment: Environment, status: ServiceStatusLine = ServiceStatusLine(),
    process: Int32 = getpid()
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

  /// Something was done that is not an event: a request has its answer, or has failed in its time;
  /// the database goes on with a long statement.
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

/// The service manager that started the process: it receives the status and signs of life.
struct NotifySocket: Sendable {
  private let socket: UnixDatagram
  /// It kills a service that is silent for too long.
  let hasWatchdog: Bool

  /// Nil where no manager listens, as on a terminal.
  init?(_ environment: Environment, process: Int32) {
    guard let name = environment("NOTIFY_SOCKET"), let socket = UnixDatagram(name) else {
      return nil
    }
    self.socket = socket
    // Set for one process; a child that inherits the variable is not meant.
    let isMeant = environment("WATCHDOG_PID").map { $0 == String(process) } ?? true
    hasWatchdog = isMeant && environment("WATCHDOG_USEC") != nil
  }

  /// Lines such as `READY=1`; a line end inside a value would begin another. What is lost is
  /// sent again with the next change.
  func tell(_ lines: [String]) {
    guard !lines.isEmpty else { return }
    let clean = lines.map { String($0.unicodeScalars.map { $0 == "\n" ? " " : Character($0) }) }
    _ = socket.send(Array(clean.joined(separator: "\n").utf8))
  }
}
