internal import CLinux
internal import Glibc

/// Sends datagrams to one local address: the service manager's. Sending never takes longer than a second, and failures
/// are harmless.
final class UnixDatagram: Sendable {
  private let descriptor: Int32

  /// Connects to a path, or to an abstract name (`@…`). Nil if nothing listens there.
  init?(_ name: String) {
    var address = sockaddr_un()
    let bytes = Array(name.utf8)
    // A path needs one byte for its terminator.
    guard bytes.count > 1, bytes.count < MemoryLayout.size(ofValue: address.sun_path),
      bytes[0] == UInt8(ascii: "/") || bytes[0] == UInt8(ascii: "@"), !bytes.contains(0)
    else { return nil }
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { place in
      place.copyBytes(from: bytes)
      if bytes[0] == UInt8(ascii: "@") { place[0] = 0 }
    }
    let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    let isPath = bytes[0] == UInt8(ascii: "/")
    let length = socklen_t(start + bytes.count + (isPath ? 1 : 0))
    let made = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard made >= 0 else { return nil }
    var longest = timeval(tv_sec: 1, tv_usec: 0)
    let isBound = setsockopt(
      made, SOL_SOCKET, SO_SNDTIMEO, &longest, socklen_t(MemoryLayout<timeval>.size))
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(made, $0, length) }
    }
    guard isBound == 0, connected == 0 else {
      close(made)
      return nil
    }
    descriptor = made
  }

  deinit { close(descriptor) }

  /// - Returns: whether all of it was sent.
  func send(_ bytes: [UInt8]) -> Bool {
    while true {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      return count == bytes.count
    }
  }
}
