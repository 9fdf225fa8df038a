internal import CLinux
internal import Glibc

/// Sockets on 127.0.0.1, with ports that the kernel chose. No child of another test inherits one: a copy would keep a
/// port or connection open that its test has closed.
public enum Loopback {
  /// A listening socket, and its port.
  public static func listen(backlog: Int32 = 128) -> (descriptor: Int32, port: Int) {
    let bound = bind()
    precondition(Glibc.listen(bound.descriptor, backlog) == 0, "no server: errno \(errno)")
    return bound
  }

  /// The next connection; nil when the listener was shut down.
  public static func accept(_ listener: Int32) -> Int32? {
    while true {
      let client = clinux_accept(listener)
      if client >= 0 { return client }
      // A peer that left before it was accepted is not the end.
      guard errno == EINTR || errno == ECONNABORTED else { return nil }
    }
  }

  /// A connection to a port; nil if nobody listens there.
  public static func connect(to port: Int) -> Int32? {
    let descriptor = stream()
    var address = address(port)
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    if isConnected { return descriptor }
    close(descriptor)
    return nil
  }

  fileprivate static func bind(_ wanted: Int = 0) -> (descriptor: Int32, port: Int) {
    let descriptor = stream()
    var address = address(wanted)
    // Connections that have just ended must not block a port that is requested.
    var yes: Int32 = wanted == 0 ? 0 : 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    precondition(isBound, "no port: errno \(errno)")
    return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
  }

  private static func stream() -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    precondition(descriptor >= 0, "no socket: errno \(errno)")
    return descriptor
  }

  private static func address(_ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = UInt16(port).bigEndian
    return address
  }
}

/// A port that refuses all connections while this object lives: bound, but not listening. A merely free port may become
/// the next test's server.
public final class DeadPort: Sendable {
  public let port: Int
  private let descriptor: Int32

  /// A free port, or that of a server that was just stopped.
  public init(of stopped: Int = 0) { (descriptor, port) = Loopback.bind(stopped) }

  deinit { close(descriptor) }

  public var origin: String { "http://127.0.0.1:\(port)" }
}
