internal import Glibc
internal import Base

/// Resolves a name on this machine, on a thread of its own, since the call blocks and cannot be interrupted.
enum AddressLookup {
  /// The most threads that may wait for a name server at once.
  static let threadsMax = 32
  private static let threads = Locked(0)

  /// Calls `tell` once, from another thread, with no address if the name is unknown. False if no thread is available;
  /// `tell` is then never called.
  static func start(_ origin: Origin, _ tell: @escaping @Sendable ([IPAddress]) -> Void) -> Bool {
    let mayStart = threads.withLock {
      if $0 >= threadsMax { return false }
      $0 += 1
      return true
    }
    guard mayStart else { return false }
    let isStarted = BlockingThread.start {
      tell(addresses(of: origin))
      threads.withLock { $0 -= 1 }
    }
    if !isStarted { threads.withLock { $0 -= 1 } }
    return isStarted
  }

  /// Blocks. Also reads old spellings of IPv4 addresses (`0x7f.1`), as libcurl and proxies do.
  static func addresses(of origin: Origin) -> [IPAddress] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var first: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(origin.bareHost, nil, &hints, &first) == 0 else { return [] }
    defer { freeaddrinfo(first) }
    var found: [IPAddress] = []
    var next = first
    while let entry = next?.pointee, found.count < 64 {
      if let address = entry.ai_addr.flatMap({ IPAddress($0, length: Int(entry.ai_addrlen)) }) {
        found.append(address)
      }
      next = entry.ai_next
    }
    return found
  }
}
