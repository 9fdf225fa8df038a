internal import CLinux
internal import Glibc

/// The service manager that started the process: gets status and watchdog pings. Sending never takes longer than a
/// second, and failures are harmless.
final class NotifySocket: Sendable {
  private let descriptor: Int32
  /// The manager kills a service that is silent for too long.
  let hasWatchdog: Bool

  /// Nil if no manager listens, as on a terminal.
  init?(_ environment: Environment, process: Int32) {
    guard let name = environment("NOTIFY_SOCKET"), let made = Self.connected(to: name) else {
      return nil
    }
    descriptor = made
    // Set for one process, not for children that inherit it.
    let isMeant = environment("WATCHDOG_PID").map { $0 == String(process) } ?? true
    hasWatchdog = isMeant && environment("WATCHDOG_USEC") != nil
  }

  /// A path, or an abstract name (`@…`). Nil if nothing listens there.
  private static func connected(to name: String) -> Int32? {
    var address = sockaddr_un()
    let bytes = Array(name.utf8)
    // A path needs one byte for its terminator.
    guard bytes.count > 1, bytes.count < MemoryLayout.size(ofValue: address.sun_path),
      bytes[0] == UInt8(ascii: "/") || bytes[0] == UInt8(ascii: "@"), !bytes.contains(0)
    else { return nil }
    address.sun_family = sa_family_t(AF_UNIX)
    let isPath = bytes[0] == UInt8(ascii: "/")
    withUnsafeMutableBytes(of: &address.sun_path) { place in
      place.copyBytes(from: bytes)
      if !isPath { place[0] = 0 }
    }
    let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    let length = socklen_t(start + bytes.count + (isPath ? 1 : 0))
    let made = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard made >= 0 else { return nil }
    var longest = timeval(tv_sec: 1, tv_usec: 0)
    let isBound = setsockopt(
      made, SOL_SOCKET, SO_SNDTIMEO, &longest, socklen_t(MemoryLayout<timeval>.size))
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(made, $0, length) }
    }
    if isBound == 0, isConnected == 0 { return made }
    close(made)
    return nil
  }

  deinit { close(descriptor) }

  /// Sends lines such as `READY=1`; line ends within values are replaced. The next change makes up for a lost message.
  func tell(_ lines: [String]) {
    guard !lines.isEmpty else { return }
    let clean = lines.map { String($0.unicodeScalars.map { $0 == "\n" ? " " : Character($0) }) }
    let bytes = Array(clean.joined(separator: "\n").utf8)
    while send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) < 0, errno == EINTR {}
  }
}
