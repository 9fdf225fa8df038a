/// The service manager that started the process, where one did: it is told what goes on, and that
/// it goes on.
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
