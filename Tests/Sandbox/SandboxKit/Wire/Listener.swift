internal import Glibc

/// The listening socket on loopback. Bound before anything else is built, since answers have the port in their links.
final class Listener: Sendable {
  let descriptor: Descriptor
  let port: Int

  /// Large enough for a burst of clients.
  private static let backlog: Int32 = 1024

  /// Port 0: the system chooses a free one.
  init(port wanted: Int) throws(SandboxError) {
    guard let wantedPort = in_port_t(exactly: wanted) else {
      throw SandboxError(what: "use port \(wanted)", code: EINVAL)
    }
    let number = socket(
      AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard number >= 0 else { throw .now("open a socket") }
    let descriptor = Descriptor(owning: number)
    var yes: Int32 = 1
    let reuse = setsockopt(
      number, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    guard reuse == 0 else { throw .now("set an option of the socket") }

    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = wantedPort.bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(number, $0, length) }
    }
    guard bound == 0 else { throw .now("listen on 127.0.0.1:\(wanted)") }
    guard listen(number, Self.backlog) == 0 else { throw .now("listen on 127.0.0.1:\(wanted)") }
    let named = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(number, $0, &length) }
    }
    guard named == 0 else { throw .now("learn its port") }
    self.descriptor = descriptor
    port = Int(in_port_t(bigEndian: address.sin_port))
  }
}
