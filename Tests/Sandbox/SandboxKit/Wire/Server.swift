internal import Base
internal import CLinux
internal import Dispatch
internal import Glibc

/// A server with a thread for each peer. Not an HTTP library: a client must get good and broken answers on the same
/// port and connection, and no library allows what the broken ones need (half a head, a reset, two lengths).
final class Server: Sendable {
  private struct State {
    var open: Set<Int32> = []
    var isStopped = false
  }

  private let listener: Listener
  private let answer: @Sendable (RequestReader.Event) -> [WireStep]?
  private let state = Locked(State())
  private let running = DispatchGroup()

  /// Answers with the closure, which is called on many threads at once.
  init(
    _ listener: Listener, answer: @escaping @Sendable (RequestReader.Event) -> [WireStep]?
  ) throws(SandboxError) {
    self.listener = listener
    self.answer = answer
    guard start({ [self] in acceptAll() }) else { throw .now("start a thread") }
  }

  /// Ends the threads and all connections; waits for both. May be called again.
  func stop() {
    state.withLock { state in
      state.isStopped = true
      for peer in state.open { _ = shutdown(peer, Int32(SHUT_RDWR)) }
    }
    _ = shutdown(listener.descriptor.number, Int32(SHUT_RDWR))
    running.wait()
  }

  private func acceptAll() {
    while !state.withLock({ $0.isStopped }) {
      let number = clinux_accept(listener.descriptor.number)
      guard number >= 0 else {
        // Neither a peer that left before it was accepted nor a lack of descriptors is the end.
        _ = poll(nil, 0, 10)
        continue
      }
      let isOpen = state.withLock { state in
        if !state.isStopped { state.open.insert(number) }
        return !state.isStopped
      }
      let isServed =
        isOpen
        && start { [self] in
          var peer = Peer(number)
          peer.serve(answer)
          leave(number)
        }
      if !isServed { leave(number) }
    }
  }

  /// Closes it under the lock, since its number may become another peer's at once.
  private func leave(_ number: Int32) {
    state.withLock { state in
      state.open.remove(number)
      _ = close(number)
    }
  }

  private func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    running.enter()
    let isStarted = BlockingThread.start { [self] in
      body()
      running.leave()
    }
    if !isStarted { running.leave() }
    return isStarted
  }
}
