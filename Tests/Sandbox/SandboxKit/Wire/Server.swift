internal import CEpoll
internal import Glibc
internal import Base

/// The threads of the server. An own small server on epoll, and not an HTTP library: a client must
/// meet good and broken answers on the same port and the same connection, and what a broken one
/// needs (half a head, a reset, two lengths) no library lets through.
final class Server: Sendable {
  private let listener: Listener
  private let stopEvent: Descriptor
  private let threads: Locked<[UInt]>

  /// Starts `threadCount` threads that answer with the closure, which they call at the same time.
  init(
    listener: Listener, threadCount: Int,
    answer: @escaping @Sendable (RequestReader.Event) -> WireScript?
  ) throws(SandboxError) {
    let number = cepoll_event_descriptor()
    guard number >= 0 else { throw .now("create an event descriptor") }
    stopEvent = Descriptor(owning: number)
    self.listener = listener
    threads = Locked([])
    for _ in 0..<threadCount {
      let worker = try Worker(listener: listener, stop: number, answer: answer)
      var thread = pthread_t()
      let context = Unmanaged.passRetained(worker)
      let result = pthread_create(&thread, nil, runWorker, context.toOpaque())
      guard result == 0 else {
        context.release()
        stop()
        throw SandboxError(what: "start a thread", code: result)
      }
      let started = UInt(thread)
      threads.withLock { $0.append(started) }
    }
  }

  deinit { stop() }

  /// Ends the threads and closes every connection; waits for both. May be called again.
  func stop() {
    let running = threads.withLock { list in
      defer { list = [] }
      return list
    }
    guard !running.isEmpty else { return }
    var one: UInt64 = 1
    // The counter of a fresh event descriptor takes a one at any time.
    _ = write(stopEvent.number, &one, MemoryLayout<UInt64>.size)
    for thread in running { pthread_join(pthread_t(thread), nil) }
    // Else new peers would wait in the queue of a socket that nobody serves; an error would say
    // that it does not listen any more.
    _ = shutdown(listener.descriptor.number, Int32(SHUT_RDWR))
  }
}

private func runWorker(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let context { Unmanaged<Worker>.fromOpaque(context).takeRetainedValue().run() }
  return nil
}
