internal import CEpoll
internal import Glibc

/// One thread of the server: an epoll set of its own and the connections it accepted. Threads share
/// nothing but the listening socket and what the answering closure locks.
final class Worker {
  private let poll: Descriptor
  private let listener: Listener
  private let stop: Int32
  private let answer: (RequestReader.Event) -> WireScript?
  private var connections: [Int32: Connection] = [:]
  private var interests: [Int32: UInt32] = [:]
  /// Connections whose step waits for its time: few, and looked at before every wait.
  private var pausing: Set<Int32> = []
  private var nextSweep = 0
  private var isAccepting = true
  private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

  /// More peers than this wait in the listening queue.
  static let connectionsMax = 8192
  private static let acceptsPerWake = 64
  private static let sweepMilliseconds = 250

  init(
    listener: Listener, stop: Int32, answer: @escaping (RequestReader.Event) -> WireScript?
  ) throws(SandboxError) {
    let number = cepoll_create()
    guard number >= 0 else { throw .now("create an epoll set") }
    poll = Descriptor(owning: number)
    self.listener = listener
    self.stop = stop
    self.answer = answer
    try watchListener()
    try watch(stop, cepoll_in)
  }

  deinit { scratch.deallocate() }

  /// Runs until the stop descriptor is readable. Called once, on the worker's own thread.
  func run() {
    var ready = [cepoll_ready](repeating: cepoll_ready(), count: Int(CEPOLL_READY_MAX))
    while true {
      let count = cepoll_wait(poll.number, &ready, timeout(now: Self.milliseconds()))
      if count < 0 && errno != EINTR { return }
      let now = Self.milliseconds()
      for event in ready.prefix(Int(max(0, count))) {
        let number = event.descriptor
        if number == stop { return }
        if number == listener.descriptor.number {
          acceptPeers(now: now)
        } else {
          serve(number, event.events, now: now)
        }
      }
      wakePausing(now: now)
      sweep(now: now)
    }
  }

  private func acceptPeers(now: Int) {
    for _ in 0..<Self.acceptsPerWake {
      guard connections.count < Self.connectionsMax else {
        restFromAccepting()
        return
      }
      let number = cepoll_accept(listener.descriptor.number)
      guard number >= 0 else {
        // Nobody waits any more, or that peer has left; else the descriptors are used up.
        if errno != EAGAIN && errno != EINTR && errno != ECONNABORTED { restFromAccepting() }
        return
      }
      var yes: Int32 = 1
      let size = socklen_t(MemoryLayout<Int32>.size)
      // Without it, an answer in two pieces waits for the peer's delayed acknowledgement.
      let noDelay = setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, size)
      let connection = Connection(number, now: now)
      // A peer that cannot be watched is closed as its connection goes out of scope.
      guard noDelay == 0, (try? watch(number, cepoll_in)) != nil else { continue }
      connections[number] = connection
      interests[number] = cepoll_in
    }
  }

  /// A listening socket that cannot be served would be reported again at once, without end; the
  /// next sweep watches it again.
  private func restFromAccepting() {
    isAccepting = cepoll_remove(poll.number, listener.descriptor.number) != 0
  }

  private func serve(_ number: Int32, _ events: UInt32, now: Int) {
    guard let connection = connections[number] else { return }
    if events & cepoll_gone != 0 {
      connection.hangUp()
    } else if connection.phase == .pausing {
      // Only a peer that closed its side wakes a paused connection.
      connection.hangUp()
    } else if events & cepoll_in != 0 {
      connection.receive(into: scratch, now: now, answer: answer)
    } else if events & cepoll_out != 0 {
      connection.proceed(now: now, answer: answer)
    }
    settle(number, connection)
  }

  private func wakePausing(now: Int) {
    guard !pausing.isEmpty else { return }
    for number in pausing {
      guard let connection = connections[number], connection.deadline <= now else { continue }
      connection.proceed(now: now, answer: answer)
      settle(number, connection)
    }
  }

  /// Ends idle and stuck peers.
  private func sweep(now: Int) {
    guard now >= nextSweep else { return }
    nextSweep = now + Self.sweepMilliseconds
    if !isAccepting { isAccepting = (try? watchListener()) != nil }  // else at the next sweep
    for (number, connection) in connections
    where connection.phase != .pausing && connection.deadline <= now {
      connection.hangUp()
      settle(number, connection)
    }
  }

  /// Makes the epoll set and the lists agree with what the connection waits for now.
  private func settle(_ number: Int32, _ connection: Connection) {
    let interest: UInt32
    switch connection.phase {
    case .reading, .draining: interest = cepoll_in
    case .writing: interest = cepoll_out
    case .pausing: interest = cepoll_half_closed
    case .closed:
      forget(number)
      return
    }
    if connection.phase == .pausing { pausing.insert(number) } else { pausing.remove(number) }
    guard interests[number] != interest else { return }
    if cepoll_change(poll.number, number, interest) == 0 {
      interests[number] = interest
    } else {
      forget(number)
    }
  }

  /// Closing the descriptor is not enough to take it out of the epoll set: a child that is just being
  /// started holds a copy, and the end of the old peer would be told of the next one that gets the
  /// number.
  private func forget(_ number: Int32) {
    // It fails for one that was never watched, and there is nothing to do then.
    _ = cepoll_remove(poll.number, number)
    pausing.remove(number)
    interests[number] = nil
    connections[number] = nil
  }

  /// One new connection wakes one thread.
  private func watchListener() throws(SandboxError) {
    try watch(listener.descriptor.number, cepoll_in | cepoll_exclusive)
  }

  private func watch(_ number: Int32, _ interest: UInt32) throws(SandboxError) {
    guard cepoll_add(poll.number, number, interest) == 0 else { throw .now("watch a socket") }
  }

  private func timeout(now: Int) -> Int32 {
    var wait = Self.sweepMilliseconds
    for number in pausing {
      if let connection = connections[number] { wait = min(wait, connection.deadline - now) }
    }
    return Int32(max(0, wait))
  }

  static func milliseconds() -> Int {
    var time = timespec()
    let result = clock_gettime(CLOCK_MONOTONIC, &time)
    precondition(result == 0, "the clocks of POSIX are always there")
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
  }
}
