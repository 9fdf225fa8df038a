internal import Glibc

/// One connection, on its own thread until either side ends it.
struct Peer {
  private let number: Int32
  private var reader = RequestReader()

  private static let idleSeconds = 60
  /// POLLRDHUP, which Swift's libc module lacks.
  private static let halfClosed: Int16 = 0x2000
  private static let drainSeconds = 2

  init(_ number: Int32) {
    self.number = number
    var yes: Int32 = 1
    // Otherwise an answer in two pieces waits for the peer's delayed acknowledgement.
    setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    setTimeout(SO_RCVTIMEO, Self.idleSeconds)
    setTimeout(SO_SNDTIMEO, Self.idleSeconds)
  }

  private func setTimeout(_ option: Int32, _ seconds: Int) {
    var time = timeval(tv_sec: seconds, tv_usec: 0)
    setsockopt(number, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
  }

  /// Answers each complete request; the closure returns nil if more bytes are needed.
  mutating func serve(_ answer: (RequestReader.Event) -> [WireStep]?) {
    var room = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      if let steps = answer(reader.next()) {
        guard steps.allSatisfy({ perform($0) }) else { return }
      } else {
        let count = recv(number, &room, room.count, 0)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        reader.receive(room[..<count])
      }
    }
  }

  /// False: the connection has ended.
  private func perform(_ step: WireStep) -> Bool {
    switch step {
    case .send(let bytes): return send(bytes)
    case .pause(let milliseconds): return isStillThere(after: milliseconds)
    case .drip(let bytes, let size, let pause):
      for start in stride(from: 0, to: bytes.count, by: size) {
        guard send(Array(bytes[start..<min(bytes.count, start + size)])), isStillThere(after: pause)
        else { return false }
      }
      return true
    case .flood(let bytes, let bytesMax):
      for _ in 0..<(bytesMax / max(1, bytes.count)) where !send(bytes) { return false }
      return true
    case .close:
      drain()
      return false
    case .reset:
      var option = linger(l_onoff: 1, l_linger: 0)
      // A peer that has already left cannot be reset: closing is enough.
      setsockopt(number, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
      return false
    }
  }

  private func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Waits, but at most until the peer closes its side.
  private func isStillThere(after milliseconds: Int) -> Bool {
    var end = pollfd(fd: number, events: Self.halfClosed, revents: 0)
    return poll(&end, 1, Int32(milliseconds)) == 0
  }

  /// After our side has closed, drops what the peer still sends until it closes too. Closing at once would turn unread
  /// bytes into a reset that destroys the answer.
  private func drain() {
    guard shutdown(number, Int32(SHUT_WR)) == 0 else { return }
    setTimeout(SO_RCVTIMEO, Self.drainSeconds)
    var room = [UInt8](repeating: 0, count: 64 << 10)
    while recv(number, &room, room.count, 0) > 0 {}
  }
}
