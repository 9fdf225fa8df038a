internal import Glibc

/// One peer. Touched by the thread of its worker only; nothing here blocks.
final class Connection {
  let descriptor: Descriptor
  private var reader = RequestReader()
  private var steps: ArraySlice<WireStep> = []
  private var output: [UInt8] = []
  private var sent = 0
  private(set) var phase = Phase.reading
  /// Milliseconds of the monotonic clock at which something is due.
  private(set) var deadline: Int
  private var floods = 0

  enum Phase: Equatable {
    /// Waiting for a request; the deadline ends an idle connection.
    case reading
    /// The kernel's buffer is full; the deadline ends a peer that does not read.
    case writing
    /// A step of the answer waits for its time.
    case pausing
    /// Our side is closed; what the peer still sends is dropped until it closes too. Closing at
    /// once would turn unread bytes into a reset that destroys the answer.
    case draining
    case closed
  }

  static let idleMilliseconds = 60_000
  static let stuckMilliseconds = 60_000
  static let drainMilliseconds = 2_000
  private static let floodsPerTurn = 16

  init(_ number: Int32, now: Int) {
    descriptor = Descriptor(owning: number)
    deadline = now + Self.idleMilliseconds
  }

  /// Readable: takes what there is and answers every whole request in it.
  func receive(
    into scratch: UnsafeMutableRawBufferPointer, now: Int,
    answer: (RequestReader.Event) -> WireScript?
  ) {
    guard phase == .reading || phase == .draining else { return }
    let count = recv(descriptor.number, scratch.baseAddress, scratch.count, 0)
    if count < 0 {
      if errno != EAGAIN && errno != EINTR { phase = .closed }
      return
    }
    if count == 0 {
      phase = .closed
      return
    }
    if phase == .draining { return }
    reader.receive(UnsafeRawBufferPointer(rebasing: scratch[..<count]))
    proceed(now: now, answer: answer)
  }

  /// Goes on with the answer in hand, then with the requests that wait in the buffer. Their number
  /// is bounded by the size of the buffer.
  func proceed(now: Int, answer: (RequestReader.Event) -> WireScript?) {
    while true {
      guard runSteps(now: now) else { return }
      guard let script = answer(reader.next()) else {
        phase = .reading
        deadline = now + Self.idleMilliseconds
        return
      }
      steps = script.steps[...]
    }
  }

  /// The peer has gone: nothing can be sent any more.
  func hangUp() { phase = .closed }

  /// True when the answer in hand is wholly sent and the connection lives.
  private func runSteps(now: Int) -> Bool {
    while phase != .closed {
      guard flush(now: now) else { return false }
      guard let step = steps.first else { return true }
      steps = steps.dropFirst()
      switch step {
      case .send(let bytes):
        output = bytes
      case .pause(let milliseconds):
        wait(milliseconds, now: now)
        return false
      case .drip(let bytes, let size, let pause):
        output = Array(bytes.prefix(size))
        if bytes.count > size {
          steps =
            [.pause(pause), .drip(Array(bytes.dropFirst(size)), size: size, pause: pause)]
            + steps
        }
      case .flood(let bytes, let bytesMax):
        output = bytes
        let left = bytesMax - bytes.count
        if left > 0 { steps = [.flood(bytes, bytesMax: left)] + steps }
        floods += 1
        if floods % Self.floodsPerTurn == 0 {
          // A fast reader would keep this thread to itself: the others get their turn.
          becomeWriting(now: now)
          return false
        }
      case .close:
        startDraining(now: now)
        return false
      case .reset:
        resetAtClose()
        phase = .closed
      }
    }
    return false
  }

  /// True when all output is with the kernel.
  private func flush(now: Int) -> Bool {
    while sent < output.count {
      let count = output.withUnsafeBytes {
        send(descriptor.number, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count >= 0 {
        sent += count
        continue
      }
      if errno == EINTR { continue }
      if errno == EAGAIN {
        becomeWriting(now: now)
      } else {
        phase = .closed
      }
      return false
    }
    output = []
    sent = 0
    return true
  }

  private func becomeWriting(now: Int) {
    phase = .writing
    deadline = now + Self.stuckMilliseconds
  }

  private func wait(_ milliseconds: Int, now: Int) {
    phase = .pausing
    deadline = now + milliseconds
  }

  private func startDraining(now: Int) {
    guard shutdown(descriptor.number, Int32(SHUT_WR)) == 0 else {
      phase = .closed
      return
    }
    phase = .draining
    deadline = now + Self.drainMilliseconds
  }

  private func resetAtClose() {
    var option = linger(l_onoff: 1, l_linger: 0)
    // A peer that has already left cannot be reset: then closing is all there is to do.
    _ = setsockopt(
      descriptor.number, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }
}
